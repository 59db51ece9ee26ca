"""A battle as its scenario's assertions read it: which tools were used, how it ended, what it led to. Plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.runs.domain.replayed import ExpectedTool, ToolUse, expected_tool, open_tool_uses


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedScenario:
    """`tools` in the order they were used and the agent's `replies`, each with the turn; `said_phrases` are {"said",
    "match", "forbidden"?}; `states` are {"url", "path", "expected", "found"} or
    {…, "error"} as they were read after the last word."""

    expected_tools: tuple[ExpectedTool, ...] = ()
    tools: tuple[tuple[int, ToolUse], ...] = ()
    said_phrases: tuple[Mapping[str, Any], ...] = ()
    replies: tuple[tuple[int, str], ...] = ()
    expected_end: tuple[str, ...] = ()
    end_reason: str = ""
    state_requests: int = 0
    states: tuple[Mapping[str, Any], ...] = ()


def played_scenario(
    spec: Mapping[str, Any], turns: Sequence[Mapping[str, Any]], *, end_reason: str, extra: Mapping[str, Any]
) -> PlayedScenario | None:
    """From a battle's frozen spec and what happened; None where its scenario asserts none of it."""
    asserted = [spec.get(key) for key in ("expected_tools", "said_phrases", "expected_end", "state_requests")]
    if not any(asserted):
        return None
    return PlayedScenario(
        expected_tools=tuple(expected_tool(one) for one in spec.get("expected_tools") or ()),
        tools=tuple(open_tool_uses(turns)),
        said_phrases=tuple(spec.get("said_phrases") or ()),
        replies=tuple(
            (at, str(turn.get("content") or "")) for at, turn in enumerate(turns) if turn.get("role") == "assistant"
        ),
        expected_end=tuple(spec.get("expected_end") or ()),
        end_reason=end_reason,
        state_requests=len(spec.get("state_requests") or ()),
        states=tuple(extra.get("end_state") or ()),
    )
