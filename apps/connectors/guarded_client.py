"""A client of ours: what cannot be an address is refused as what is not allowed to be one."""

from typing import Any

import httpx

from apps.connectors.addresses import OutboundPolicy
from apps.connectors.errors import AddressRefused


class GuardedClient(httpx.AsyncClient):
    """Refuses an address that cannot be read as it refuses one that is not allowed: each caller knows that error."""

    def __init__(self, policy: OutboundPolicy, **options: Any) -> None:
        super().__init__(**options)
        self._policy = policy

    def build_request(self, method: str, url: Any, **options: Any) -> httpx.Request:
        """Raises AddressRefused."""
        try:
            return super().build_request(method, url, **options)
        except UnicodeEncodeError:  # a header: whoever set it says which
            raise
        except (httpx.InvalidURL, UnicodeError) as error:  # the latter of a host name's letters
            raise AddressRefused(f"{self._policy.purpose} address cannot be read: {error}") from None
