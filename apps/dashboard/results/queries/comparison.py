"""The content of the page of two evaluations: the decision, each criterion's difference, and each case's change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any
from uuid import UUID

from apps.core.errors import BadInput, NotFound
from apps.core.subject import words_of
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import conversation_look, look
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.results.domain.comparison_sentences import (
    decision_headline,
    distinct_labels,
    looks_of,
    without_colour,
)
from apps.dashboard.results.queries.scores import tallies
from apps.dashboard.results.queries.stopped_conversations import stopped_conversations
from apps.evaluations.figures.queries.results import counts_of, find_evaluation
from apps.evaluations.models import Evaluation
from apps.reports.comparisons.domain.comparison import ConversationChange, Difference
from apps.reports.comparisons.queries.baseline import SuggestedBaseline, suggest_baseline
from apps.reports.comparisons.queries.comparing import Comparison, Moved, compare, titled
from apps.reports.comparisons.queries.comparison_side import Side
from apps.runs.domain.kind_traits import UNSEALED

OFFERED = 40  # evaluations to choose from, newest first
SHOWN = 50
LARGE = 600  # judgements on both sides together: fewer are compared within 0.15 s
WIDE = 100  # the plot's own units


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedLine:
    """A difference as it is drawn: the interval from `low` to `high`, the middle at `at`, of 0-100; 50 is none."""

    difference: Difference
    look: Badge
    low: float
    at: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedRow:
    moved: Moved
    look: Badge
    look_a: Badge
    look_b: Badge
    delta: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonPage:
    """Facts for the comparison.

    `problem` says why there is nothing to show; then the page has only the choice of two evaluations. `suggested` says
    why A was chosen where nobody did; `deferred`: large, so that the answer arrives as a second partial.
    """

    choices: Sequence[tuple[str, str]]
    a: str
    b: str
    only: str
    headline: Headline
    suggested: str = ""
    deferred: bool = False
    problem: str = ""
    found: Comparison | None = None
    reach: int = 1
    overall: ComparedLine | None = None
    lines: Sequence[ComparedLine] = ()
    tabs: Sequence[tuple[str, int, Badge]] = ()
    rows: Sequence[MovedRow] = ()
    mark: float = 6.0

    @property
    def chosen(self) -> tuple[str, ...]:
        """Return the ids of those that are compared."""
        return tuple(one for one in (self.a, self.b) if one)

    @property
    def moved_looks(self) -> str:
        """The badges of conversations."""
        return looks_of(self.found, "moved")

    @property
    def outcome_looks(self) -> str:
        """The badges of differences."""
        return looks_of(self.found, "outcome")


def comparison_page(*, a: str, b: str, only: str, now: bool, titles: Mapping[str, str] = NAMES) -> ComparisonPage:
    """Both named: the comparison; B alone: against the suggested baseline; else the choice. Seventeen queries at most.
    What is large is computed only `now`. Raises NotFound for an id that is not there."""
    choices = evaluation_choices()
    baseline = suggest_baseline(find_evaluation(b)) if b and not a else None
    suggestion = _suggestion(baseline) if b and not a else ""
    chosen = str(baseline.evaluation.pk) if baseline else a
    asking = Headline(text="Which of two is better, and for whom?", note="Choose two evaluations.")
    if len(choices) < 2 and not (chosen and b):
        text = "There are not yet two evaluations to compare"
        asking = Headline(
            text=text, note="Judge a run with two evaluator configs, or two runs with one, then come back."
        )
    page = ComparisonPage(choices=choices, a=chosen, b=b, only="", headline=asking, suggested=suggestion)
    if not (chosen and b):
        return page
    if not now and _judgements(chosen, b) > LARGE:
        text = "Comparing: intervals of so many conversations take a moment"
        return replace(page, headline=Headline(text=text), only=only, deferred=True)
    wanted = ConversationChange(only) if only in set(ConversationChange) else None
    try:
        comparison = compare(chosen, b, limit=SHOWN, only=wanted, titles=titles)
    except BadInput as error:
        if isinstance(error, NotFound):
            raise
        return replace(page, problem=error.message)
    return _compared(page, comparison, wanted, titles)


def _compared(
    page: ComparisonPage, found: Comparison, wanted: ConversationChange | None, titles: Mapping[str, str]
) -> ComparisonPage:
    everything = [found.overall, *found.differences]
    reach = max(1, *(ceil(max(map(abs, one.interval))) for one in everything if one.interval), 1)
    mark = 6.0 if not found.b.marks else sum(found.b.marks.values()) / len(found.b.marks)
    shown = [one for one in found.moved if wanted or one.change is not ConversationChange.SAME]
    outcome_looks, moved_looks = looks_of(found, "outcome"), looks_of(found, "moved")
    return replace(
        page,
        only=wanted.value if wanted else "",
        headline=_headline(found, titles),
        found=found,
        reach=reach,
        overall=_line(found.overall, reach, outcome_looks),
        lines=[_line(difference, reach, outcome_looks) for difference in sorted(found.differences, key=_fallen_first)],
        tabs=[(kind.value, count, look(moved_looks, kind.value)) for kind, count in found.counts.items()],
        rows=_moved_rows(found, shown, mark, titles, moved_looks),
        mark=mark,
    )


def evaluation_choices(run: UUID | None = None) -> list[tuple[str, str]]:
    """Return the newest completed evaluations as (id, label), no two labels alike; those of `run` where it is named.

    Asks two queries.
    """
    every: Any = Evaluation.objects.filter(run=run) if run else Evaluation.objects.filter(run__kind__in=UNSEALED)
    rows = list(
        every.filter(status="completed")
        .select_related("run")
        .only("id", "config_ref", "created_at", "subject", "run__id", "run__name", "run__kind")
        .order_by("-created_at")[:OFFERED]
    )
    counts = tallies(one.pk for one in rows)
    parts = []
    for row in rows:
        tally = counts.get(row.pk)
        score = f"{tally.shown} of {tally.total}" if tally and tally.score is not None else "no score"
        named = (str(row.run), words_of(row.subject), row.config_ref, score, f"{row.created_at:%-d %b %H:%M} UTC")
        parts.append(" · ".join(part for part in named if part))
    return list(
        zip((str(one.pk) for one in rows), distinct_labels(parts, [str(one.pk)[-6:] for one in rows]), strict=True)
    )


def _judgements(a: str, b: str) -> int:
    return sum(sum(counts_of(find_evaluation(one)).values()) for one in (a, b))


def _suggestion(baseline: SuggestedBaseline | None) -> str:
    if baseline is None:
        return "No earlier evaluation has the same agent, config, judge and 80 % of these cases: choose A yourself."
    at = f"{baseline.evaluation.created_at:%-d %b %H:%M} UTC"
    same = f"same agent, config and judge, {baseline.shared} of {baseline.cases} cases"
    return f"A was suggested: {baseline.evaluation.run}, {at} ({same}). Choose another above."


def _fallen_first(one: Difference) -> tuple[bool, float]:
    return one.mean is None, one.mean or 0.0


def _headline(found: Comparison, titles: Mapping[str, str]) -> Headline:
    counts: Mapping[ConversationChange, int] = found.counts
    changes = (
        ", ".join(f"{counts[kind]} {kind.value}" for kind in ConversationChange if counts[kind]) or "none in common"
    )
    pairs, trials = found.overall.pairs, found.overall.trials
    paired = many(pairs, "conversation") if trials == (pairs, pairs) else many(pairs, "case")
    a, b = (f"{_named(side)} of {side.evaluation.created_at:%-d %b %H:%M} UTC" for side in (found.a, found.b))
    if found.same_conversations:
        return Headline(text=found.sentence.rstrip("."), note=f"A is {a}, B is {b}. {paired} in pairs.")
    return decision_headline(
        overall=found.overall,
        criteria=titled(found.differences, titles),
        worse=counts[ConversationChange.WORSE],
        note=f"A is {a}, B is {b}. {paired} in pairs: {changes}.",
    )


def _named(side: Side) -> str:
    """Return the side's label; where that is only the letter, the evaluator."""
    return side.label if len(side.label) > 1 else side.evaluation.config_ref


def _line(one: Difference, reach: int, looks: str) -> ComparedLine:
    def place(value: float) -> float:
        return WIDE / 2 + WIDE / 2 * max(-reach, min(reach, value)) / reach

    low, high = one.interval or (one.mean or 0, one.mean or 0)
    shown = look(looks, one.outcome.value)
    return ComparedLine(difference=one, look=shown, low=place(low), at=place(one.mean or 0), high=place(high))


def _moved_rows(
    found: Comparison, shown: Sequence[Moved], mark: float, titles: Mapping[str, str], looks: str
) -> list[MovedRow]:
    a = stopped_conversations(found.a.evaluation, [one.conversation_a for one in shown if one.conversation_a])
    b = stopped_conversations(found.b.evaluation, [one.conversation_b for one in shown if one.conversation_b])
    rows = [
        _row(one, mark, a.get(one.conversation_a, ()), b.get(one.conversation_b, ()), titles, looks) for one in shown
    ]
    if not found.same_conversations:
        return rows
    return [replace(row, look_a=without_colour(row.look_a), look_b=without_colour(row.look_b)) for row in rows]


def _row(
    one: Moved, mark: float, stops_a: Sequence[str], stops_b: Sequence[str], titles: Mapping[str, str], looks: str
) -> MovedRow:
    delta = one.b - one.a if one.a is not None and one.b is not None else None
    return MovedRow(
        moved=one,
        look=look(looks, one.change.value),
        look_a=conversation_look(one.a, mark, stops_a, titles),
        look_b=conversation_look(one.b, mark, stops_b, titles),
        delta=delta,
    )
