"""A conversation that pursues the goal of a golden session freely, held against the way that session went. Pure.

Each turn of the golden session is a step: what its reply shows (its gate; without one, its words) or what it does (its
tools). A step is shown by the first reply that fits; the steps in order are the longest chain in which no step comes
before an earlier one. One reply may show several steps.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.core.patterns import PatternProblem, compile_pattern
from apps.runs.goldens.domain.gate_keeping import in_words
from apps.runs.goldens.domain.replay_script import ScriptLine, script_of
from apps.runs.goldens.domain.replayed import expected_tool

ALIKE = 0.6  # share of words in common from which two replies are the same one, as in a replay's divergence
LEFT_KIND = "left_way"
_MAX_SHOWN = 120
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidReply:
    """The agent's words and tool calls after the customer's turn `number`, counted from 1."""

    number: int
    position: int
    text: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WayStep:
    """The golden session's turn `step`; `number` is the conversation's turn that showed it, None where none did."""

    step: int
    shows: str
    number: int | None = None
    in_order: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAt:
    """The turn of the conversation at which the way was left."""

    number: int
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenWay:
    """Way of a conversation beside its golden session.

    `left` is None where every step was shown in its order. `tools_not_called` are the golden session's that were called
    nowhere.
    """

    steps: tuple[WayStep, ...]
    sentence: str
    left: LeftAt | None = None
    tools_not_called: tuple[str, ...] = ()


def golden_way(document: Mapping[str, Any], replies: Sequence[SaidReply], *, golden: str) -> GoldenWay:
    """Compare replies with the steps of a golden session.

    `document` is the golden session's, `golden` its name. Time grows with steps × replies; each gate has its own bound
    on time, and one that passes it shows nothing.
    """
    lines = [line for line in script_of(document) if line.golden_reply.strip() or _tools_of(line)]
    fits = [[_shows(line, reply) for reply in replies] for line in lines]
    chain = _longest_chain(fits)
    steps = tuple(_step(line, fits[at], chain.get(at), replies) for at, line in enumerate(lines))
    lost = next((at for at, step in enumerate(steps) if not step.in_order), None)
    called = {name for reply in replies for name in reply.tools}
    expected = dict.fromkeys(name for line in lines for name in _tools_of(line))
    left = None if lost is None else _left_at(steps[:lost], replies)
    return GoldenWay(
        steps=steps,
        left=left,
        sentence=_sentence(steps, lost, left, golden),
        tools_not_called=tuple(name for name in expected if name not in called),
    )


def _shows(line: ScriptLine, reply: SaidReply) -> bool:
    tools = _tools_of(line)
    if tools and set(tools) <= set(reply.tools):
        return True
    if not line.pattern:
        return _overlap(line.golden_reply, reply.text) >= ALIKE
    try:
        return compile_pattern(line.pattern).found_in(reply.text)
    except PatternProblem:
        return False


def _tools_of(line: ScriptLine) -> list[str]:
    return [tool.name for tool in map(expected_tool, line.expected_tools) if not tool.forbidden]


def _overlap(one: str, other: str) -> float:
    mine, theirs = ({word.casefold() for word in _WORD.findall(text)} for text in (one, other))
    return len(mine & theirs) / len(mine | theirs) if mine or theirs else 0.0


def _longest_chain(fits: Sequence[Sequence[bool]]) -> dict[int, int]:
    """{step: reply} of the longest chain whose replies never go back, the earliest replies first."""
    width = len(fits[0]) if fits else 0
    best = [[0] * (width + 1) for _ in range(len(fits) + 1)]  # of the steps and replies from here on
    for step in range(len(fits) - 1, -1, -1):
        for reply in range(width - 1, -1, -1):
            taken = 1 + best[step + 1][reply] if fits[step][reply] else 0
            best[step][reply] = max(taken, best[step + 1][reply], best[step][reply + 1])
    chain: dict[int, int] = {}
    at = 0
    for step, row in enumerate(fits):
        first = next((one for one in range(at, width) if row[one]), None)
        if first is not None and 1 + best[step + 1][first] == best[step][at]:
            chain[step] = at = first
    return chain


def _step(line: ScriptLine, fits: Sequence[bool], taken: int | None, replies: Sequence[SaidReply]) -> WayStep:
    shown = taken if taken is not None else next((at for at, fit in enumerate(fits) if fit), None)
    return WayStep(
        step=line.number,
        shows=_named(line),
        number=None if shown is None else replies[shown].number,
        in_order=taken is not None,
    )


def _named(line: ScriptLine) -> str:
    """The name of a step: the words of its gate, else the beginning of the golden reply."""
    words = in_words(line.pattern) if line.pattern else f'"{" ".join(line.golden_reply.split())}"'
    return words if len(words) <= _MAX_SHOWN else f"{words[: _MAX_SHOWN - 1]}…"


def _left_at(followed: Sequence[WayStep], replies: Sequence[SaidReply]) -> LeftAt:
    """The turn behind the last one that followed the way; the last turn where there is none behind it."""
    last = max((step.number or 0 for step in followed), default=0)
    turn = next((reply for reply in replies if reply.number > last), replies[-1] if replies else None)
    return LeftAt(number=turn.number, position=turn.position) if turn else LeftAt(number=1, position=0)


def _sentence(steps: Sequence[WayStep], lost: int | None, left: LeftAt | None, golden: str) -> str:
    if lost is None or left is None:
        return f"Went all {len(steps)} steps of {golden}, in their order."
    missed = steps[lost]
    count = sum(step.in_order for step in steps)
    why = f"came out of its order, at turn {missed.number}" if missed.number else "was never shown"
    back = next((step for step in steps[lost + 1 :] if step.in_order), None)
    then = f" It came back at turn {back.number}, with step {back.step}." if back else ""
    return (
        f"Went {count} of {len(steps)} steps of {golden}; left its way at turn {left.number}: step {missed.step} "
        f"({missed.shows}) {why}.{then}"
    )
