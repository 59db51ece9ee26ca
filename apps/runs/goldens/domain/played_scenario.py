"""A battle as its scenario's assertions read it: which tools were used, how it ended, what it led to. Plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.runs.goldens.domain.replayed import ExpectedTool, ToolUse, expected_tool, open_tool_uses

ASSERTED = ("expected_tools", "said_phrases", "reply_limits", "expected_end", "state_requests")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTurn:
    """One text of the agent, the number of its turn, and how long it took where that was measured.

    `told` is all that the customer had written before it.
    """

    position: int
    text: str
    latency_ms: int | None = None
    told: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedScenario:
    """Facts of a played scenario that its assertions need.

    `tools` are in the order they were used, each with the turn, and `replies` are the agent's; `said_phrases` are
    {"said", "match", "forbidden"?, "unless_customer_said"?}, `reply_limits` {"latency_ms"?, "words"?, "json"?};
    `states` are {"url", "path", "expected", "found"} or {…, "error"} as they were read after the last word; `hidden`
    are the parts of replies that the way to the agent does not show (hidden_parts).
    """

    expected_tools: tuple[ExpectedTool, ...] = ()
    tools: tuple[tuple[int, ToolUse], ...] = ()
    said_phrases: tuple[Mapping[str, Any], ...] = ()
    reply_limits: tuple[Mapping[str, Any], ...] = ()
    replies: tuple[ReplyTurn, ...] = ()
    expected_end: tuple[str, ...] = ()
    end_reason: str = ""
    state_requests: int = 0
    states: tuple[Mapping[str, Any], ...] = ()
    hidden: frozenset[str] = frozenset()


def played_scenario(
    spec: Mapping[str, Any], turns: Sequence[Mapping[str, Any]], *, end_reason: str, extra: Mapping[str, Any]
) -> PlayedScenario | None:
    """Read the facts from a battle's frozen spec and its turns; None where its scenario asserts nothing."""
    if not any(spec.get(key) for key in ASSERTED):
        return None
    return PlayedScenario(
        expected_tools=tuple(expected_tool(tool) for tool in spec.get("expected_tools") or ()),
        tools=tuple(open_tool_uses(turns)),
        said_phrases=tuple(spec.get("said_phrases") or ()),
        reply_limits=tuple(spec.get("reply_limits") or ()),
        replies=replies_of(turns),
        expected_end=tuple(spec.get("expected_end") or ()),
        end_reason=end_reason,
        state_requests=len(spec.get("state_requests") or ()),
        states=tuple(extra.get("end_state") or ()),
        hidden=hidden_parts(turns),
    )


def hidden_parts(turns: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Return the parts hidden in every reply ("tool_calls", "ended"): their absence says nothing."""
    replies = [turn for turn in turns if turn.get("role") == "assistant"]
    hidden = [frozenset((turn.get("extra") or {}).get("hidden") or ()) for turn in replies]
    return frozenset.intersection(*hidden) if hidden else frozenset()


def replies_of(turns: Sequence[Mapping[str, Any]]) -> tuple[ReplyTurn, ...]:
    """The agent's texts in their order, with what the customer had written before each."""
    replies: list[ReplyTurn] = []
    reply_texts: list[str] = []
    for at, turn in enumerate(turns):
        text = str(turn.get("content") or "")
        if turn.get("role") == "user":
            reply_texts.append(text)
        elif turn.get("role") == "assistant":
            before = "\n".join(reply_texts)
            replies.append(ReplyTurn(position=at, text=text, latency_ms=turn.get("latency_ms"), told=before))
    return tuple(replies)
