"""The page of a persona, and what is decided there; each button calls one service."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.catalog.personas.domain.rules import PERSONA_CRITERIA
from apps.catalog.personas.services.releasing import approve_override, archive, record_validation, release, resubmit
from apps.core.errors import BadInput, RatibaError
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.test_set.queries.personas import persona_page
from apps.jobs.wakeups import wake_workers_on_commit
from apps.personas.services.requesting import request_validation
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

SEE, DECIDE = "catalog.view_persona", "catalog.change_persona"


@staff_page(SEE, methods=READ)
def persona(request: HttpRequest, persona_id: uuid.UUID) -> HttpResponse:
    """Show a persona: may it play, and is it believable?"""
    page = persona_page(persona_id)
    return show(request, "test_set/persona", page.row.name, found=page, criteria=PERSONA_CRITERIA)


@staff_page(SEE, DECIDE, methods=("POST",))
def score_persona(request: HttpRequest, persona_id: uuid.UUID) -> HttpResponse:
    """Store a person's three scores in place of a model's. POST only."""

    def keep() -> str:
        config = workflow_config(current_slug())
        verdict = record_validation(
            persona_id=persona_id,
            scores={name: _number(request.POST.get(name, ""), name) for name in PERSONA_CRITERIA},
            reasons={name: why for name in PERSONA_CRITERIA if (why := request.POST.get(f"{name}_reason", "").strip())},
            threshold=config.persona_threshold,
            weights=config.persona_weights,
            by=request.user.get_username(),
        )
        return f"It is {verdict.status.value} with {verdict.mean:.1f}: the threshold is {config.persona_threshold:g}."

    return _done(request, persona_id, keep)


@staff_page(SEE, DECIDE, methods=("POST",))
def validate_persona(request: HttpRequest, persona_id: uuid.UUID) -> HttpResponse:
    """Have a model rate the persona and try it out. POST only."""

    def keep() -> str:
        request_validation(persona_id=persona_id, requested_by=request.user.get_username())
        wake_workers_on_commit(current_slug(), "persona_validation")
        return "A model rates it now, and then plays it against a scripted agent."

    return _done(request, persona_id, keep)


@staff_page(SEE, DECIDE, methods=("POST",))
def override_persona(request: HttpRequest, persona_id: uuid.UUID) -> HttpResponse:
    """Approve a rejected persona for battles; stores who did it and why. POST only."""

    def keep() -> str:
        by, why = request.user.get_username(), request.POST.get("reason", "")
        approve_override(persona_id=persona_id, by=by, reason=why, now=timezone.now())
        return f"It may play now: approved by {by}."

    return _done(request, persona_id, keep)


@staff_page(SEE, DECIDE, methods=("POST",))
def release_persona(request: HttpRequest, persona_id: uuid.UUID) -> HttpResponse:
    """Release a persona that a curator has read. POST only."""

    def keep() -> str:
        release(persona_id=persona_id, by=request.user.get_username(), now=timezone.now())
        return "Released: it may play."

    return _done(request, persona_id, keep)


@staff_page(SEE, DECIDE, methods=("POST",))
def resubmit_persona(request: HttpRequest, persona_id: uuid.UUID) -> HttpResponse:
    """Request a new validation of the persona as it is now. POST only."""

    def keep() -> str:
        resubmit(persona_id=persona_id)
        return "It waits for its validation again, and does not play until then."

    return _done(request, persona_id, keep)


@staff_page(SEE, DECIDE, methods=("POST",))
def archive_persona(request: HttpRequest, persona_id: uuid.UUID) -> HttpResponse:
    """Archive a persona for good. POST only."""

    def keep() -> str:
        archive(persona_id=persona_id)
        return "Archived: it plays no more; what it played stays."

    return _done(request, persona_id, keep)


def _done(request: HttpRequest, persona_id: uuid.UUID, keep: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, keep())
    except RatibaError as error:
        messages.error(request, f"Nothing was changed: {error.message}")
    return redirect("persona", persona_id)


def _number(text: str, name: str) -> Any:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise BadInput(f"{name} must be a number from 1 to 10, not {text[:40]!r}", pointer=f"/scores/{name}") from None
