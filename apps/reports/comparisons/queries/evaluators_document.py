"""Evaluators compared, as plain JSON: what the API and the command answer."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.core.documents import Count, Document, Id, Interval
from apps.core.shapes import described
from apps.reports.comparisons.domain.evaluators import PairAgreement
from apps.reports.comparisons.queries.evaluators import Evaluator, EvaluatorComparison, Opinion, ShownContradiction


class EvaluatorConsistencyDocument(Document, component="EvaluatorConsistency"):
    conversations: Annotated[Count, described("Judged more than once.")]
    answers: Count
    deviation: Annotated[
        float | None,
        described(
            "Standard deviation over repeats of one conversation, in points of the shared criteria; null "
            "where none was answered twice."
        ),
    ]
    interval: Annotated[Interval | None, described("95 % over conversations.")]


class EvaluatorOpinion(Document, component="EvaluatorOpinion"):
    label: str
    evaluation_id: Id
    score: float | None
    pass_mark: float | None
    reason: str
    evidence: Sequence[Mapping[str, Any]]


class EvaluatorComparisonEvaluator(Document):
    label: str
    evaluation_id: Id
    evaluator_config: str
    criteria: Count
    only_here: Sequence[str]
    scored: Count
    mean: Annotated[float | None, described("Of the shared criteria.")]
    consistency: EvaluatorConsistencyDocument


class EvaluatorComparisonAgreement(Document):
    a: str
    b: str
    criterion: Annotated[str | None, described("null: all shared ones.")]
    verdicts: Count
    alike: Count
    contradictions: Count
    difference: Annotated[float | None, described("The mean of b minus a.")]
    ac1: float | None
    interval: Interval | None


class EvaluatorComparisonContradiction(Document):
    conversation_id: Id
    conversation: str
    criterion: str
    apart: float | None
    turns: Annotated[Sequence[Count], described("Quoted by either.")]
    low: EvaluatorOpinion
    high: EvaluatorOpinion


class EvaluatorComparisonDocument(Document, component="EvaluatorComparison"):
    test_run_id: Id
    sentence: str
    most_consistent: Annotated[str | None, described("null where it cannot be told.")]
    shared_criteria: Sequence[str]
    reworded_criteria: Annotated[Sequence[str], described("Shared by name; the text differs.")]
    evaluators: Sequence[EvaluatorComparisonEvaluator]
    agreement: Sequence[EvaluatorComparisonAgreement]
    contradictions: Annotated[Sequence[EvaluatorComparisonContradiction], described("The widest first, at most 50.")]
    contradictions_in_all: Count


def evaluators_document(comparison: EvaluatorComparison) -> EvaluatorComparisonDocument:
    """Return the comparison of evaluators as the API's document.

    `agreement` has every two evaluators, first over all shared criteria (`criterion` null). `consistency.deviation` is
    in points of 0-10 over the shared criteria; `most_consistent` is null where it cannot be told.
    """
    labels = [evaluator.label for evaluator in comparison.evaluators]
    return EvaluatorComparisonDocument(
        test_run_id=str(comparison.run.pk),
        sentence=comparison.sentence,
        most_consistent=None if comparison.best is None else labels[comparison.best],
        shared_criteria=list(comparison.shared),
        reworded_criteria=list(comparison.reworded),
        evaluators=[
            _evaluator(evaluator, only)
            for evaluator, (_, only) in zip(comparison.evaluators, comparison.only, strict=True)
        ],
        agreement=[_agreement(pair, labels) for pair in comparison.pairs],
        contradictions=[_contradiction(contradiction) for contradiction in comparison.contradictions],
        contradictions_in_all=comparison.total,
    )


def _evaluator(evaluator: Evaluator, only: Sequence[str]) -> EvaluatorComparisonEvaluator:
    return EvaluatorComparisonEvaluator(
        label=evaluator.label,
        evaluation_id=str(evaluator.evaluation.pk),
        evaluator_config=evaluator.evaluation.config_ref,
        criteria=evaluator.criteria,
        only_here=list(only),
        scored=evaluator.scored,
        mean=evaluator.mean,
        consistency=EvaluatorConsistencyDocument(
            conversations=evaluator.consistency.conversations,
            answers=evaluator.consistency.answers,
            deviation=evaluator.consistency.deviation,
            interval=list(evaluator.consistency.interval) if evaluator.consistency.interval else None,
        ),
    )


def _agreement(agreement: PairAgreement, labels: Sequence[str]) -> EvaluatorComparisonAgreement:
    return EvaluatorComparisonAgreement(
        a=labels[agreement.first],
        b=labels[agreement.second],
        criterion=agreement.criterion or None,
        verdicts=agreement.ratings,
        alike=agreement.alike,
        contradictions=agreement.contradictions,
        difference=agreement.difference,
        ac1=agreement.ac1,
        interval=list(agreement.interval) if agreement.interval else None,
    )


def _contradiction(contradiction: ShownContradiction) -> EvaluatorComparisonContradiction:
    return EvaluatorComparisonContradiction(
        conversation_id=str(contradiction.conversation),
        conversation=contradiction.name,
        criterion=contradiction.criterion,
        apart=contradiction.apart,
        turns=list(contradiction.turns),
        low=_opinion(contradiction.low),
        high=_opinion(contradiction.high),
    )


def _opinion(opinion: Opinion) -> EvaluatorOpinion:
    return EvaluatorOpinion(
        label=opinion.label,
        evaluation_id=str(opinion.evaluation),
        score=opinion.score,
        pass_mark=opinion.mark,
        reason=opinion.reason,
        evidence=list(opinion.evidence),
    )
