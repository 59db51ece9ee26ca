"""Judge a sample of a run's conversations: of real conversations, where not all are judged."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.core.inserting import insert_new, insert_together
from apps.core.subject import UNNAMED, Subject
from apps.evaluations.domain.samples import PAID_BY, SAMPLE
from apps.evaluations.domain.states import EVALUATION_ACTIVE, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.creating import (
    CreatedEvaluation,
    EvaluationRequest,
    evaluation_row,
    log_created,
)
from apps.evaluations.requests.services.panel_selection import SelectedJudges, generators_of_run, refuse_self_judging


def request_sample(
    *,
    chosen: SelectedJudges,
    run_id: uuid.UUID,
    conversation_ids: Sequence[uuid.UUID],
    sample: str,
    triggered_by: str,
    now: datetime,
    subject: Subject = UNNAMED,
    paid_by: str = "",
) -> uuid.UUID:
    """Request a judgement of each of these ended conversations of a run; return the evaluation's id.

    They join the newest unfinished evaluation of this `sample` (a name), run and version, else a new one, which ends as
    soon as they are judged. `chosen` comes from `creating.choose`. Safe to repeat: nothing is judged twice in such an
    evaluation. `paid_by` names a share of the month (budgets SAMPLING) that pays for each call; "" is the month itself.
    Costs no model call: workers make them. Raises Conflict (`judge_is_generator`). Five statements.
    """
    with transaction.atomic():
        going = Evaluation.objects.select_for_update(no_key=True).filter(
            run_id=run_id, status__in=EVALUATION_ACTIVE, options__sample=sample, config_ref=chosen.snapshot.ref
        )
        evaluation_id = going.order_by("-pk").values_list("pk", flat=True).first()
        if evaluation_id is None:
            request = EvaluationRequest(
                config=chosen.snapshot.ref, triggered_by=triggered_by, subject=subject.as_json()
            )
            paid = {PAID_BY: paid_by} if paid_by else {}
            evaluation_id = _new(chosen, run_id, request, {SAMPLE: sample, **paid}, now)
        insert_new(
            [
                Judgement(
                    created_at=now, evaluation_id=evaluation_id, conversation_id=id, status=JudgementStatus.PENDING
                )
                for id in conversation_ids
            ]
        )
    return evaluation_id


def _new(
    chosen: SelectedJudges, run_id: uuid.UUID, request: EvaluationRequest, options: Mapping[str, Any], now: datetime
) -> uuid.UUID:
    judges = refuse_self_judging(chosen, generators=generators_of_run(run_id))
    evaluation = evaluation_row(judges, request, {}, now)
    evaluation.options = {**evaluation.options, **options}
    evaluation.run_id = run_id
    insert_together([evaluation])
    return log_created(CreatedEvaluation(evaluation_id=evaluation.id, run_id=run_id)).evaluation_id
