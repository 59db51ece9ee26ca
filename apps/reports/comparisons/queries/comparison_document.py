"""A comparison as plain JSON: what the API and the command answer."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from apps.core.documents import Count, Document, Id, Interval, counted, one_of
from apps.core.shapes import described
from apps.evaluations.domain.warnings import WarningCodes
from apps.reports.comparisons.domain.comparison import ComparisonOutcome, ConversationChange, Difference
from apps.reports.comparisons.queries.comparing import Comparison, Moved
from apps.reports.comparisons.queries.comparison_side import Side


class ComparedSide(Document, component="ComparedSide"):
    evaluation_id: Id
    test_run_id: Id
    evaluator_config: str
    label: str
    fingerprints: Sequence[str]
    scored: Count
    left_out: Annotated[Count, described("Scored by a fallback model, which this version leaves out.")]


class DifferenceDocument(Document, component="Difference"):
    criterion: str
    pairs: Count
    clusters: Annotated[Count, described("Trials of one case count once.")]
    trials_a: Annotated[Count, described("Conversations of a behind the pairs.")]
    trials_b: Count
    mean_a: float | None
    mean_b: float | None
    difference: Annotated[float | None, described("b minus a, in points of 0-10.")]
    interval: Interval | None
    p: Annotated[float | None, described("Sign-flip permutation, two-sided.")]
    p_adjusted: Annotated[float | None, described("After Holm over all criteria and the overall score.")]
    passes_only_a: int | None
    passes_only_b: int | None
    p_passes: Annotated[float | None, described("McNemar, exact.")]
    outcome: Annotated[str, one_of(ComparisonOutcome)]
    needs_about: Annotated[int | None, described("How many more cases it takes to tell.")]


class ComparedConversation(Document, component="ComparedConversation"):
    conversation_id: str
    change: Annotated[str, one_of(ConversationChange)]
    a: float | None
    b: float | None
    conversation_a: Id | None
    conversation_b: Id | None
    criterion: str | None
    reason: str
    trials_a: Annotated[Count, described("More than one: the mean of a case's trials is compared.")]
    trials_b: Count


class ComparisonConsistency(Document):
    conversations: Count
    a: float
    b: float
    interval: Interval | None


class ComparisonDocument(Document, component="Comparison"):
    a: ComparedSide
    b: ComparedSide
    decision: Annotated[str, described("The answer in a sentence.")]
    same_conversations: Annotated[
        bool, described("Two evaluations of one run: b_better says b judges more mildly; no agent is compared.")
    ]
    notes: Sequence[str]
    note_codes: WarningCodes
    overall: DifferenceDocument
    criteria: Sequence[DifferenceDocument]
    counts: Annotated[Mapping[str, int], counted(ConversationChange)]
    conversations: Sequence[ComparedConversation]
    consistency: ComparisonConsistency | None


def comparison_document(comparison: Comparison) -> ComparisonDocument:
    """Build the document of a comparison.

    `differences` are b minus a in points of 0-10; `outcome` is b_better, a_better, no_difference or cannot_tell. With
    `same_conversations` (two evaluations of one run) b_better means that b judges more mildly.
    """
    consistency = comparison.consistency
    return ComparisonDocument(
        a=_side(comparison.a),
        b=_side(comparison.b),
        decision=comparison.sentence,
        same_conversations=comparison.same_conversations,
        notes=[note.text for note in comparison.notes],
        note_codes=[note.code.value for note in comparison.notes],
        overall=_difference(comparison.overall),
        criteria=[_difference(difference) for difference in comparison.differences],
        counts={kind.value: count for kind, count in comparison.counts.items()},
        conversations=[_moved(one) for one in comparison.moved],
        consistency=None
        if consistency is None
        else ComparisonConsistency(
            conversations=consistency.conversations,
            a=consistency.a,
            b=consistency.b,
            interval=consistency.interval,
        ),
    )


def _side(side: Side) -> ComparedSide:
    return ComparedSide(
        evaluation_id=str(side.evaluation.id),
        test_run_id=str(side.evaluation.run_id),
        evaluator_config=side.evaluation.config_ref,
        label=side.label,
        fingerprints=list(side.fingerprints),
        scored=len(side.scored),
        left_out=side.left_out,
    )


def _difference(difference: Difference) -> DifferenceDocument:
    return DifferenceDocument(
        criterion=difference.name,
        pairs=difference.pairs,
        clusters=difference.clusters,
        trials_a=difference.trials[0],
        trials_b=difference.trials[1],
        mean_a=difference.mean_a,
        mean_b=difference.mean_b,
        difference=difference.mean,
        interval=difference.interval,
        p=difference.chance,
        p_adjusted=difference.adjusted,
        passes_only_a=difference.passes[0] if difference.passes else None,
        passes_only_b=difference.passes[1] if difference.passes else None,
        p_passes=difference.passes_chance,
        outcome=difference.outcome.value,
        needs_about=difference.needed,
    )


def _moved(one: Moved) -> ComparedConversation:
    return ComparedConversation(
        conversation_id=one.name,
        change=one.change.value,
        a=one.a,
        b=one.b,
        conversation_a=str(one.conversation_a) if one.conversation_a else None,
        conversation_b=str(one.conversation_b) if one.conversation_b else None,
        criterion=one.criterion or None,
        reason=one.reason,
        trials_a=one.trials[0],
        trials_b=one.trials[1],
    )
