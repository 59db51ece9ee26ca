"""Count the different people in a set of personas by one question over all of it.

It is asked once, when the set is written.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import Delay, PaidTask
from apps.catalog.models import GeneratedPersona, PersonaGeneration
from apps.catalog.personas.domain.work import PersonaWorkStatus
from apps.core.errors import RatibaError
from apps.core.question_secrets import fresh_nonce, fresh_salt
from apps.personas.domain.model_limits import gave_up, next_ask
from apps.personas.domain.same_people import (
    FEWEST,
    Group,
    PeopleOfSet,
    people_of,
    read_same_people,
    same_people_request,
)
from apps.runs.services.model_roles import models_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

SAME = "same"


def people_to_tell_apart(row: PersonaGeneration, *, then: Callable[[datetime], Any]) -> PaidTask | None:
    """Return the task that asks which personas of a set are the same person; `then` the set ends.

    None where it was asked before, for fewer than FEWEST, or without a provider. It stores the answer, or why there is
    none, and never fails the set. Safe to repeat: whoever lost the lease stores nothing.
    """
    if row.people is not None:
        return None
    made = list(GeneratedPersona.objects.filter(generation=row).select_related("persona").order_by("slot"))
    if len(made) < FEWEST:
        return None
    try:
        question = _question(row, made)
    except RatibaError as error:  # its provider is gone
        _store(row, PeopleOfSet(of=len(made), why=error.message))
        return None
    return PaidTask(questions={SAME: question}, finish=partial(_after, row, made, then), waits_for_money=False)


def _question(row: PersonaGeneration, made: list[GeneratedPersona]) -> PaidQuestion[list[Group]]:
    nonce, salt, many = fresh_nonce(), fresh_salt(), len(made)
    request = same_people_request(
        [{"text": persona.persona.text, "spec": persona.persona.spec} for persona in made],
        nonce=nonce,
        salt=salt,
        timeout_s=settings.MODEL_TIMEOUT_S * 3,  # a long question
    )
    return PaidQuestion(
        requests=twice(request),
        read=lambda text: read_same_people(text, personas=many, nonce=nonce, salt=salt),
        models=models_of(row.model),
        call_for=CallFor(purpose=Purpose.PERSONA_VARIETY),
    )


def _after(
    row: PersonaGeneration,
    made: list[GeneratedPersona],
    then: Callable[[datetime], Any],
    replies: Mapping[Any, PaidReply[list[Group]]],
    now: datetime,
) -> Delay | None:
    """Store the answer, and end the set; or when to ask again, if a limit is waited for."""
    reply = replies[SAME]
    if reply.value is not None:
        _store(row, people_of([persona.slot for persona in made], reply.value))
    elif (until := reply.limited_until(now)) is not None:
        since = row.limited_since or now
        minutes = workflow_config(current_slug()).agent_limit_minutes
        if not (why := gave_up(since=since, now=now, minutes=minutes)):
            until = next_ask(until, since=since, minutes=minutes)
            return Delay(until=until, why=reply.error, changes={"limited_since": since, "attempts": 0})
        _store(row, PeopleOfSet(of=len(made), why=why))
    else:
        _store(row, PeopleOfSet(of=len(made), why=reply.error[:300]))
    then(now)
    return None


def _store(row: PersonaGeneration, people_of_set: PeopleOfSet) -> None:
    _held(row).filter(people__isnull=True).update(people=people_of_set.as_json(), limited_since=None)


def _held(row: PersonaGeneration) -> QuerySet[PersonaGeneration]:
    return PersonaGeneration.objects.filter(pk=row.pk, lease_token=row.lease_token, status=PersonaWorkStatus.PENDING)
