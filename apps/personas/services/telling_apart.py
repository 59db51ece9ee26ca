"""How many different people a set of personas holds: one question over all of it, asked once, when it is written."""

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, record_calls
from apps.budgets.services.reservations import BudgetReservations
from apps.catalog.domain.persona_work import PersonaWorkStatus
from apps.catalog.models import GeneratedPersona, PersonaGeneration
from apps.core.errors import RatibaError
from apps.personas.domain.model_limits import gave_up, next_ask
from apps.personas.domain.same_people import (
    FEWEST,
    Group,
    PeopleOfSet,
    people_of,
    read_same_people,
    same_people_request,
)
from apps.personas.services.asking import PersonaQuestion, PersonaReply, ask_all
from apps.runs.services.model_roles import models_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


def tell_apart(row: PersonaGeneration, *, now: Callable[[], datetime]) -> datetime | None:
    """Ask the set's model which of its personas are the same person, and store what came, or why nothing did.

    None: it is over, nothing is owed. A time: the model limits us, ask again then. One question; none where it was
    asked before, or for fewer than two. A set never fails by it. Safe to repeat: whoever lost the lease stores nothing.
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
    until: list[datetime] = []

    def store(key: str, reply: PersonaReply[list[Group]]) -> None:
        until.extend(_after(row, made, reply, now()))

    reservations = BudgetReservations(holder=row.lease_token, now=now)
    try:
        ask_all({"same": question}, reservations=reservations, store=store)
    finally:
        reservations.release()
    return until[0] if until else None


def _question(row: PersonaGeneration, made: list[GeneratedPersona]) -> PersonaQuestion[list[Group]]:
    nonce, salt, many = secrets.token_hex(8), secrets.token_hex(8), len(made)
    request = same_people_request(
        [{"text": one.persona.text, "spec": one.persona.spec} for one in made],
        nonce=nonce,
        salt=salt,
        timeout_s=settings.MODEL_TIMEOUT_S * 3,  # a long question
    )
    return PersonaQuestion(
        request=request,
        read=lambda text: read_same_people(text, personas=many, nonce=nonce, salt=salt),
        models=models_of(row.model),
        call_for=CallFor(purpose=Purpose.PERSONA_VARIETY),
    )


def _after(
    row: PersonaGeneration, made: list[GeneratedPersona], reply: PersonaReply[list[Group]], now: datetime
) -> list[datetime]:
    """Book the calls and store the answer in one transaction; when to ask again, if a limit is waited for."""
    with transaction.atomic():
        record_calls(calls=reply.calls)
        if reply.value is not None:
            _store(row, people_of([one.slot for one in made], reply.value))
            return []
        why = reply.error[:300]
        if reply.wait_s is not None:
            since = row.limited_since or now
            minutes = workflow_config(current_slug()).agent_limit_minutes
            if not (given_up := gave_up(since=since, now=now, minutes=minutes)):
                _held(row).update(limited_since=since)
                return [next_ask(now + timedelta(seconds=reply.wait_s), since=since, minutes=minutes)]
            why = given_up
        _store(row, PeopleOfSet(of=len(made), why=why))
        return []


def _store(row: PersonaGeneration, found: PeopleOfSet) -> None:
    _held(row).filter(people__isnull=True).update(people=found.as_json(), limited_since=None)


def _held(row: PersonaGeneration) -> QuerySet[PersonaGeneration]:
    return PersonaGeneration.objects.filter(pk=row.pk, lease_token=row.lease_token, status=PersonaWorkStatus.PENDING)
