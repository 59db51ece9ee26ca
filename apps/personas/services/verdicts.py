"""Writing down how a validation stands: its verdict, a wait, a failure, or that the persona was edited meanwhile.

Each function changes nothing where the lease went to another worker.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services.paid_question import PaidReply
from apps.budgets.services.paid_rows import Delay
from apps.budgets.services.reservations import next_try
from apps.budgets.services.reserving import Refusal
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import Persona, PersonaValidation
from apps.catalog.personas.domain.work import PersonaWorkStatus
from apps.catalog.personas.services.releasing import record_validation
from apps.core.events import EventType, log_event
from apps.core.json_hygiene import storable
from apps.jobs.domain.losses import MAX_LOSSES
from apps.personas.domain.model_limits import gave_up, next_ask
from apps.personas.services.requesting import digest_of, subject_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

TRY_AGAIN = timedelta(minutes=1)  # the second wait is twice as long

_FREE: Mapping[str, Any] = {
    "lease_token": None,
    "lease_expires_at": None,
    "waiting_for": "",
    "limited_since": None,
}


def is_current(row: PersonaValidation) -> bool:
    """Tell whether the persona waits for its validation still, and is what the row judges. One query."""
    persona = Persona.objects.filter(pk=row.persona_id, status=PersonaStatus.PENDING_VALIDATION).first()
    return persona is not None and digest_of(subject_of(persona)) == row.digest


def record_verdict(
    row: PersonaValidation,
    *,
    now: datetime,
    rating: Mapping[str, Any] | None = None,
    probes: Sequence[Mapping[str, Any]] = (),
    broken: Sequence[str] = (),
    reason: str = "",
) -> None:
    """Give the persona its verdict, by the tenant's threshold and weights. Where it was edited meanwhile it gets none:
    the row is superseded, and another validation is owed."""
    rating = storable(dict(rating or row.rating))
    config = workflow_config(current_slug())
    with transaction.atomic():
        Persona.objects.select_for_update().filter(pk=row.persona_id).first()
        if not is_current(row):
            to = PersonaWorkStatus.SUPERSEDED
        else:
            to = PersonaWorkStatus.COMPLETED
            record_validation(
                persona_id=row.persona_id,
                scores=rating["scores"],
                threshold=config.persona_threshold,
                weights=config.persona_weights,
                reason=reason,
                reasons=rating["reasons"],
                model=rating["model"],
                probes=storable(list(probes)),
                broken=broken,
                text=row.subject["text"],
                spec=row.subject["spec"],
            )
        _advance(row, to, now=now, rating=rating, probes=storable(list(probes)))


def supersede(row: PersonaValidation, *, now: datetime) -> None:
    """End a validation whose persona has been edited meanwhile."""
    _advance(row, PersonaWorkStatus.SUPERSEDED, now=now)


def play_probes(row: PersonaValidation, *, rating: Mapping[str, Any], probe_run: Any) -> None:
    """Have a rated persona wait until its dialogues have been played.

    It passed on paper; the caller's transaction made their run too.
    """
    attempts = max(0, row.attempts - 1) if row.rating else 0  # tries of the dialogues are counted over all their runs
    fields = {"rating": storable(dict(rating)), "probe_run": probe_run, "attempts": attempts}
    PersonaValidation.objects.filter(pk=row.pk, lease_token=row.lease_token).update(
        **{**_FREE, **fields, "waiting_for": "probe dialogues"}
    )


def try_again(row: PersonaValidation, *, why: str, now: datetime, **changes: Any) -> Delay | None:
    """Try a validation again that could not be done.

    After MAX_LOSSES it has failed: the persona waits on, and the row says why.
    """
    if row.attempts >= MAX_LOSSES:
        _advance(row, PersonaWorkStatus.FAILED, now=now, error_message=storable(why), **changes)
        return None
    changes = {"limited_since": None, **changes}
    return Delay(until=now + TRY_AGAIN * row.attempts, why=why, counts=True, changes=changes)


def wait_or_try_again(row: PersonaValidation, reply: PaidReply[Any], *, now: datetime) -> Delay | None:
    """A question without an answer: money and limits are waited for and are no try, limits not for ever; all else is
    one."""
    if reply.refused is not None:
        return wait_for_money(reply.refused, now=now)
    if (until := reply.limited_until(now)) is not None:
        return _wait_for_model(row, reply.error, now=now, until=until)
    return try_again(row, why=reply.error, now=now)


def wait_for_money(no: Refusal, *, now: datetime) -> Delay:
    """Return the wait until money is there: a budget that is raised ends it (`end_budget_waits`)."""
    changes = {"wait_code": SPENT_CODE, "limited_since": None}
    return Delay(until=next_try(no, now=now), why=no.sentence, changes=changes)


def _wait_for_model(row: PersonaValidation, why: str, *, now: datetime, until: datetime) -> Delay | None:
    since, minutes = row.limited_since or now, workflow_config(current_slug()).agent_limit_minutes
    if given_up := gave_up(since=since, now=now, minutes=minutes):
        _advance(row, PersonaWorkStatus.FAILED, now=now, error_message=given_up)
        return None
    return Delay(until=next_ask(until, since=since, minutes=minutes), why=why, changes={"limited_since": since})


def _advance(row: PersonaValidation, to: PersonaWorkStatus, *, now: datetime, **fields: Any) -> None:
    PersonaValidation.objects.filter(lease_token=row.lease_token).advance(
        row.pk, expected=PersonaWorkStatus.PENDING, to=to, ended_at=now, **_FREE, **fields
    )
    log_event(EventType.PERSONA_VALIDATED, validation=str(row.pk), persona=str(row.persona_id), status=to.value)
