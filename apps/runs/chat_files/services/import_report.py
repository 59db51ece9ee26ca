"""The result of importing a file."""

import uuid
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedLine:
    """A line that was not taken. `line` counts from 1; `code` is stable, `message` says what to mend."""

    line: int
    code: str
    message: str

    def as_json(self) -> dict[str, Any]:
        return {"line": self.line, "code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """The result of a file.

    It has the conversations kept, the lines that were refused, missing parts (`notes`), the form in which it was read
    (`form`) and its first lines (`shown`).
    """

    run_id: uuid.UUID | None
    kept: int
    turns: int
    tool_calls: int
    refused: tuple[RefusedLine, ...]
    notes: tuple[str, ...] = ()
    form: str = ""
    shown: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "test_run_id": str(self.run_id) if self.run_id else None,
            "kept": self.kept,
            "turns": self.turns,
            "tool_calls": self.tool_calls,
            "refused": [one.as_json() for one in self.refused],
            "notes": list(self.notes),
            "form": self.form,
        }
