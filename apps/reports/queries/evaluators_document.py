"""Evaluators compared, as plain JSON: what the API and the command answer."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.core.documents import Count, Document, Id, Interval
from apps.core.shapes import described
from apps.reports.domain.evaluators import PairAgreement
from apps.reports.queries.evaluators import Evaluator, EvaluatorComparison, Opinion, ShownContradiction


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


def evaluators_document(found: EvaluatorComparison) -> EvaluatorComparisonDocument:
    """Return the comparison of evaluators as the API's document.

    `agreement` has every two evaluators, first over all shared criteria (`criterion` null). `consistency.deviation` is
    in points of 0-10 over the shared criteria; `most_consistent` is null where it cannot be told.
    """
    labels = [evaluator.label for evaluator in found.evaluators]
    return EvaluatorComparisonDocument(
        test_run_id=str(found.run.pk),
        sentence=found.sentence,
        most_consistent=None if found.best is None else labels[found.best],
        shared_criteria=list(found.shared),
        reworded_criteria=list(found.reworded),
        evaluators=[_evaluator(one, only) for one, (_, only) in zip(found.evaluators, found.only, strict=True)],
        agreement=[_agreement(pair, labels) for pair in found.pairs],
        contradictions=[_contradiction(contradiction) for contradiction in found.contradictions],
        contradictions_in_all=found.total,
    )


def _evaluator(one: Evaluator, only: Sequence[str]) -> EvaluatorComparisonEvaluator:
    return EvaluatorComparisonEvaluator(
        label=one.label,
        evaluation_id=str(one.evaluation.pk),
        evaluator_config=one.evaluation.config_ref,
        criteria=one.criteria,
        only_here=list(only),
        scored=one.scored,
        mean=one.mean,
        consistency=EvaluatorConsistencyDocument(
            conversations=one.consistency.conversations,
            answers=one.consistency.answers,
            deviation=one.consistency.deviation,
            interval=list(one.consistency.interval) if one.consistency.interval else None,
        ),
    )


def _agreement(one: PairAgreement, labels: Sequence[str]) -> EvaluatorComparisonAgreement:
    return EvaluatorComparisonAgreement(
        a=labels[one.first],
        b=labels[one.second],
        criterion=one.criterion or None,
        verdicts=one.ratings,
        alike=one.alike,
        contradictions=one.contradictions,
        difference=one.difference,
        ac1=one.ac1,
        interval=list(one.interval) if one.interval else None,
    )


def _contradiction(one: ShownContradiction) -> EvaluatorComparisonContradiction:
    return EvaluatorComparisonContradiction(
        conversation_id=str(one.conversation),
        conversation=one.name,
        criterion=one.criterion,
        apart=one.apart,
        turns=list(one.turns),
        low=_opinion(one.low),
        high=_opinion(one.high),
    )


def _opinion(one: Opinion) -> EvaluatorOpinion:
    return EvaluatorOpinion(
        label=one.label,
        evaluation_id=str(one.evaluation),
        score=one.score,
        pass_mark=one.mark,
        reason=one.reason,
        evidence=list(one.evidence),
    )
