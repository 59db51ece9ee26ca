"""Validating personas: rated by a model, then tried out in probe dialogues that their own rubrics judge.

A row goes through two stages, and its lease is given back between them: the dialogues are conversations, played by the
workers of battles. What falls through on paper is not played. A persona is rejected by a verdict only, never by an
answer that could not be read or a model that was away: then it waits on, and the row says why.
"""

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.reservations import BudgetReservations
from apps.catalog.domain.persona_rules import judge_persona
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import PersonaValidation
from apps.core.models import new_id
from apps.jobs.domain.losses import loss_sentence, lost_before, lost_too_often
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable
from apps.personas.domain.rating import PersonaRating, rating_request, read_rating
from apps.personas.services.asking import PersonaQuestion, PersonaReply, ask_all
from apps.personas.services.requesting import enqueue_validations
from apps.personas.services.trying_out import judge_probes, start_probe_dialogues
from apps.personas.services.verdicts import (
    is_current,
    play_probes,
    record_verdict,
    supersede,
    try_again,
    wait_or_try_again,
)
from apps.runs.services.model_roles import models_of
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

LEASE = timedelta(minutes=10)  # longer than a batch's questions with their repeats
BATCH = 8
VALIDATIONS = LeasedTable(
    table="catalog_personavalidation",
    lease=LEASE,
    pending="""w.status = 'pending' AND (w.probe_run IS NULL OR NOT EXISTS (
      SELECT 1 FROM runs_conversation c WHERE c.run_id = w.probe_run AND c.status IN ('pending', 'running')))""",
    also_set=", attempts = w.attempts + 1, wait_code = ''",
)


def validate_due(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Owe what is lacking, and validate until nothing is due or the time is up; whether something is due then.

    No transaction is open while a model is asked. Safe to repeat and to race; a dead worker's leases end.
    """
    enqueue_validations()
    while True:
        token = new_id()
        claimed = VALIDATIONS.claim(token=token, limit=BATCH, now=now())
        if not claimed:
            return False
        _work(list(PersonaValidation.objects.filter(pk__in=[one[0] for one in claimed])), now)
        if now() >= until:
            return VALIDATIONS.is_due(now=now())


def _work(rows: Sequence[PersonaValidation], now: Callable[[], datetime]) -> None:
    on_paper: list[PersonaValidation] = []
    for row in rows:
        try:
            if _is_unrated(row, now):
                on_paper.append(row)
        except Exception as error:  # of this persona alone
            try_again(row, why=row_error(error).message, now=now())
    _rate(on_paper, now)


def _is_unrated(row: PersonaValidation, now: Callable[[], datetime]) -> bool:
    """Whether it is to be rated on paper; all else that may become of it happens here."""
    if not is_current(row):
        supersede(row, now=now())
    elif lost_too_often(lost_before(row.attempts)):
        try_again(row, why=loss_sentence("validating it"), now=now())
    elif not row.rating:
        return True
    elif row.probe_run is None:  # its dialogues are to be played once more
        _next_stage(row, row.rating, now(), calls=())
    else:
        judge_probes(row, now=now)
    return False


def _rate(rows: Sequence[PersonaValidation], now: Callable[[], datetime]) -> None:
    """One question for each persona; each answer is stored as it comes."""
    by_id = {row.pk: row for row in rows}
    questions = {}
    for row in rows:
        try:
            questions[row.pk] = _question(row)
        except Exception as error:
            try_again(row, why=row_error(error).message, now=now())
    if not questions:
        return

    def store(key: Any, reply: PersonaReply[PersonaRating]) -> None:
        row = by_id[key]
        if reply.value is None:
            wait_or_try_again(row, reply, now=now())
            return
        scores, reasons = dict(reply.value.scores), dict(reply.value.reasons)
        try:
            _next_stage(row, {"scores": scores, "reasons": reasons, "model": reply.model}, now(), calls=reply.calls)
        except Exception as error:
            try_again(row, why=row_error(error).message, now=now(), calls=reply.calls)

    reservations = BudgetReservations(holder=rows[0].lease_token, now=now)
    try:
        ask_all(questions, reservations=reservations, store=store)
    finally:
        reservations.release()


def _question(row: PersonaValidation) -> PersonaQuestion[PersonaRating]:
    nonce = secrets.token_hex(8)
    return PersonaQuestion(
        request=rating_request(row.subject, nonce=nonce, timeout_s=settings.MODEL_TIMEOUT_S),
        read=lambda text: read_rating(text, nonce=nonce),
        models=models_of(row.model),
        call_for=CallFor(purpose=Purpose.PERSONA_VALIDATION),
    )


def _next_stage(row: PersonaValidation, rating: dict[str, Any], now: datetime, *, calls: Sequence[Any]) -> None:
    """Reject what falls through on paper; play the dialogues of the rest, where there is anything to be tried."""
    config = workflow_config(current_slug())
    verdict = judge_persona(rating["scores"], threshold=config.persona_threshold, weights=config.persona_weights)
    with transaction.atomic():  # no dialogue is owed without the row that waits for it
        held = PersonaValidation.objects.select_for_update().filter(pk=row.pk, lease_token=row.lease_token)
        if verdict.status is PersonaStatus.VALIDATED and held.exists():
            probe_run = start_probe_dialogues(row, now=now)
            if probe_run is not None:
                play_probes(row, rating=rating, probe_run=probe_run, calls=calls)
                return
    weakest = min(rating["scores"], key=lambda name: rating["scores"][name])
    record_verdict(row, now=now, rating=rating, reason=rating["reasons"].get(weakest, ""), calls=calls)
