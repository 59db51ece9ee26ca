"""A golden session as a script: what is sent, and what each reply must show before the next turn may follow.

Pure: a golden document in, lines out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.catalog.goldens.domain.session import files_of
from apps.core.timestamps import parse_timestamp
from apps.runs.domain.gates import SENSED, Strength

UPLOAD_WORDS = "[I have attached a file: {name}]"  # brief 004: what a transport without files is told


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLine:
    """One user turn of a golden session. `position` is its place in the document, `reply_positions` those of the
    agent's replies to it; `number` counts the customer's turns from 1, as people do and `--file-turn` does; `latency_s`
    is None where the document gives no times (unknown is not 0).

    `file` is the turn's file_attachment ({"name", "sha256"?, "path"?}), `pattern` the gate behind it; a `soft` one was
    sensed and is weak: where it stays shut the replay goes on.
    """

    position: int
    text: str
    number: int = 0
    file: Mapping[str, Any] | None = None
    reply_positions: tuple[int, ...] = ()
    golden_reply: str = ""
    pattern: str | None = None
    soft: bool = False
    gate_timeout_s: float | None = None
    latency_s: float | None = None
    expected_tools: tuple[Any, ...] = ()
    golden_calls: tuple[Any, ...] = ()
    expected_step_agents: tuple[Any, ...] = ()
    description: str = ""

    @property
    def words(self) -> str:
        """The message for a transport that takes no files: the words, and the file named in brackets."""
        if self.file is None:
            return self.text
        named = UPLOAD_WORDS.format(name=self.file.get("name") or "file")
        return f"{self.text}\n{named}" if self.text.strip() and named not in self.text else named


@dataclass(slots=True)
class _LineDraft:
    position: int
    number: int
    turn: Mapping[str, Any]
    replies: list[tuple[int, Mapping[str, Any]]] = field(default_factory=list)


def script_of(document: Mapping[str, Any]) -> tuple[ScriptLine, ...]:
    """The lines of a golden document, in order: the user turns with words or with a file (catalog.domain.golden). What
    the agent says before the first of them (a greeting) is skipped."""
    drafts: list[_LineDraft] = []
    number = 0
    for position, turn in enumerate(document.get("turns") or ()):
        number += turn.get("role") == "user"
        if turn.get("role") == "user" and not (turn.get("content") or files_of(turn)):
            continue
        if turn.get("role") == "user":
            drafts.append(_LineDraft(position, number, turn))
        elif turn.get("role") == "assistant" and drafts:
            drafts[-1].replies.append((position, turn))
    return tuple(_line(draft) for draft in drafts)


def _line(draft: _LineDraft) -> ScriptLine:
    replies = [turn for _, turn in draft.replies]
    gated: Mapping[str, Any] = next((turn for turn in reversed(replies) if turn.get("wait_for_pattern")), {})
    return ScriptLine(
        position=draft.position,
        text=str(draft.turn.get("content") or ""),
        number=draft.number,
        file=next(iter(files_of(draft.turn)), None),
        reply_positions=tuple(position for position, _ in draft.replies),
        golden_reply="\n".join(str(turn.get("content") or "") for turn in replies if turn.get("content")),
        pattern=gated.get("wait_for_pattern") or None,
        soft=gated.get("gate_from") == SENSED and gated.get("gate_strength") == Strength.WEAK,
        gate_timeout_s=_seconds(gated.get("gate_timeout")),
        latency_s=_latency(draft.turn, replies),
        expected_tools=_all(replies, "expected_tools"),
        golden_calls=_all(replies, "tool_calls"),
        expected_step_agents=_all(replies, "step_agents"),
        description=str(next((turn["description"] for turn in replies if turn.get("description")), "")),
    )


def _all(turns: Sequence[Mapping[str, Any]], key: str) -> tuple[Any, ...]:
    return tuple(item for turn in turns for item in turn.get(key) or ())


def _seconds(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0 else None


def _latency(user: Mapping[str, Any], replies: Sequence[Mapping[str, Any]]) -> float | None:
    """The latency of the last reply: the turn was over then."""
    known = [value for turn in replies if (value := _seconds(turn.get("latency_ms"))) is not None]
    if known:
        return max(known) / 1000
    try:
        return (parse_timestamp(str(replies[-1]["ts"])) - parse_timestamp(str(user["ts"]))).total_seconds() or None
    except (LookupError, ValueError):
        return None
