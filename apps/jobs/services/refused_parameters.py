"""Parameters that servers of models refuse by name. All processes remember them in the shared cache for a week; then
they are tried again, since a server may have learned them."""

import logging

from django.core.cache import caches

from apps.connectors.llms.refused_parameters import LeftOut

KEPT_S = 7 * 24 * 3600
_LOG = logging.getLogger(__name__)


class CachedRefusals:
    """A `SharedMemory` in the cache. One that is away knows nothing, and each process learns for itself."""

    def read(self, key: str) -> LeftOut:
        try:
            refusal = caches["shared"].get(f"refused:{key}")
        except Exception:
            _LOG.warning("the cache does not answer: what models refuse is learned again")
            return frozenset()
        return frozenset(str(one) for one in refusal) if isinstance(refusal, list) else frozenset()

    def write(self, key: str, names: LeftOut) -> None:
        try:
            caches["shared"].set(f"refused:{key}", sorted(names), timeout=KEPT_S)
        except Exception:
            _LOG.warning("the cache does not answer: what a model refuses is not shared")
