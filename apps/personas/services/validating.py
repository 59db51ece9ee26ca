"""Validating personas: rated by a model, then tried out in probe dialogues that their own rubrics judge.

A row goes through two stages, and its lease is given back between them: the dialogues are conversations, played by the
workers of battles. What falls through on paper is not played. A persona is rejected by a verdict only, never by an
answer that could not be read or a model that was away: then it waits on, and the row says why.
"""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import Delay, PaidRows, PaidTask
from apps.budgets.services.paid_work import do_paid_work
from apps.budgets.services.reserving import Refusal
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import PersonaValidation
from apps.catalog.personas.domain.rules import judge_persona
from apps.core.errors import RatibaError
from apps.core.question_secrets import fresh_nonce
from apps.jobs.services.leases import LeasedTable
from apps.personas.domain.rating import PersonaRating, rating_request, read_rating
from apps.personas.services.requesting import enqueue_validations
from apps.personas.services.trying_out import probes_to_judge, start_probe_dialogues
from apps.personas.services.verdicts import (
    is_current,
    play_probes,
    record_verdict,
    supersede,
    try_again,
    wait_for_money,
    wait_or_try_again,
)
from apps.runs.services.model_roles import models_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

LEASE = timedelta(minutes=10)
VALIDATIONS = LeasedTable(
    table="catalog_personavalidation",
    lease=LEASE,
    counter="attempts",
    pending="""w.status = 'pending' AND (w.probe_run IS NULL OR NOT EXISTS (
      SELECT 1 FROM runs_conversation c WHERE c.run_id = w.probe_run AND c.status IN ('pending', 'running')))""",
    also_set=", wait_code = ''",
)


def validate_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Create missing validations and do due ones until `until`; return whether some are due then.
    Safe to repeat and to race."""
    enqueue_validations()
    return do_paid_work(ValidationRows(), now=now, until=until).more


class ValidationRows(PaidRows[PersonaValidation]):
    """Personas to be validated: one question rates one on paper, and each of its probe dialogues is another."""

    table = VALIDATIONS
    doing = "validating it"

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[PersonaValidation]:
        return list(PersonaValidation.objects.filter(pk__in=ids).order_by("created_at", "id"))

    def take_up(self, row: PersonaValidation, now: datetime) -> PaidTask | Delay | None:
        if not is_current(row):
            supersede(row, now=now)
        elif not row.rating:
            return super().take_up(row, now)
        elif row.probe_run is None:  # its dialogues are to be played once more
            _next_stage(row, row.rating, now)
        else:
            return probes_to_judge(row, now=now)
        return None

    def question(self, row: PersonaValidation) -> PaidQuestion[PersonaRating]:
        nonce = fresh_nonce()
        return PaidQuestion(
            requests=twice(rating_request(row.subject, nonce=nonce, timeout_s=settings.MODEL_TIMEOUT_S)),
            read=lambda text: read_rating(text, nonce=nonce),
            models=models_of(row.model),
            call_for=CallFor(purpose=Purpose.PERSONA_VALIDATION),
        )

    def store(self, row: PersonaValidation, reply: PaidReply[PersonaRating], now: datetime) -> Delay | None:
        if reply.value is None:
            return wait_or_try_again(row, reply, now=now)
        scores, reasons = dict(reply.value.scores), dict(reply.value.reasons)
        _next_stage(row, {"scores": scores, "reasons": reasons, "model": reply.model}, now)
        return None

    def fail(self, row: PersonaValidation, why: RatibaError, now: datetime) -> Delay | None:
        return try_again(row, why=why.message, now=now)

    def lost(self, row: PersonaValidation, why: str, now: datetime) -> Delay | None:
        if is_current(row):
            return try_again(row, why=why, now=now)
        supersede(row, now=now)
        return None

    def unpaid(self, no: Refusal, now: datetime) -> Delay:
        return wait_for_money(no, now=now)


def _next_stage(row: PersonaValidation, rating: dict[str, Any], now: datetime) -> None:
    """Reject what falls through on paper; play the dialogues of the rest, where there is anything to be tried."""
    config = workflow_config(current_slug())
    verdict = judge_persona(rating["scores"], threshold=config.persona_threshold, weights=config.persona_weights)
    with transaction.atomic():  # no dialogue is owed without the row that waits for it
        held = PersonaValidation.objects.select_for_update().filter(pk=row.pk, lease_token=row.lease_token)
        if verdict.status is PersonaStatus.VALIDATED and held.exists():
            probe_run = start_probe_dialogues(row, now=now)
            if probe_run is not None:
                play_probes(row, rating=rating, probe_run=probe_run)
                return
        weakest = min(rating["scores"], key=lambda name: rating["scores"][name])
        record_verdict(row, now=now, rating=rating, reason=rating["reasons"].get(weakest, ""))
