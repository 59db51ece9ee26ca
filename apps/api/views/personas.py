"""Personas: who there is, who may play, and what is decided about one."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.persona_decision_body import PersonaEditRequest, PersonaOverrideRequest, PersonaValidationRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.queries.personas import PERSONA_FILTERS, persona_document, persona_line, personas_found
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body
from apps.catalog.models import Persona
from apps.catalog.personas.services.releasing import approve_override, archive, record_validation, release, resubmit
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.jobs.wakeups import wake_workers_on_commit
from apps.personas.services.requesting import request_validation
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right
from apps.tenants.queries import workflow_config


class PersonaView(ApiView):
    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG


class Personas(PersonaView):
    query_names = (*PAGED, *PERSONA_FILTERS)

    @operation(
        "listPersonas", "Personas, newest first", answers={200: "PersonaPage"}, paged=True, filters=PERSONA_FILTERS
    )
    def get(self, request: Request) -> Response:
        rows = personas_found(request.query_params, Persona.objects.all())
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        return Response({"results": [persona_line(row) for row in page], "next": following, "previous": preceding})


class PersonaDetail(PersonaView):
    @operation("getPersona", "One persona with its validation and record", answers={200: "PersonaDetail"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(persona_document(id))


class ValidatePersona(PersonaView):
    """A person's scores decide at once; without scores a model is asked, and the persona waits."""

    @operation(
        "validatePersona",
        "Validate a persona: by three scores, or by a model",
        body="PersonaValidationRequest",
        answers={200: "PersonaDetail", 202: "PersonaDetail"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            persona_document(id)
            given = validate(PersonaValidationRequest, body)
            if given.scores is None:
                request_validation(persona_id=id, requested_by=actor_now())
                wake_workers_on_commit(current_slug(), "persona_validation")
                return StoredResponse(status=202, body=persona_document(id))
            config = workflow_config(current_slug())
            record_validation(
                persona_id=id,
                scores=given.scores.as_json(),
                reasons=given.reasons.as_json(),
                threshold=config.persona_threshold,
                weights=config.persona_weights,
                by=actor_now(),
            )
            return StoredResponse(status=200, body=persona_document(id))

        return self.once(request, work)


class OverridePersona(PersonaView):
    @operation(
        "overridePersona",
        "Let a rejected persona play all the same, with the reason",
        body="PersonaOverrideRequest",
        answers={200: "PersonaDetail"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def decide(body: Any, now: datetime) -> None:
            reason = validate(PersonaOverrideRequest, body).reason
            approve_override(persona_id=id, by=actor_now(), reason=reason, now=now)

        return self.decided(request, id, decide, document=persona_document)


class ReleasePersona(PersonaView):
    @operation("releasePersona", "Let a validated persona play", answers={200: "PersonaDetail"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def decide(body: Any, now: datetime) -> None:
            no_body(body)
            release(persona_id=id, by=actor_now(), now=now)

        return self.decided(request, id, decide, document=persona_document)


class ResubmitPersona(PersonaView):
    @operation(
        "resubmitPersona",
        "Edit a persona and have it validated again",
        body="PersonaEditRequest",
        answers={200: "PersonaDetail"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def decide(body: Any, now: datetime) -> None:
            resubmit(persona_id=id, **validate(PersonaEditRequest, body).changes())

        return self.decided(request, id, decide, document=persona_document)


class ArchivePersona(PersonaView):
    @operation("archivePersona", "Take a persona out of use for good", answers={200: "PersonaDetail"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def decide(body: Any, now: datetime) -> None:
            no_body(body)
            archive(persona_id=id)

        return self.decided(request, id, decide, document=persona_document)
