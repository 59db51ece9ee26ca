"""The tested subject: the request for a run or an evaluation names it; lists show, filter and compare by it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.core.digest import canonical_json
from apps.core.errors import BadInput
from apps.core.shapes import Check, Shape, Text
from apps.core.validation import validate

_IN_WORDS = ("agent", "prompt_version", "label")
FIELDS = (*_IN_WORDS, "commit")  # what can be filtered by
LONGEST = 200
MAX_METADATA = 100_000  # characters of its JSON
MAX_NAMES = 50


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    if len(canonical_json(value)) > MAX_METADATA:
        raise BadInput(f"is longer than {MAX_METADATA} characters")
    return value


_Part = Annotated[Text, MaxLen(LONGEST), Check(str.strip)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject(Shape):
    """Who was tested: shown in lists, filtered and compared by.

    Empty where nobody said. `prompt_version` is the agent's (`greeting@a1b2c3d`), `label` free (`PR 12`), `commit` that
    of the agent's repository (a gate finds its baseline by it), `metadata` whatever else its owner wants to find again.
    """

    agent: _Part = ""
    prompt_version: _Part = ""
    label: _Part = ""
    commit: _Part = ""
    metadata: Annotated[Mapping[str, Any], MaxLen(MAX_NAMES), Check(_storable)] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The fields that are set, as JSON."""
        pairs = {name: getattr(self, name) for name in (*FIELDS, "metadata")}
        return {name: dict(value) if name == "metadata" else value for name, value in pairs.items() if value}

    def over(self, other: Mapping[str, Any]) -> dict[str, Any]:
        """Return this subject as JSON, with `other` (a stored subject) for the fields it leaves open."""
        return {**other, **self.as_json()}


UNNAMED = Subject()


def read_subject(raw: Any, pointer: str = "/subject") -> Subject:
    """Read a subject from a request or a command. Raises BadInput with the pointer of the field at fault."""
    return UNNAMED if raw is None else validate(Subject, raw, pointer=pointer)


def words_of(stored: Mapping[str, Any]) -> str:
    """A stored subject on one line: `booking · greeting@a1b2c3d · PR 12`."""
    return " · ".join(str(stored[name]) for name in _IN_WORDS if stored.get(name))
