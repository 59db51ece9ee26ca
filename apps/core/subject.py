"""Who was tested: named by whoever asks for a run or an evaluation, shown, filtered and compared by."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.core.digest import canonical_json
from apps.core.errors import BadInput

FIELDS = ("agent", "prompt_version", "label")  # what can be filtered by
LONGEST = 200
MOST_METADATA = 100_000  # characters of its JSON
MOST_NAMES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Empty where nobody said. `prompt_version` is the agent's (`greeting@a1b2c3d`), `label` free (`PR 12`), `metadata`
    whatever else its owner wants to find again."""

    agent: str = ""
    prompt_version: str = ""
    label: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Only what was said."""
        pairs = {name: getattr(self, name) for name in (*FIELDS, "metadata")}
        return {name: dict(value) if name == "metadata" else value for name, value in pairs.items() if value}

    def over(self, other: Mapping[str, Any]) -> dict[str, Any]:
        """As JSON, with `other` (a stored subject) for what this one leaves open."""
        return {**other, **self.as_json()}


UNNAMED = Subject()


def read_subject(raw: Any, pointer: str = "/subject") -> Subject:
    """From a request or a command. Raises BadInput with the pointer of the field at fault."""
    if raw is None:
        return UNNAMED
    if not isinstance(raw, Mapping):
        raise BadInput("subject must be an object with agent, prompt_version, label, metadata.", pointer=pointer)
    unknown = [name for name in raw if name not in (*FIELDS, "metadata")]
    if unknown:
        raise BadInput(
            f"There is no field {unknown[0]!r}; there are {', '.join(FIELDS)}, metadata.",
            code="unknown_field",
            pointer=f"{pointer}/{unknown[0]}",
        )
    texts = {name: _text(raw.get(name), name, pointer) for name in FIELDS}
    metadata = raw.get("metadata")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise BadInput("metadata must be an object.", pointer=f"{pointer}/metadata")
    if metadata and len(metadata) > MOST_NAMES:
        raise BadInput(f"metadata has {len(metadata)} names; the limit is {MOST_NAMES}.", pointer=f"{pointer}/metadata")
    if metadata and len(canonical_json(dict(metadata))) > MOST_METADATA:
        raise BadInput(f"metadata is longer than {MOST_METADATA} characters.", pointer=f"{pointer}/metadata")
    return Subject(**texts, metadata=dict(metadata or {}))


def words_of(stored: Mapping[str, Any]) -> str:
    """A stored subject on one line: `booking · greeting@a1b2c3d · PR 12`."""
    return " · ".join(str(stored[name]) for name in FIELDS if stored.get(name))


def _text(value: Any, name: str, pointer: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"{name} must be text.", pointer=f"{pointer}/{name}")
    if len(value) > LONGEST:
        raise BadInput(f"{name} has {len(value)} characters; the limit is {LONGEST}.", pointer=f"{pointer}/{name}")
    return value.strip()
