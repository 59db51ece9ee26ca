"""Results of metrics kept as files, for people who test their own agents: `.deepeval-cache/<tenant>/` (docs/adr/0063).

The platform's own judging keeps its answers in the database (services/answers.py); this is the store of pytest and of
metrics run by hand. Keys are `deepeval_cache_key`s, so that stores made by the original tools keep working. Several
processes may use one folder: an entry is written whole beside its place and renamed into it.
"""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from apps.budgets.domain.cache_entry import CorruptEntry
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event

FOLDER = ".deepeval-cache"
_KEY = re.compile(r"[0-9a-f]{64}")
_TENANT = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class MetricCache:
    """One tenant's folder. `on=False` finds nothing and keeps nothing (`--no-deepeval-cache`)."""

    def __init__(self, root: Path, *, tenant: str, on: bool = True) -> None:
        """Prepare the cache below `root`, the project's root, and create nothing yet.

        Raises BadInput for a name that is no tenant's.
        """
        if not _TENANT.fullmatch(tenant):
            raise BadInput(f"{tenant!r} is no tenant's name", code="bad_tenant")
        self.folder = root / FOLDER / tenant
        self.on = on

    def get(self, key: str) -> Any | None:
        """The entry under the key, or None. A file that differs from what was written is a miss, and the log says
        so."""
        if not self.on:
            return None
        try:
            return _read(self._path(key))
        except FileNotFoundError:
            return None
        except (OSError, CorruptEntry, UnicodeDecodeError, json.JSONDecodeError) as error:
            log_event(EventType.KEPT_ANSWER_CORRUPT, key=key, why=repr(error)[:300])
            return None

    def put(self, key: str, value: Any) -> None:
        """Keep a JSON value; the last writer wins. Raises TypeError and ValueError for what is not JSON."""
        path = self._path(key)
        body = json.dumps(value, sort_keys=True, allow_nan=False)
        if not self.on:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".draft-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{sha256_hex(body)}\n{body}")
            os.replace(draft, path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise

    def clear(self) -> None:
        """Forget everything of this tenant (`--deepeval-cache-clear`). Safe to repeat and to race with readers."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, key: str) -> Path:
        if not _KEY.fullmatch(key):
            raise ValueError(f"a key is 64 hex digits, not {key!r}")
        return self.folder / key[:2] / f"{key}.json"


def _read(path: Path) -> Any:
    checksum, _, body = path.read_text(encoding="utf-8").partition("\n")
    if checksum != sha256_hex(body):
        raise CorruptEntry("the checksum does not match")
    return json.loads(body)
