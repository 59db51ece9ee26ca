"""The content of the page of two conversations of one case: transcripts beside each other, and their cost."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from apps.core.errors import NotFound
from apps.dashboard.conversations.domain.personas import persona_of
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import score_look
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.results.domain.comparison_sentences import looks_of, pair_headline, without_colour
from apps.evaluations.figures.queries.decisions import blocking_of
from apps.evaluations.models import CriterionScore, Judgement
from apps.reports.comparisons.domain.alignment import (
    FoldedRows,
    RowDifference,
    TranscriptTurn,
    align,
    first_that_matters,
    folded,
    transcript_turns,
    with_quotes,
)
from apps.reports.comparisons.queries.comparison_pairs import ComparedPair, ComparedPairs, compared_pairs
from apps.runs.models import Conversation, Turn
from apps.statistics.decision import Decision, decide

CHANGED = ("worse", "better")


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionPair:
    """One criterion on both sides, A and B; `why` is what the judge of B said.

    Pairs are listed with what stops B first, then by the largest loss.
    """

    name: str
    a: float | None
    b: float | None
    look_a: Badge
    look_b: Badge
    delta: float | None
    mark: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairPage:
    """The content of the page of one pair of conversations.

    `place` says "2 of 9"; `before` and `after` are the queries of the pairs beside it, "" at an end.
    """

    found: ComparedPairs
    pair: ComparedPair
    left: Conversation
    right: Conversation
    persona: str
    headline: Headline
    rows: Sequence[FoldedRows]
    criteria: Sequence[CriterionPair]
    only: str
    place: str
    before: str
    after: str

    @property
    def moved_looks(self) -> str:
        """The name of the set of badges that say what became of the pair."""
        return looks_of(self.found, "moved")

    @property
    def a_id(self) -> str:
        return str(self.found.a.evaluation.pk)

    @property
    def b_id(self) -> str:
        return str(self.found.b.evaluation.pk)

    @property
    def a_label(self) -> str:
        """The heading of A's column: which side, what it is, its score."""
        return _label("A", self.found.a.label, self.pair.a)

    @property
    def b_label(self) -> str:
        return _label("B", self.found.b.label, self.pair.b)

    @property
    def versus(self) -> str:
        return f"{self.found.a.label} against {self.found.b.label}"


def pair_page(*, a: str, b: str, right: str, only: str, titles: Mapping[str, str] = NAMES) -> PairPage:
    """Return the page of a pair: conversation `right`, among changes of kind `only` or all changes.
    Eleven queries. Raises NotFound; BadInput where both evaluations are the same."""
    pairs = compared_pairs(a, b)
    listed = [one for one in pairs.pairs if one.change == only] if only else [
        one for one in pairs.pairs if one.change in CHANGED
    ]  # fmt: skip
    pair = next((one for one in pairs.pairs if right in (str(one.right), str(one.left))), None)
    if pair is None:
        raise NotFound(f"Conversation {right} stands in no pair of these two evaluations.")
    at = listed.index(pair) if pair in listed else -1
    rows = Conversation.objects.defer("session", "extra").in_bulk({pair.left, pair.right})
    turns = transcripts_of({pair.left, pair.right})
    sides = [_scores(pairs.a.evaluation.pk, pair.left), _scores(pairs.b.evaluation.pk, pair.right)]
    aligned = align(turns.get(pair.left, []), turns.get(pair.right, []))
    if not pairs.same_conversations:  # two judges that disagree about one turn say nothing of the agent
        against = [_quotes(one, other=other, titles=titles) for one, other in (sides, sides[::-1])]
        aligned = with_quotes(aligned, *against)
    kinds = [turn_pair.difference for turn_pair in aligned]
    return PairPage(
        found=pairs,
        pair=pair,
        left=rows[pair.left],
        right=rows[pair.right],
        persona=persona_of(rows[pair.right].spec),
        headline=pair_headline(
            first_that_matters(aligned),
            failing=next((turn_pair for turn_pair in aligned if turn_pair.quoted[1]), None),
            wording=kinds.count(RowDifference.WORDING),
            same=kinds.count(RowDifference.SAME),
            one_conversation=pair.left == pair.right,
        ),
        rows=folded(aligned),
        criteria=_criteria(sides, blocking_of(pairs.b.evaluation.snapshot), coloured=not pairs.same_conversations),
        only=only,
        place=f"{at + 1} of {len(listed)}" if at >= 0 else "",
        before=_query(a, b, only, listed[at - 1]) if at > 0 else "",
        after=_query(a, b, only, listed[at + 1]) if 0 <= at < len(listed) - 1 else "",
    )


def _label(side: str, name: str, score: float | None) -> str:
    named = side if name == side else f"{side}: {name}"
    return named if score is None else f"{named}, {score:.1f}"


def _query(a: str, b: str, only: str, pair: ComparedPair) -> str:
    return urlencode({"a": a, "b": b, "right": str(pair.right), **({"only": only} if only else {})})


def transcripts_of(conversations: set[uuid.UUID]) -> Mapping[uuid.UUID, list[TranscriptTurn]]:
    """The transcripts of both conversations. One query."""
    rows = Turn.objects.transcript().filter(conversation__in=conversations).order_by("conversation", "position")
    documents: dict[uuid.UUID, list[dict[str, object]]] = {}
    for id, role, content, calls in rows.values_list("conversation_id", "role", "content", "tool_calls"):
        documents.setdefault(id, []).append({"role": role, "content": content, "tool_calls": calls})
    return {id: transcript_turns(document) for id, document in documents.items()}


def _criteria(
    sides: Sequence[Mapping[str, CriterionScore]], blocking: Collection[str], *, coloured: bool
) -> list[CriterionPair]:
    lines = []
    for name in dict.fromkeys([*sides[1], *sides[0]]):
        left, right = sides[0].get(name), sides[1].get(name)
        a, b = (one.score if one else None for one in (left, right))
        marked = right or left
        mark = marked.pass_mark if marked else 6.0
        looks = [score_look(one, mark) for one in (a, b)]
        look_a, look_b = looks if coloured else map(without_colour, looks)
        lines.append(
            CriterionPair(
                name=name,
                a=a,
                b=b,
                look_a=look_a,
                look_b=look_b,
                mark=mark,
                delta=b - a if a is not None and b is not None else None,
                why=right.reason if right else "",
            )
        )
    stops = {line.name for line in lines if line.name in blocking and _below(line.b, line.mark)}
    return sorted(lines, key=lambda line: (line.name not in stops, line.delta is None, line.delta or 0.0))


def _quotes(
    scores: Mapping[str, CriterionScore], *, other: Mapping[str, CriterionScore], titles: Mapping[str, str]
) -> dict[int, tuple[str, ...]]:
    """Return, by turn, the criteria that quote it and are below their mark on this side only."""
    failing = {name for name, score in scores.items() if _below(score.score, score.pass_mark)}
    failing -= {name for name, score in other.items() if _below(score.score, score.pass_mark)}
    by_turn: dict[int, tuple[str, ...]] = {}
    for name in scores:
        turns = {quote.get("turn") for quote in scores[name].evidence} if name in failing else set()
        for turn in turns - {None}:
            by_turn[int(turn)] = (*by_turn.get(int(turn), ()), titles.get(name, name))
    return by_turn


def _scores(evaluation: uuid.UUID, conversation: uuid.UUID) -> dict[str, CriterionScore]:
    judged = Judgement.objects.filter(evaluation=evaluation, conversation=conversation).values("pk")
    rows = CriterionScore.objects.filter(judgement__in=judged).order_by("position")
    return {row.criterion: row for row in rows}


def _below(score: float | None, mark: float) -> bool:
    return decide(score, mark) is Decision.FAIL
