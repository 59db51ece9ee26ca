"""Versions of a prompt beside each other as plain JSON: what the API and the command answer."""

from collections.abc import Sequence
from typing import Annotated

from apps.core.documents import Count, Document, Id, Interval, members, one_of
from apps.core.shapes import described
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.version_matrix import (
    LEVEL,
    DifferenceCell,
    MissingFigure,
    MissingVersion,
    VersionStanding,
)
from apps.improvement.drafts.queries.version_comparison import ComparedVersion, VersionComparison
from apps.reports.comparisons.domain.comparison import ComparisonOutcome


class PromptFigure(Document, component="PromptFigure"):
    name: str
    missing: Annotated[
        Annotated[str, one_of(MissingFigure)] | None,
        described("too_few_families: a difference without an interval; else there is none."),
    ]
    pairs: Count
    families: Annotated[Count, described("Scenario families: the clusters of the interval.")]
    mean_first: float | None
    mean: float | None
    difference: Annotated[float | None, described("This version minus the first one; null where `missing` says why.")]
    interval: Interval | None


class PromptDifference(PromptFigure, component="PromptDifference"):
    p: Annotated[float | None, described("Sign-flip permutation over families, two-sided.")]
    p_adjusted: Annotated[float | None, described("After Holm over all criteria and the overall score.")]
    outcome: Annotated[str, one_of(ComparisonOutcome)]
    needs_about: Annotated[int | None, described("How many more families it takes to tell.")]


class PromptStanding(Document, component="PromptStanding"):
    prompt_version: str
    standing: Annotated[str, one_of(VersionStanding)]
    draft: Id | None
    draft_status: Annotated[str, one_of(DraftStatus)] | None


class PromptVersionRowMissing(Document):
    code: Annotated[str, one_of(MissingVersion)]
    sentence: str


class PromptVersionRow(PromptStanding, component="PromptVersionRow"):
    missing: PromptVersionRowMissing | None
    sentence: str
    pairs: Count
    hold_out_pairs: Annotated[Count, described("Of a trial's hold-out: in the means, never named.")]
    got_worse: Annotated[Count, described("Pairs that fell by half a point or more.")]
    got_better: Count
    overall: PromptDifference | None
    criteria: Sequence[PromptDifference]
    measures: Annotated[Sequence[PromptFigure], described("cost_usd, latency_ms, reply_chars.")]


class PromptComparisonJudge(Document):
    evaluator_config: str
    fingerprint: str
    others: Annotated[Count, described("Other judges that scored these versions: left out, never subtracted.")]


class PromptComparisonDocument(Document, component="PromptComparison"):
    prompt: str
    first: PromptStanding
    decision: Annotated[str, described("The answer in a sentence.")]
    scenarios: Sequence[str] | None
    judge: PromptComparisonJudge | None
    criteria: Annotated[Sequence[str], described("The largest loss first.")]
    confidence: float | None
    versions: Sequence[PromptVersionRow]


def version_document(comparison: VersionComparison) -> PromptComparisonDocument:
    """Build the document of a comparison.

    `difference` is the version minus the first one, in points of 0-10 or the measure's own unit; null where `missing`
    says why. Conversations of a hold-out are counted and never named.
    """
    judge = comparison.judge
    return PromptComparisonDocument(
        prompt=comparison.first.prompt.name,
        first=_standing(comparison.first),
        decision=comparison.sentence,
        scenarios=None if comparison.question.scenarios is None else list(comparison.question.scenarios),
        judge=None
        if judge is None
        else PromptComparisonJudge(
            evaluator_config=judge.config,
            fingerprint=judge.fingerprint,
            others=judge.others,
        ),
        criteria=list(comparison.criteria),
        confidence=1 - 2 * LEVEL,
        versions=[_row(row, comparison) for row in comparison.rows],
    )


def _standing(row: ComparedVersion) -> PromptStanding:
    return PromptStanding(
        prompt_version=row.prompt.version,
        standing=row.standing.value,
        draft=None if row.draft is None else str(row.draft.pk),
        draft_status=None if row.draft is None else row.draft.status,
    )


def _row(row: ComparedVersion, comparison: VersionComparison) -> PromptVersionRow:
    figures = row.figures
    return PromptVersionRow(
        **members(_standing(row)),
        missing=None if row.missing is None else PromptVersionRowMissing(code=row.missing.value, sentence=row.why),
        sentence=row.sentence,
        pairs=row.pairs,
        hold_out_pairs=row.hold_out,
        got_worse=row.worse,
        got_better=row.better,
        overall=None if figures is None else _scored(figures.overall),
        criteria=[] if figures is None else [_scored(row.cells[name]) for name in comparison.criteria],
        measures=[] if figures is None else [_cell(measure) for measure in figures.measures],
    )


def _cell(cell: DifferenceCell) -> PromptFigure:
    one = cell.difference
    return PromptFigure(
        name=one.name,
        missing=None if cell.missing is None else cell.missing.value,
        pairs=one.pairs,
        families=one.clusters,
        mean_first=one.mean_a,
        mean=one.mean_b,
        difference=one.mean,
        interval=None if one.interval is None else list(one.interval),
    )


def _scored(cell: DifferenceCell) -> PromptDifference:
    one = cell.difference
    return PromptDifference(
        **members(_cell(cell)),
        p=one.chance,
        p_adjusted=one.adjusted,
        outcome=one.outcome.value,
        needs_about=one.needed,
    )
