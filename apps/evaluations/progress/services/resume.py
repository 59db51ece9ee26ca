"""Going on where money ran out: exactly what was owed, and nothing that was judged already."""

import uuid
from datetime import datetime

from django.db.models import QuerySet

from apps.budgets.domain.scopes import Scope
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services.limits import lift_stops
from apps.core.errors import Conflict
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Judgement
from apps.jobs.services.money_waits import end_money_waits
from apps.runs.playing.services.control import resume_run
from apps.runs.playing.services.reservations import resume_unpaid
from apps.tenants.context import current_slug


def resume(*, run_id: uuid.UUID, now: datetime) -> None:
    """Go on with a run that is paused, or whose judging waits for money: what is owed is tried again now.

    Raises NotFound, and Conflict where the run is not paused and nothing of it waits for money. Safe to repeat.
    """
    waiting = Judgement.objects.filter(evaluation__run_id=run_id)
    released = _release(waiting)
    try:
        resume_run(run_id=run_id, now=now)
    except Conflict:
        if not released:
            raise


def resume_after_budget_raise(*, now: datetime) -> list[Scope]:
    """Every tick: where a budget has been raised or its month is over, let work go on; which budgets these were.

    One query where no budget is stopped, one more for each kind of work that pays. What still cannot be paid will wait
    again. Safe to repeat and to race.
    """
    lifted = lift_stops(now=now)
    if lifted:
        _release(Judgement.objects.all())
        resume_unpaid(now=now)
        end_money_waits(tenant=current_slug())
    return lifted


def _release(judgements: QuerySet[Judgement]) -> int:
    return judgements.filter(status=JudgementStatus.PENDING, error_code=SPENT_CODE).update(
        error_code="", not_before=None, waiting_for=""
    )
