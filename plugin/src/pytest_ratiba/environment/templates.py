"""The migrated schema, kept as a script after the first scenario: the ones after it run the script.

Under xdist one worker migrates, and the others take its script from a file of the session.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_ratiba.environment.errors import EvalEnvironmentError
from pytest_ratiba.environment.schema_text import dumped, placeholder_script, script_for


class SchemaTemplate:
    """The script of one session. `shared` is a file that the session's workers have in common, or None."""

    def __init__(self, shared: Path | None = None, *, replayed: bool = True) -> None:
        self.shared = shared
        self.replayed = replayed  # False: every schema is migrated; what benchmarks compare with
        self._script: str | None = None

    def script_of(self, schema: str) -> str | None:
        """Return the script that fills this schema; None where the schema has to be migrated."""
        if self._script is None and self.shared is not None and self.shared.exists():
            self._script = self.shared.read_text(encoding="utf-8")
        return script_for(self._script, schema) if self._script else None

    @contextmanager
    def being_made(self) -> Iterator[None]:
        """One worker of a session at a time; the others wait, and then find the script."""
        if self.shared is None:
            yield
            return
        import fcntl

        with open(self.shared.with_suffix(".lock"), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def keep(self, address: str, schema: str, *, pg_dump: str | None) -> None:
        """Take the script from a schema that was just migrated. Without a usable pg_dump: a warning, and every
        scenario is migrated."""
        if not self.replayed:
            return
        try:
            self._script = placeholder_script(dumped(address, schema, pg_dump=pg_dump), schema)
        except EvalEnvironmentError as error:
            self.replayed = False
            warnings.warn(f"every scenario's schema is migrated, which is slow: {error}", stacklevel=2)
            return
        if self.shared is not None:
            draft = self.shared.with_suffix(".draft")
            draft.write_text(self._script, encoding="utf-8")
            draft.replace(self.shared)
