"""A golden conversation as a file: what is in it, how it is written, and where another one differs from it."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from pytest_ratiba.recording.identifiers import IdNumbers
from pytest_ratiba.recording.masking import SECRET, Masker, is_secret_key
from pytest_ratiba.recording.moments import all_same, shifts, template

KEYS = ("id", "language", "turns")
_TURN_KEYS = ("role", "content", "tool_calls", "name")


class SnapshotFormatError(ValueError):
    """A document that is no golden conversation."""


@dataclass(frozen=True, kw_only=True)
class GoldenConversation:
    """`turns` are `{"role", "content", "tool_calls"?, "name"?}`; ids are numbered and personal data is masked."""

    id: str
    language: str = ""
    turns: tuple[Mapping[str, Any], ...] = ()

    @property
    def digest(self) -> str:
        """64 hex digits over what the file says, whoever wrote it."""
        text = json.dumps(self.as_document(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def as_document(self) -> dict[str, Any]:
        """Return the conversation as it is written to a file."""
        language = {"language": self.language} if self.language else {}
        return {"id": self.id, **language, "turns": [dict(turn) for turn in self.turns]}


@dataclass(frozen=True, kw_only=True)
class ConversationDivergence:
    """The first turn at which two conversations part. `position` counts from 0."""

    position: int
    why: str


def conversation(
    scenario_id: str, turns: Sequence[Mapping[str, Any]], *, masker: Masker, language: str = ""
) -> GoldenConversation:
    """A conversation as it was played: only what was said and which tools were called. Raises SnapshotFormatError."""
    ids = IdNumbers()
    rows = []
    for number, turn in enumerate(turns):
        if not isinstance(turn, Mapping) or not isinstance(turn.get("role"), str):
            raise SnapshotFormatError(f"turn {number} needs a role")
        row: dict[str, Any] = {"role": turn["role"]}
        if turn.get("content"):
            row["content"] = _plain(str(turn["content"]), masker, ids)
        if turn.get("tool_calls"):
            row["tool_calls"] = [
                {"name": str(call.get("name", ""))} | _arguments(call, masker, ids) for call in turn["tool_calls"]
            ]
        row |= {"name": str(turn["name"])} if turn.get("name") else {}
        rows.append(row)
    return GoldenConversation(id=scenario_id, language=language, turns=tuple(rows))


def read_document(value: Any) -> GoldenConversation:
    """A file's document. Raises SnapshotFormatError that names what is wrong."""
    if not isinstance(value, dict) or not isinstance(value.get("id"), str) or not isinstance(value.get("turns"), list):
        raise SnapshotFormatError("must hold an id and a list of turns")
    unknown = [key for key in value if key not in KEYS]
    if unknown:
        raise SnapshotFormatError(f"unknown key {unknown[0]!r}; known: {', '.join(KEYS)}")
    for number, turn in enumerate(value["turns"]):
        if not isinstance(turn, dict) or not isinstance(turn.get("role"), str):
            raise SnapshotFormatError(f"turn {number} needs a role")
        odd = [key for key in turn if key not in _TURN_KEYS]
        if odd:
            raise SnapshotFormatError(f"turn {number}: unknown key {odd[0]!r}; known: {', '.join(_TURN_KEYS)}")
    return GoldenConversation(id=value["id"], language=str(value.get("language", "")), turns=tuple(value["turns"]))


def as_yaml(golden: GoldenConversation) -> str:
    """The file's text: longer words as blocks, so that a reviewer sees in the diff which line changed."""
    import yaml

    class _BlockDumper(yaml.SafeDumper):
        """Texts of several lines, and long ones, stand as blocks."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        block = "\n" in value and not any(line.endswith(" ") for line in value.split("\n"))
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if block else None)

    _BlockDumper.add_representer(str, text)
    return yaml.dump(golden.as_document(), Dumper=_BlockDumper, sort_keys=False, allow_unicode=True, width=110)


def divergence(
    golden: GoldenConversation, played: GoldenConversation, *, golden_at: datetime, now: datetime
) -> ConversationDivergence | None:
    """None where both are the same; dates made from now may have moved since the file was written."""
    for days in shifts(golden_at, now):
        found = _first(golden, played, golden_at=golden_at, now=now, days=days)
        if found is None:
            return None
    return _first(golden, played, golden_at=golden_at, now=now, days=0)


def side_by_side(golden: GoldenConversation | None, played: GoldenConversation) -> list[str]:
    """A unified diff of both files, for a terminal."""
    before = as_yaml(golden).splitlines() if golden is not None else []
    return list(difflib.unified_diff(before, as_yaml(played).splitlines(), "accepted", "now", lineterm="", n=2))


def _first(
    golden: GoldenConversation, played: GoldenConversation, *, golden_at: datetime, now: datetime, days: int
) -> ConversationDivergence | None:
    elapsed = (now - golden_at).total_seconds()
    for number in range(max(len(golden.turns), len(played.turns))):
        if number >= len(played.turns):
            return ConversationDivergence(position=number, why=f"the conversation ends after {number} turns")
        if number >= len(golden.turns):
            return ConversationDivergence(position=number, why="the conversation goes on where it ended")
        before, after = golden.turns[number], played.turns[number]
        for key, what in (("role", "speaker"), ("content", "words"), ("tool_calls", "tool calls"), ("name", "name")):
            one = template(_text(before.get(key, "")), now=golden_at)
            other = template(_text(after.get(key, "")), now=now)
            if one[0] != other[0] or not all_same(one[1], other[1], elapsed_s=elapsed, shift=days):
                why = f"other {what}: {_short(before.get(key))} became {_short(after.get(key))}"
                return ConversationDivergence(position=number, why=why)
    return None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _short(value: Any) -> str:
    text = _text(value) if value not in (None, "") else "(nothing)"
    return repr(text if len(text) <= 160 else f"{text[:160]}…")


def _arguments(call: Mapping[str, Any], masker: Masker, ids: IdNumbers) -> dict[str, Any]:
    """Nothing where only the tool's name is known: `{}` would say that it had none."""
    return {"arguments": _value(call["arguments"], masker, ids)} if "arguments" in call else {}


def _value(value: Any, masker: Masker, ids: IdNumbers) -> Any:
    if isinstance(value, Mapping):
        return {
            str(key): SECRET if is_secret_key(str(key)) else _value(value[key], masker, ids)
            for key in sorted(value, key=str)
        }
    if isinstance(value, list):
        return [_value(item, masker, ids) for item in value]
    return _plain(value, masker, ids) if isinstance(value, str) else value


def _plain(text: str, masker: Masker, ids: IdNumbers) -> str:
    return ids.text(masker.request_text(text, []))
