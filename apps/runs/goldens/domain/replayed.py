"""A golden session as it was played again, beside what it was: plain data for checks and reports."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from apps.catalog.scenarios.domain.expected_arguments import ArgumentMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool seen in a turn: called in the open (with arguments), or told by a pattern in the reply (without)."""

    name: str
    arguments: Mapping[str, Any] | None = None
    status: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTool:
    """A golden turn's expectation of a tool.

    `forbidden`: it is not called; `ordered`: it comes after the ordered ones before it. `captured` pins a call that the
    golden session shows; `left_out` names its arguments that are not held. `least` and `most` bound how many calls fit
    (None: one at least, and any number); `only`: no call of this tool stands beside those.
    """

    name: str
    arguments: Mapping[str, Any] | None = None
    match: ArgumentMatch = ArgumentMatch.SUBSET
    status: str = ""
    forbidden: bool = False
    ordered: bool = False
    captured: bool = False
    left_out: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    only: bool = False

    @property
    def plain(self) -> bool:
        """True if it only asks that the tool is called, as often as it is named, anywhere in the session."""
        return self.arguments is None and not (self.status or self.forbidden or self.ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedTurn:
    """One line of the script as it was played.

    `position` is the user turn's in the golden document, `number` counts the customer's turns from 1, `at` is the same
    turn's place in the conversation (None: never sent). `golden_calls` are the calls that the golden session shows.
    `gate` is matched, waited, judged, nudged, desync, or "" where the golden has none; `gate_shut`: it never opened,
    and being weak was passed; `gate_judge` is the model that was asked about it. Latencies are the agent's own seconds,
    None: unknown; `host_load` is that of our machine then, for each processor.
    """

    position: int
    sent: str
    golden_reply: str
    number: int = 0
    reply: str = ""
    at: int | None = None
    gate: str = ""
    gate_shut: bool = False
    gate_judge: str = ""
    nudges: int = 0
    latency_s: float | None = None
    golden_latency_s: float | None = None
    host_load: float | None = None
    tools: tuple[ToolUse, ...] = ()
    golden_calls: tuple[ToolUse, ...] = ()
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
    hides_tools: bool = False  # no reply shows tool calls, and no pattern finds an expected one in its words
    dates_move: bool = True  # days of the golden session are variables: its dates are those of the replay


def expected_tools(values: Iterable[Any]) -> tuple[ExpectedTool, ...]:
    """All entries of a golden turn; one with `times` stands so often, and nothing beside it. Raises ValueError as
    expected_tool."""
    tools: list[ExpectedTool] = []
    for value in values:
        tool = expected_tool(value)
        times = value.get("times") if isinstance(value, Mapping) else None
        tools += [tool] if times is None else [replace(tool, only=True)] * times
    return tuple(tools)


def expected_tool(value: Any) -> ExpectedTool:
    """Read an entry of a golden turn's `expected_tools`, or what a scenario asserts of a tool.

    It is a name, or {"name", "arguments"?, "match"?, "status"?, "forbidden"?, "order"?, "left_out"?, "times"?,
    "only"?}. Reads what was checked when it was saved; raises ValueError for other things.
    """
    if isinstance(value, str):
        return ExpectedTool(name=value)
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise ValueError(f"an expected tool is a name or has a name, not {value!r}")
    times = value.get("times")
    times = times if isinstance(times, Mapping) else {}  # a golden session's number: see expected_tools
    arguments, match = value.get("arguments"), ArgumentMatch(value.get("match") or ArgumentMatch.SUBSET)
    return ExpectedTool(
        name=value["name"],
        arguments=arguments if isinstance(arguments, Mapping) and match is not ArgumentMatch.NAME else None,
        match=match,
        status=str(value.get("status") or ""),
        forbidden=bool(value.get("forbidden")),
        ordered=bool(value.get("order")),
        captured="left_out" in value,
        left_out=tuple(map(str, value.get("left_out") or ())),
        least=times.get("min"),
        most=times.get("max"),
        only=bool(value.get("only")),
    )


def call_text(call: Mapping[str, Any]) -> str:
    """Write a stored tool call as transcripts show it: `free_slots(date=2026-11-23)`. Pure."""
    arguments = call.get("arguments")
    listing = (
        ", ".join(f"{name}={value}" for name, value in arguments.items()) if isinstance(arguments, Mapping) else ""
    )
    return f"{call.get('name') or 'a tool'}({listing})"


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
