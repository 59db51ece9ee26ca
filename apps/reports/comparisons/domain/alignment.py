"""Two transcripts beside each other, turn by turn: what stands where, what differs, and what may be folded away. Pure.

For two conversations of one case (a comparison) and for a golden session beside its replay.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

BAND = 40  # turns that an aligned pair may lie apart, beyond the difference in length: keeps 400 turns at some 0.1 s
PAIRING = 0.1  # that two turns of one role stand in one row is worth so much, however little they share
UNLIKE = 0.2  # share of common words below which a turn says something else, and is no other wording
MAX_STRETCHED_WORDS = 3_000  # of both texts: beyond, what differs within them is not looked for, as it takes minutes
FOLD_FROM = 2  # a single row is not worth a fold
_WORD = re.compile(r"\w+|[^\w\s]")
_TIME = re.compile(r"(?<![\d.:,])([01]?\d|2[0-3])[:.]([0-5]\d)(?![\d.:,]?\d)")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_NUMBER = re.compile(r"\d+(?:[, \u00a0]\d{3})*(?!\d)(?:\.\d+)?")


class RowDifference(StrEnum):
    """Kind of a row's difference.

    `wording`: the same values in other words; `fact`: a number, date, time or id differs; `tool`: the calls differ;
    `other`: hardly a word in common; `added` and `removed` are on one side only.
    """

    SAME = "same"
    WORDING = "wording"
    FACT = "fact"
    TOOL = "tool"
    OTHER = "other"
    ADDED = "added"
    REMOVED = "removed"


QUIET = frozenset({RowDifference.SAME, RowDifference.WORDING})


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptTurn:
    """One turn of either side: its number in the transcript from 0, and its tool calls as `name(argument=value)`."""

    number: int
    role: str
    content: str
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextStretch:
    """A part of a turn's text; `changed` where the other side has it otherwise."""

    text: str
    changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPair:
    """One row: either side may be None. `facts` are the values that stand on one side only, (of left, of right);
    `quoted` names what a side was marked down for with words of this turn, where the other side was not."""

    left: TranscriptTurn | None
    right: TranscriptTurn | None
    difference: RowDifference
    facts: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    left_text: tuple[TextStretch, ...] = ()
    right_text: tuple[TextStretch, ...] = ()
    quoted: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def role(self) -> str:
        side = self.right or self.left
        return side.role if side else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedRows:
    """Rows that stand open (`quiet` False), or a run of rows that say the same and may be folded."""

    pairs: tuple[TurnPair, ...]
    quiet: bool

    @property
    def wording(self) -> int:
        """Rows that differ in wording only."""
        return sum(pair.difference is RowDifference.WORDING for pair in self.pairs)


FactsOf = Callable[[str], Counter[str]]


def facts_of(text: str) -> Counter[str]:
    """Return the values in a text that can be compared by rule.

    They are ISO dates, digit times (`9.30` is `09:30`) and numbers without their separators (`1,500` is `1500`).
    """
    facts: Counter[str] = Counter(_DATE.findall(text))
    rest = _DATE.sub(" ", text)
    facts.update(f"{int(hour):02}:{minute}" for hour, minute in _TIME.findall(rest))
    rest = _TIME.sub(" ", rest)
    facts.update(re.sub(r"[, \u00a0]", "", number) for number in _NUMBER.findall(rest))
    return facts


def transcript_turns(rows: Iterable[Mapping[str, Any]]) -> list[TranscriptTurn]:
    """Turns of a conversation document (`role`, `content`, `tool_calls`), numbered from 0."""
    return [
        TranscriptTurn(
            number=number,
            role=str(row.get("role") or ""),
            content=str(row.get("content") or ""),
            tools=tuple(_call(call) for call in row.get("tool_calls") or ()),
        )
        for number, row in enumerate(rows)
    ]


def align(
    left: Sequence[TranscriptTurn], right: Sequence[TranscriptTurn], *, facts: FactsOf = facts_of
) -> list[TurnPair]:
    """Rows in order; every turn of either side stands in exactly one. Only turns of one role share a row, and as many
    as possible do, the likest ones first. `facts` reads the values that are compared by rule.

    Time grows with the length times the band: 400 turns on both sides take some 0.1 s.
    """
    return [_pair(one, other, facts) for one, other in _matched(left, right)]


def folded(pairs: Sequence[TurnPair]) -> list[FoldedRows]:
    """The rows, with runs of quiet ones in one `FoldedRows`. Where only the wording differs anywhere, the wording
    is what there is to see, and only equal rows are folded. A row that a side was marked down for is never quiet."""
    loud = any(pair.difference not in QUIET or any(pair.quoted) for pair in pairs)
    quiet = QUIET if loud else {RowDifference.SAME}
    runs: list[tuple[bool, list[TurnPair]]] = []
    for pair in pairs:
        is_quiet = pair.difference in quiet and not any(pair.quoted)
        if runs and runs[-1][0] == is_quiet:
            runs[-1][1].append(pair)
        else:
            runs.append((is_quiet, [pair]))
    return [FoldedRows(pairs=tuple(run), quiet=is_quiet and len(run) >= FOLD_FROM) for is_quiet, run in runs]


QuotesByTurn = Mapping[int, tuple[str, ...]]  # what a turn, by its number, was quoted against


def with_quotes(pairs: Sequence[TurnPair], left: QuotesByTurn, right: QuotesByTurn) -> list[TurnPair]:
    """Return the rows with the quotes that cost either side points."""
    return [
        replace(
            pair,
            quoted=(
                left.get(pair.left.number, ()) if pair.left else (),
                right.get(pair.right.number, ()) if pair.right else (),
            ),
        )
        for pair in pairs
    ]


def first_that_matters(pairs: Sequence[TurnPair]) -> TurnPair | None:
    """Return the first row in which the agent differs in more than wording; None without one."""
    return next((pair for pair in pairs if pair.role != "user" and pair.difference not in QUIET), None)


def _call(call: Mapping[str, Any]) -> str:
    arguments = call.get("arguments")
    fields = arguments if isinstance(arguments, Mapping) else {}
    return f"{call.get('name')}({', '.join(f'{name}={fields[name]}' for name in sorted(fields))})"


def _words(turn: TranscriptTurn) -> Counter[str]:
    return Counter(_WORD.findall(turn.content.casefold()))


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Dice's coefficient of two bags of words; two empty ones are alike."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _matched(
    left: Sequence[TranscriptTurn], right: Sequence[TranscriptTurn]
) -> list[tuple[TranscriptTurn | None, TranscriptTurn | None]]:
    """Needleman and Wunsch within a band, after what both begin with was taken off."""
    start = 0
    while start < min(len(left), len(right)) and _equal(left[start], right[start]):
        start += 1
    head = [(left[at], right[at]) for at in range(start)]
    return [*head, *_walked(left[start:], right[start:])]


def _equal(turn: TranscriptTurn, other: TranscriptTurn) -> bool:
    return (turn.role, turn.content, turn.tools) == (other.role, other.content, other.tools)


def _walked(
    left: Sequence[TranscriptTurn], right: Sequence[TranscriptTurn]
) -> list[tuple[TranscriptTurn | None, TranscriptTurn | None]]:
    best = _table(left, right)
    rows: list[tuple[TranscriptTurn | None, TranscriptTurn | None]] = []
    i, j = len(left), len(right)
    while i or j:
        step = best[i, j][1] if i and j else ("left" if i else "right")
        rows.append((left[i - 1] if step != "right" else None, right[j - 1] if step != "left" else None))
        i, j = i - (step != "right"), j - (step != "left")
    return rows[::-1]


def _table(left: Sequence[TranscriptTurn], right: Sequence[TranscriptTurn]) -> dict[tuple[int, int], tuple[float, str]]:
    """The best score of each pair of prefixes within the band, and the last step that leads to it."""
    words, others = [_words(turn) for turn in left], [_words(turn) for turn in right]
    band = BAND + abs(len(left) - len(right))
    best: dict[tuple[int, int], tuple[float, str]] = {}

    def score(i: int, j: int) -> float:
        return best[i, j][0] if (i, j) in best else (0.0 if not i or not j else float("-inf"))

    for i, one in enumerate(left, 1):
        for j in range(max(1, i - band), min(len(right), i + band) + 1):
            options = [(score(i, j - 1), "right"), (score(i - 1, j), "left")]
            if one.role == right[j - 1].role:
                pairing = PAIRING + _likeness(words[i - 1], others[j - 1])
                options.insert(0, (score(i - 1, j - 1) + pairing, "both"))
            best[i, j] = max(options, key=lambda option: option[0])
    return best


def _pair(left: TranscriptTurn | None, right: TranscriptTurn | None, facts: FactsOf) -> TurnPair:
    if left is None or right is None:
        kind = RowDifference.ADDED if left is None else RowDifference.REMOVED
        return TurnPair(left=left, right=right, difference=kind, left_text=_plain(left), right_text=_plain(right))
    here, there = facts(left.content), facts(right.content)
    only = (tuple((here - there).elements()), tuple((there - here).elements()))
    texts = _stretches(left.content, right.content)
    return TurnPair(
        left=left,
        right=right,
        difference=_difference(left, right, differs=any(only)),
        facts=only,
        left_text=texts[0],
        right_text=texts[1],
    )


def _difference(left: TranscriptTurn, right: TranscriptTurn, *, differs: bool) -> RowDifference:
    if left.tools != right.tools:
        return RowDifference.TOOL
    if _flat(left.content) == _flat(right.content):
        return RowDifference.SAME
    if differs:
        return RowDifference.FACT
    unlike = _likeness(_words(left), _words(right)) < UNLIKE
    return RowDifference.OTHER if unlike else RowDifference.WORDING


def _flat(text: str) -> str:
    return " ".join(text.split())


def _plain(turn: TranscriptTurn | None) -> tuple[TextStretch, ...]:
    return (TextStretch(turn.content),) if turn and turn.content else ()


def _stretches(left: str, right: str) -> tuple[tuple[TextStretch, ...], tuple[TextStretch, ...]]:
    """Both texts cut into what they share and what they do not, by words; white space goes with the word before."""
    if left == right:
        return ((TextStretch(left),), (TextStretch(right),)) if left else ((), ())
    ours, theirs = (re.findall(r"\s*\S+\s*?(?=\s|$)|\s+", text) for text in (left, right))
    if len(ours) + len(theirs) > MAX_STRETCHED_WORDS:
        return (TextStretch(left, True),), (TextStretch(right, True),)
    matches = SequenceMatcher(a=[one.strip() for one in ours], b=[one.strip() for one in theirs], autojunk=False)
    sides: tuple[list[TextStretch], list[TextStretch]] = ([], [])
    for tag, low, high, new_low, new_high in matches.get_opcodes():
        for side, words in ((sides[0], ours[low:high]), (sides[1], theirs[new_low:new_high])):
            text = "".join(words)
            blank = text[: len(text) - len(text.lstrip())] if tag != "equal" else ""
            side += [TextStretch(blank)] if blank else []
            side += [TextStretch(text[len(blank) :], tag != "equal")] if text[len(blank) :] else []
    return tuple(sides[0]), tuple(sides[1])
