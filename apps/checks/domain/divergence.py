"""A replay held against its golden session, turn by turn: what differs, and whether it matters.

Wording may differ freely; facts, tools and the order of things may not. Rules compare values
(apps.core.extracted_values); what they cannot decide is `value_unsure`, for a judge or a person. Pure.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from apps.catalog.scenarios.domain.expected_arguments import ArgumentMatch
from apps.checks.domain.golden_tools import differences, turn_faults
from apps.core.extracted_values import (
    MAX_CHARS,
    SPOKEN_TIME,
    Value,
    ValueKind,
    not_in,
    same,
    sentences,
    values,
)
from apps.runs.goldens.domain.gate_keeping import GateState
from apps.runs.goldens.domain.replayed import ExpectedTool, ReplayedTurn, ToolUse

ALIKE, UNLIKE = 0.6, 0.3  # shares of words in common from which two replies are the same one, and below which not
MAX_QUESTIONS = 100  # of one reply: each is compared with each
MAX_LISTED, MAX_SHOWN = 20, 80  # values that one sentence names, and the characters of each
_WORD = re.compile(r"[^\W_]+")
_SENTENCE = re.compile(r"(?<=[.!?\n])")


class DivergenceKind(StrEnum):
    WORDING = "wording"
    FACTS = "facts"
    TOOL = "tool"
    ORDER = "order"
    GATE_LATE = "gate_late"
    GATE_JUDGED = "gate_judged"
    DESYNC = "desync"
    ASKED_NEW = "asked_new"
    VALUE_UNSURE = "value_unsure"
    NOT_REACHED = "not_reached"


MATTERING = frozenset({DivergenceKind.FACTS, DivergenceKind.ORDER, DivergenceKind.DESYNC, DivergenceKind.NOT_REACHED})
"""Kinds that make a replay differ. A tool that is missing does too; one called in addition is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """One difference between a replay and its golden session.

    `why` is one sentence that names both sides. `about` is the kind of value that changed, `gone` the keys of the
    golden values that the replay lacks (core.extracted_values).
    """

    kind: DivergenceKind
    why: str
    matters: bool
    about: ValueKind | None = None
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDivergence:
    """The differences in one turn, the important ones first; empty where there are none. `number` counts turns from
    1."""

    position: int
    number: int
    differences: tuple[Divergence, ...]


@dataclass(slots=True)
class _Identifiers:
    """Ids change from run to run, and must change in one way: what was S-1 once is not S-7 and then S-8."""

    renamed: dict[str, str] = field(default_factory=dict)

    def agree(self, golden: str, now: str) -> bool:
        if golden not in self.renamed and now in self.renamed.values():
            return False
        return self.renamed.setdefault(golden, now) == now


@dataclass(frozen=True, slots=True, kw_only=True)
class _WholeReplay:
    """The facts of the whole replay with which each turn is compared, beside its golden reply."""

    words: Sequence[frozenset[str]]
    numbers: Sequence[int]
    said: Sequence[Value]
    tools: frozenset[str]
    identifiers: _Identifiers = field(default_factory=_Identifiers)


def divergences(turns: Sequence[ReplayedTurn]) -> tuple[TurnDivergence, ...]:
    """One entry for each turn. Each text is compared by its first MAX_CHARS characters. Time grows with the square of
    the number of turns (the order of replies)."""
    turns = [replace(turn, reply=turn.reply[:MAX_CHARS], golden_reply=turn.golden_reply[:MAX_CHARS]) for turn in turns]
    session = _WholeReplay(
        words=[_words(turn.golden_reply) for turn in turns],
        numbers=[turn.number for turn in turns],
        said=values("\n".join(turn.sent for turn in turns)),
        tools=frozenset(tool.name for turn in turns for tool in turn.tools),
    )
    turn_divergences = []
    for place, turn in enumerate(turns):
        differences = sorted(_of(turn, place, session), key=lambda divergence: not divergence.matters)
        turn_divergences.append(
            TurnDivergence(position=turn.position, number=turn.number, differences=tuple(differences))
        )
    return tuple(turn_divergences)


def first_that_matters(turn_divergences: Sequence[TurnDivergence]) -> tuple[TurnDivergence, Divergence] | None:
    """The first turn in which something matters, and what."""
    return next(
        ((turn, difference) for turn in turn_divergences for difference in turn.differences if difference.matters), None
    )


def _of(turn: ReplayedTurn, place: int, session: _WholeReplay) -> Iterator[Divergence]:
    if not turn.reached:
        yield _difference(DivergenceKind.NOT_REACHED, "This turn was never sent.")
        return
    yield from _gate(turn)
    if turn.gate == GateState.DESYNC:
        return  # what was said instead differs in everything
    yield from _tools(turn, session.tools)
    if turn.golden_reply.strip() and not turn.reply.strip():
        yield _difference(DivergenceKind.FACTS, "The agent said nothing.")
        return
    if _plain(turn.reply) == _plain(turn.golden_reply):
        return
    mine = _words(turn.reply)
    order = _order(mine, place, session.words)
    if order is not None:
        yield _difference(DivergenceKind.ORDER, f"This is the golden session's reply to turn {session.numbers[order]}.")
        return
    yield from _facts(turn, session.said, session.identifiers)
    yield from _new_questions(turn)
    share = round(100 * _overlap(mine, session.words[place]))
    yield _difference(DivergenceKind.WORDING, f"{share} % of the words are the golden session's.")


def _gate(turn: ReplayedTurn) -> Iterator[Divergence]:
    if turn.gate == GateState.DESYNC:
        yield _difference(
            DivergenceKind.DESYNC, f"After {turn.nudges} nudges the reply still did not show what it must."
        )
    elif turn.gate_shut:
        yield _difference(DivergenceKind.GATE_LATE, "Its gate, which hangs on one word, stayed shut and was passed.")
    elif turn.gate == GateState.JUDGED:
        who = f"the model {turn.gate_judge}" if turn.gate_judge else "a model"
        yield _difference(
            DivergenceKind.GATE_JUDGED,
            f"Its gate stayed shut, and {who} found that the reply does what the golden session's did.",
        )
    elif turn.gate in (GateState.WAITED, GateState.NUDGED):
        nudges = f" and {turn.nudges} nudge{'' if turn.nudges == 1 else 's'}" if turn.nudges else ""
        yield _difference(DivergenceKind.GATE_LATE, f"The gate opened after a wait{nudges}.")


def _tools(turn: ReplayedTurn, everywhere: Collection[str]) -> Iterator[Divergence]:
    """Yield the differences in tools as the check `tool_invocations_match_golden` sees them.

    A plain name may be called in another turn.
    """
    called = [tool.name for tool in turn.tools]
    expected = [tool.name for tool in turn.expected_tools if not tool.forbidden]
    plain = [tool.name for tool in turn.expected_tools if tool.plain]
    missing = [name for name in dict.fromkeys(plain) if name not in everywhere]
    for _, fault in turn_faults(turn):
        if fault:
            yield Divergence(kind=DivergenceKind.TOOL, why=fault, matters=True)
    yield from _other_arguments(turn)
    shown = {call.name for call in turn.golden_calls}
    extra = [name for name in dict.fromkeys(called) if name not in expected and name not in shown]
    if missing:
        yield Divergence(kind=DivergenceKind.TOOL, why=f"Not called: {', '.join(missing)}.", matters=True)
    if extra:
        yield Divergence(kind=DivergenceKind.TOOL, why=f"Called in addition: {', '.join(extra)}.", matters=False)


def _other_arguments(turn: ReplayedTurn) -> Iterator[Divergence]:
    """Calls that the golden session shows with arguments that nothing holds, and that have other ones now: told
    only."""
    for golden in turn.golden_calls:
        arguments = _unheld(golden, turn.expected_tools)
        uses = [use for use in turn.tools if use.name == golden.name and use.arguments is not None]
        differences_of_uses = [list(differences(arguments, use.arguments, match=ArgumentMatch.SUBSET)) for use in uses]
        if arguments and differences_of_uses and all(differences_of_uses):
            why = f"{golden.name} was called with other arguments: {'; '.join(min(differences_of_uses, key=len)[:3])}."
            yield Divergence(kind=DivergenceKind.TOOL, why=why, matters=False)


def _unheld(golden: ToolUse, expected: Sequence[ExpectedTool]) -> Mapping[str, Any]:
    """Return the arguments of the golden session's call that no expectation checks.

    These are all of them where no expectation looks at arguments. Otherwise they are the clock times that a pinned call
    leaves out. Ids and dates that it leaves out do not count, since they differ in every run.
    """
    arguments = golden.arguments or {}
    entries = [tool for tool in expected if tool.name == golden.name]
    if any(tool.forbidden for tool in entries):
        return {}
    if all(tool.arguments is None for tool in entries):
        return arguments
    left_out = {name for tool in entries for name in tool.left_out}
    return {name: text for name, text in arguments.items() if name in left_out and _is_time(text)}


def _is_time(argument: Any) -> bool:
    return isinstance(argument, str) and {value.kind for value in values(argument)} == {ValueKind.TIME}


def _order(mine: frozenset[str], place: int, words: Sequence[frozenset[str]]) -> int | None:
    if _overlap(mine, words[place]) >= UNLIKE:
        return None
    best = max(range(len(words)), key=lambda other: _overlap(mine, words[other]))
    return best if best != place and _overlap(mine, words[best]) >= ALIKE else None


def _facts(turn: ReplayedTurn, said: Sequence[Value], identifiers: _Identifiers) -> Iterator[Divergence]:
    golden, now = values(turn.golden_reply), values(turn.reply)
    missing = _by_kind(not_in(golden, now))
    extra = _by_kind(value for value in not_in(now, golden) if not any(value.key == other.key for other in said))
    gone, new = missing.pop(ValueKind.IDENTIFIER, []), extra.pop(ValueKind.IDENTIFIER, [])
    yield from _ids(gone, new, identifiers, {value.key for value in said})
    for kind in ValueKind:
        gone, new = missing.get(kind, []), extra.get(kind, [])
        if gone and new:
            keys = tuple(one.key for one in gone)
            yield _difference(DivergenceKind.FACTS, f"{_listed(gone)} became {_listed(new)}.", about=kind, gone=keys)
        elif gone or new:
            sides = f"{_listed(gone)} is not said" if gone else f"{_listed(new)} is new"
            yield _difference(DivergenceKind.VALUE_UNSURE, f"{sides} here: a value may be missing, or told in words.")
    yield from _swapped(turn, [*missing.values(), *extra.values()])
    spoken = [{found.lower() for found in SPOKEN_TIME.findall(text)} for text in (turn.golden_reply, turn.reply)]
    if spoken[0] != spoken[1]:
        facts = ", ".join(sorted(spoken[0] ^ spoken[1]))
        yield _difference(DivergenceKind.VALUE_UNSURE, f"A spoken time is told differently: {facts}.")


def _swapped(turn: ReplayedTurn, told: Sequence[Sequence[Value]]) -> Iterator[Divergence]:
    """A sentence that is there again word by word, with the same values in other places; what is `told` is left out."""
    known = {value.key for one in told for value in one}
    now = dict(sentences(turn.reply))
    for frame, golden in dict(sentences(turn.golden_reply)).items():
        others = now.get(frame, ())
        pairs = [(one, other) for one, other in zip(golden, others, strict=False) if not same(one, other)]
        moved = [pair for pair in pairs if pair[0].kind is not ValueKind.IDENTIFIER]
        if moved and not known & {value.key for pair in moved for value in pair}:
            gone, new = zip(*moved, strict=True)
            why = f"{_listed(gone)} became {_listed(new)} in the same sentence."
            keys = tuple(one.key for one in gone)
            yield _difference(DivergenceKind.FACTS, why, about=moved[0][0].kind, gone=keys)


def _ids(
    gone: Sequence[Value], new: Sequence[Value], identifiers: _Identifiers, said: Collection[str]
) -> Iterator[Divergence]:
    left = list(new)
    for value in gone:
        other = next((two for two in left if _shape(two.key) == _shape(value.key)), None)
        if other is None:
            yield _difference(DivergenceKind.VALUE_UNSURE, f"{value.text} is not said here.")
            continue
        left.remove(other)
        if value.key in said:  # the customer's own: no run may change it
            yield _difference(DivergenceKind.FACTS, f"{value.text}, as the customer said, became {other.text}.")
        elif not identifiers.agree(value.key, other.key):
            yield _difference(DivergenceKind.FACTS, f"{value.text} became {other.text}, and another id elsewhere.")
    if left and not gone:
        yield _difference(DivergenceKind.VALUE_UNSURE, f"{_listed(left)} is new here.")


def _new_questions(turn: ReplayedTurn) -> Iterator[Divergence]:
    before = [_words(one) for one in _questions(turn.golden_reply)]
    for question in _questions(turn.reply):
        mine = _words(question)
        if mine and all(_overlap(mine, one) < UNLIKE for one in before):
            yield _difference(DivergenceKind.ASKED_NEW, f"Not asked in the golden session: {question.strip()[:200]}")


def _questions(text: str) -> list[str]:
    """The first MAX_QUESTIONS different ones."""
    questions = (part for part in _SENTENCE.split(text) if part.endswith("?"))
    return list(dict.fromkeys(questions))[:MAX_QUESTIONS]


def _difference(
    kind: DivergenceKind, why: str, about: ValueKind | None = None, gone: tuple[str, ...] = ()
) -> Divergence:
    return Divergence(kind=kind, why=why, matters=kind in MATTERING, about=about, gone=gone)


def _by_kind(found: Iterator[Value]) -> dict[ValueKind, list[Value]]:
    kinds: dict[ValueKind, list[Value]] = {}
    for value in found:
        kinds.setdefault(value.kind, []).append(value)
    return kinds


def _listed(found: Sequence[Value]) -> str:
    names = list(dict.fromkeys(value.text[:MAX_SHOWN] for value in found))
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more


def _shape(key: str) -> str:
    return re.sub(r"\d+", "0", key)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's share of words in common; two empty texts are alike."""
    return len(one & other) / len(one | other) if one or other else 1.0
