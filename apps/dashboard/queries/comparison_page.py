"""What the page of two evaluations shows: the decision, each criterion's difference, and what became of whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from apps.core.errors import BadInput, NotFound
from apps.dashboard.domain.badges import Badge, look, score_look
from apps.dashboard.domain.sentences import Headline
from apps.evaluations.models import Evaluation
from apps.reports.domain.comparison import ConversationChange, Difference
from apps.reports.queries.comparing import Comparison, Moved, compare
from apps.reports.queries.comparison_side import Side

OFFERED = 40  # evaluations to choose from, newest first
SHOWN = 50
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
    """`problem` says why there is nothing to show; then only the choice of two evaluations is."""

    choices: Sequence[Evaluation]
    a: str
    b: str
    only: str
    headline: Headline
    problem: str = ""
    found: Comparison | None = None
    reach: int = 1
    overall: ComparedLine | None = None
    lines: Sequence[ComparedLine] = ()
    tabs: Sequence[tuple[str, int, Badge]] = ()
    rows: Sequence[MovedRow] = ()
    mark: float = 6.0


def comparison_page(*, a: str, b: str, only: str) -> ComparisonPage:
    """Both named: the comparison; else the choice. Ten queries at most. Raises NotFound for an id that is not there."""
    choices = list(
        Evaluation.objects.filter(status="completed")
        .select_related("run")
        .only("id", "config_ref", "created_at", "subject", "run__id", "run__name", "run__kind")
        .order_by("-created_at")[:OFFERED]
    )
    wanted = ConversationChange(only) if only in set(ConversationChange) else None
    asking = Headline(text="Which of two is better, and for whom?", note="Choose what there was and what was tried.")
    if len(choices) < 2 and not (a and b):
        text = "There are not yet two evaluations to compare"
        asking = Headline(text=text, note="Judge a run with two evaluators, or two runs with one, then come back.")
    if not (a and b):
        return ComparisonPage(choices=choices, a=a, b=b, only="", headline=asking)
    try:
        found = compare(a, b, limit=SHOWN, only=wanted)
    except NotFound:
        raise
    except BadInput as error:
        return ComparisonPage(choices=choices, a=a, b=b, only="", headline=asking, problem=error.message)
    everything = [found.overall, *found.differences]
    reach = max(1, *(ceil(max(map(abs, one.interval))) for one in everything if one.interval), 1)
    mark = 6.0 if not found.b.marks else sum(found.b.marks.values()) / len(found.b.marks)
    return ComparisonPage(
        choices=choices,
        a=a,
        b=b,
        only=wanted.value if wanted else "",
        headline=_headline(found),
        found=found,
        reach=reach,
        overall=_line(found.overall, reach),
        lines=[_line(one, reach) for one in found.differences],
        tabs=[(kind.value, count, look("moved", kind.value)) for kind, count in found.counts.items()],
        rows=[_row(one, mark) for one in found.moved],
        mark=mark,
    )


def _headline(found: Comparison) -> Headline:
    """The decision; what got worse stands apart, in red."""
    text, mark, worse = found.sentence.rpartition("; ")
    if not (mark and worse.endswith("got worse.")):
        text, worse = found.sentence, ""
    counts: Mapping[ConversationChange, int] = found.counts
    told = ", ".join(f"{counts[kind]} {kind.value}" for kind in ConversationChange if counts[kind]) or "none in common"
    pairs, trials = found.overall.pairs, found.overall.trials
    paired = f"{pairs} conversations" if trials == (pairs, pairs) else f"{pairs} cases"
    a, b = (f"{_named(side)} of {side.evaluation.created_at:%-d %b %H:%M}" for side in (found.a, found.b))
    note = f"A is {a}, B is {b}. {paired} in pairs: {told}."
    return Headline(text=text + (", but " if worse else ""), but=worse.removesuffix("."), note=note)


def _named(side: Side) -> str:
    """Its label; where that is only the letter, the evaluator."""
    return side.label if len(side.label) > 1 else side.evaluation.config_ref


def _line(one: Difference, reach: int) -> ComparedLine:
    def place(value: float) -> float:
        return WIDE / 2 + WIDE / 2 * max(-reach, min(reach, value)) / reach

    low, high = one.interval or (one.mean or 0, one.mean or 0)
    shown = look("outcome", one.outcome.value)
    return ComparedLine(difference=one, look=shown, low=place(low), at=place(one.mean or 0), high=place(high))


def _row(one: Moved, mark: float) -> MovedRow:
    delta = one.b - one.a if one.a is not None and one.b is not None else None
    return MovedRow(
        moved=one,
        look=look("moved", one.change.value),
        look_a=score_look(one.a, mark),
        look_b=score_look(one.b, mark),
        delta=delta,
    )
