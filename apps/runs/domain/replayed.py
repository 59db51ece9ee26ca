"""A golden session as it was played again, beside what it was: plain data for checks and reports."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.domain.expected_arguments import ArgumentMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool seen in a turn: called in the open (with arguments), or told by a pattern in the reply (without)."""

    name: str
    arguments: Mapping[str, Any] | None = None
    status: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTool:
    """What a golden turn expects of a tool: `forbidden` that it is not called; `ordered` that it comes after the
    ordered ones before it."""

    name: str
    arguments: Mapping[str, Any] | None = None
    match: ArgumentMatch = ArgumentMatch.SUBSET
    status: str = ""
    forbidden: bool = False
    ordered: bool = False

    @property
    def plain(self) -> bool:
        """Only that it is called, anywhere in the session."""
        return self.arguments is None and not (self.status or self.forbidden or self.ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedTurn:
    """One line of the script as it was played.

    `position` is the user turn's in the golden document, `number` counts the customer's turns from 1, `at` is the same
    turn's place in the conversation (None: never sent).
    `gate` is matched, waited, nudged, desync, or "" where the golden has none. Latencies are seconds, None: unknown.
    """

    position: int
    sent: str
    golden_reply: str
    number: int = 0
    reply: str = ""
    at: int | None = None
    gate: str = ""
    nudges: int = 0
    latency_s: float | None = None
    golden_latency_s: float | None = None
    tools: tuple[ToolUse, ...] = ()
    expected_tools: tuple[ExpectedTool, ...] = ()
    step_agents: tuple[str, ...] = ()
    expected_step_agents: tuple[str, ...] = ()

    @property
    def reached(self) -> bool:
        return self.at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedConversation:
    """One replay. `case` and `golden_case` are {"id", "status", "stages": [{"name", "status"}]}, None where nothing is
    known: `sees_cases` tells a transport that could not look from a case that was not there. `siblings_s` are the total
    latencies of all repeats of the same golden session in the same run, this one included, in seconds. `step_agents`
    and `expected_step_agents` are those that the case told of, beside those of the turns."""

    golden: str
    transport: str
    turns: tuple[ReplayedTurn, ...]
    case: Mapping[str, Any] | None = None
    golden_case: Mapping[str, Any] | None = None
    sees_cases: bool = False
    step_agents: tuple[str, ...] = ()
    expected_step_agents: tuple[str, ...] = ()
    siblings_s: tuple[float, ...] = ()


def expected_tool(value: Any) -> ExpectedTool:
    """An entry of a golden turn's `expected_tools`: a name, or {"name", "arguments"?, "match"?, "status"?,
    "forbidden"?, "order"?}. Reads what was checked when the golden was saved; raises ValueError for other things."""
    if isinstance(value, str):
        return ExpectedTool(name=value)
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise ValueError(f"an expected tool is a name or has a name, not {value!r}")
    arguments = value.get("arguments")
    return ExpectedTool(
        name=value["name"],
        arguments=arguments if isinstance(arguments, Mapping) else None,
        match=ArgumentMatch(value.get("match") or ArgumentMatch.SUBSET),
        status=str(value.get("status") or ""),
        forbidden=bool(value.get("forbidden")),
        ordered=bool(value.get("order")),
    )


def open_tool_uses(turns: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, ToolUse]]:
    """The tools that the agent called in the open, each with its turn's place among `turns`. One without a status of
    its own is `answered` where a tool's turn has its id."""
    turns = list(turns)
    answered = {turn.get("tool_call_id") for turn in turns if turn.get("role") == "tool"}
    for at, turn in enumerate(turns):
        for call in (turn.get("tool_calls") or ()) if turn.get("role") == "assistant" else ():
            status = call.get("status") or ("answered" if call.get("id") in answered else "")
            yield (
                at,
                ToolUse(name=str(call.get("name") or ""), arguments=call.get("arguments") or {}, status=str(status)),
            )
