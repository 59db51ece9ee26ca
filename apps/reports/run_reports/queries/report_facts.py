"""The facts of a run that a model gets before it writes the summary of the run's report."""

import uuid

from django.db.models import F

from apps.evaluations.domain.states import EvaluationStatus
from apps.evaluations.figures.queries.aggregates import sums_of
from apps.evaluations.figures.queries.results import counts_of
from apps.evaluations.models import CriterionScore, Evaluation
from apps.reports.results.queries.evaluation_document import criterion_documents, verdicts_of
from apps.reports.run_reports.domain.report_summary import CriterionFact, LowScore, ReportFacts, report_facts
from apps.reports.run_reports.queries.report_summaries import basis_digest
from apps.reports.run_reports.queries.run_report import report_of_rows

MAX_LOW_SCORES = 60


def facts_of_run(run_id: uuid.UUID) -> tuple[ReportFacts, str]:
    """The facts, and the digest of what they come from. Eleven queries, some eight for each evaluation that is
    complete. Raises NotFound, and Conflict `not_ended`."""
    report = report_of_rows(run_id)
    evaluations = list(Evaluation.objects.filter(run=run_id, status=EvaluationStatus.COMPLETED).order_by("id"))
    criteria = [fact for evaluation in evaluations for fact in _criteria(evaluation)]
    return report_facts(report, criteria, _low_scores(evaluations)), basis_digest(run_id, report)


def _criteria(evaluation: Evaluation) -> list[CriterionFact]:
    scored = counts_of(evaluation)["scored"]
    sums = sums_of(evaluation, scored=scored)
    verdicts = verdicts_of(evaluation, sums, scored)["criterion_verdicts"]
    return [
        CriterionFact(
            criterion=document["criterion"],
            evaluator=evaluation.config_ref,
            mean=document["mean"],
            scored=document["scored"],
            failed=document["verdicts"]["fail"],
        )
        for document in criterion_documents(sums, verdicts, {})
        if document["mean"] is not None
    ]


def _low_scores(evaluations: list[Evaluation]) -> list[LowScore]:
    names = {evaluation.pk: evaluation.config_ref for evaluation in evaluations}
    rows = CriterionScore.objects.filter(judgement__evaluation__in=names, status="scored", score__lt=F("pass_mark"))
    rows_read = rows.order_by("score", "id").values_list(
        "judgement__conversation_id", "judgement__evaluation_id", "criterion", "score", "reason"
    )[:MAX_LOW_SCORES]
    return [
        LowScore(
            conversation=str(conversation), criterion=criterion, evaluator=names[evaluation], score=score, reason=reason
        )
        for conversation, evaluation, criterion, score, reason in rows_read
        if score is not None
    ]
