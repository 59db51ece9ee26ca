"""Scenarios: what plays, what waits for a person, and who let it play."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.scenario_body import ScenarioReleaseRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.queries.scenarios import SCENARIO_FILTERS, scenario_document, scenario_lines, scenarios_found
from apps.api.schema import operation
from apps.api.views.base import ApiView, no_body
from apps.catalog.scenarios.services.releasing import archive_scenario, release_scenario
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.tenants.domain.rights import Right


class ScenarioView(ApiView):
    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG


class Scenarios(ScenarioView):
    query_names = (*PAGED, *SCENARIO_FILTERS)

    @operation(
        "listScenarios", "Scenarios, newest first", answers={200: "ScenarioPage"}, paged=True, filters=SCENARIO_FILTERS
    )
    def get(self, request: Request) -> Response:
        rows = scenarios_found(request.query_params)
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        return Response({"results": scenario_lines(page), "next": following, "previous": preceding})


class ScenarioDetail(ScenarioView):
    @operation(
        "getScenario",
        "One scenario with where it came from and what must not happen in it",
        answers={200: "ScenarioDetail"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(scenario_document(id))


class ReleaseScenario(ScenarioView):
    @operation(
        "releaseScenario",
        "Let a scenario play; one that plays already stays as it is",
        body="ScenarioReleaseRequest",
        answers={200: "ScenarioDetail"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def decide(body: Any, now: datetime) -> None:
            expectations = validate(ScenarioReleaseRequest, body).must_not
            must_not = None if expectations is None else [expectation.as_json() for expectation in expectations]
            release_scenario(scenario_id=id, by=actor_now() or "api", now=now, must_not=must_not)

        return self.decided(request, id, decide, document=scenario_document)


class ArchiveScenario(ScenarioView):
    @operation(
        "archiveScenario",
        "Take a scenario out of use; results keep naming it",
        answers={200: "ScenarioDetail"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def decide(body: Any, now: datetime) -> None:
            no_body(body)
            archive_scenario(scenario_id=id)

        return self.decided(request, id, decide, document=scenario_document)
