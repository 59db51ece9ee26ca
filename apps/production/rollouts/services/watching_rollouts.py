"""Each minute: assign arms, choose what is judged, compare, and end a rollout where a rule says so."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.core.events import EventType, log_event
from apps.production.rollouts.domain.rules import loss_sentence, promotion_refusals, worse
from apps.production.rollouts.domain.states import RolloutStatus
from apps.production.rollouts.models import Rollout
from apps.production.rollouts.queries.figures import rollout_figures
from apps.production.rollouts.services.arms import assign_arms, choose_judged
from apps.production.rollouts.services.steering import end
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

EVERY = timedelta(minutes=1)
LATE = timedelta(minutes=30)  # what is settled at the end still has to be judged; nobody gets the canary meanwhile


def look_at_rollouts(*, now: datetime) -> int:
    """Look at every running rollout that is due; return how many.
    Each in a transaction of its own; safe to repeat and to race: who holds a row looks at it."""
    due = Rollout.objects.filter(status=RolloutStatus.RUNNING, look_at__lte=now).order_by("look_at")
    return sum(_look(row_id, now) for row_id in list(due.values_list("pk", flat=True)))


@transaction.atomic
def _look(row_id: UUID, now: datetime) -> bool:
    rows = Rollout.objects.select_for_update(of=("self",), skip_locked=True)
    row = rows.select_related("line", "stable", "canary").filter(pk=row_id, status=RolloutStatus.RUNNING).first()
    if row is None or row.look_at > now:
        return False
    assign_arms(row, now=now)
    problem = choose_judged(row, now=now)
    figures = rollout_figures(row)
    row.figures = figures.as_json() | ({"problem": problem} if problem else {})
    row.looked_at, row.look_at = now, now + EVERY
    if row.line.live_id != row.stable_id:
        _end(row, RolloutStatus.STOPPED, "Stopped: another prompt went live.", now)
    elif lost := worse(figures.readings):
        sentence = f"Rolled back by the rule: {'; '.join(map(loss_sentence, lost))}."
        _end(row, RolloutStatus.ROLLED_BACK, sentence, now)
    elif now >= row.ends_at + _late() and (
        refusals := promotion_refusals(figures.readings, started_at=row.created_at, now=now, margin=row.margin)
    ):
        why = " ".join(refusal.sentence for refusal in refusals)
        sentence = f"Its time is over, and it was not shown that the canary is no worse. {why}"
        _end(row, RolloutStatus.INCONCLUSIVE, sentence, now)
    else:
        row.save(update_fields=["figures", "looked_at", "look_at", "settled_until"])
    return True


def _end(row: Rollout, status: RolloutStatus, sentence: str, now: datetime) -> None:
    end(row, status, by="", now=now, sentence=sentence, figures=row.figures)
    kind = EventType.ROLLOUT_ROLLED_BACK if status is RolloutStatus.ROLLED_BACK else EventType.ROLLOUT_ENDED
    log_event(kind, rollout=str(row.pk), role=row.line.name, status=status.value, by="", reason=sentence)


def _late() -> timedelta:
    """Return how long after a rollout's end its last conversations may take to settle and to be judged."""
    return LATE + timedelta(minutes=workflow_config(current_slug()).settle_minutes)
