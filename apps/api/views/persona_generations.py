"""Sets of personas: have one written for a grid, and see how far it is."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.persona_body import PersonaGenerationRequest
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.jobs.wakeups import wake_workers_on_commit
from apps.personas.queries.generation_forecast import generation_forecast
from apps.personas.queries.generation_progress import generation_document
from apps.personas.services.requesting import request_generation
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class GeneratePersonas(ApiView):
    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG

    @operation(
        "generatePersonas",
        "Have a model write personas that cover a grid",
        body="PersonaGenerationRequest",
        answers={202: "PersonaGenerationTaken"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            generation = validate(PersonaGenerationRequest, body)
            row = request_generation(
                agent=generation.agent,
                languages=generation.languages,
                goals=generation.goals,
                tempers=generation.tempers,
                count=generation.count,
                requested_by=actor_now(),
            )
            wake_workers_on_commit(current_slug(), "persona_generation")
            address = f"{self.base_address(request)}personas/generations/{row}/"
            return StoredResponse(status=202, body={"id": str(row), "status": "pending", "status_url": address})

        return self.once(request, work)


class ForecastPersonas(ApiView):
    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG

    @operation(
        "forecastPersonas",
        "What having these personas written would probably cost; starts nothing",
        body="PersonaGenerationRequest",
        answers={200: "PersonaForecast"},
    )
    def post(self, request: Request) -> Response:
        generation = validate(PersonaGenerationRequest, self.json_body(request))
        forecast = generation_forecast(
            languages=generation.languages, goals=generation.goals, tempers=generation.tempers, count=generation.count
        )
        return Response(forecast.as_json())


class PersonaGenerationDetail(ApiView):
    read_right = Right.READ_CATALOG

    @operation(
        "getPersonaGeneration", "What was written of a set, and what became of it", answers={200: "PersonaGeneration"}
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(generation_document(id))
