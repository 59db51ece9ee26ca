"""Gates: ask whether a pull request may pass, read the answer, find a baseline."""

import uuid
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.gate_body import GateAcceptanceRequest, GateOwnVersionsRequest, GateRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, person_of
from apps.core.actor import actor_now
from apps.core.errors import BadInput
from apps.core.validation import validate
from apps.gates.domain.gate_floor import asked_policy
from apps.gates.models import PullRequestGate
from apps.gates.queries.acceptances import acceptance_document, acceptances_of, find_acceptance_row
from apps.gates.queries.baselines import baselines_of
from apps.gates.queries.gate_floors import floor_of, gate_floors
from apps.gates.queries.gates import decided_document, find_gate, gate_document, gate_line, junit_of
from apps.gates.services.accepting import accept_changes
from apps.gates.services.adding_own_versions import add_own_versions
from apps.gates.services.gate_files import gate_html
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right

FILTERS = ("agent", "commit", "pull_request")


class GateView(ApiView):
    """What the views of gates share."""

    read_right = Right.READ_GATES
    write_right = Right.ASK_GATES

    def pages_address(self, request: Request) -> str:
        return request.build_absolute_uri("/")


class Gates(GateView):
    query_names = (*PAGED, *FILTERS)

    @operation(
        "createGate",
        "Ask whether a pull request may pass",
        body="GateRequest",
        answers={202: "GateTaken"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            gate_request = validate(GateRequest, body)
            refuse_sealed([side.evaluation for side in (gate_request.candidate, gate_request.baseline) if side])
            question = GateQuestion(
                agent=gate_request.agent,
                commit=gate_request.commit,
                candidate=gate_request.candidate.evaluation,
                baseline=gate_request.baseline.evaluation if gate_request.baseline else None,
                base_commit=gate_request.base_commit or "",
                pull_request=gate_request.pull_request,
                title=gate_request.title,
                kind=gate_request.kind,
                budget_usd=gate_request.limit_usd(),
                first_look=gate_request.first_look,
                changes=gate_request.changes,
                acceptance=gate_request.acceptance,
                replays_of=gate_request.replays_of,
            )
            policy = asked_policy(floor_of(gate_request.agent), body.get("policy"))
            row = request_gate(question, policy, requested_by=actor_now())
            wake_workers_on_commit(current_slug(), "gates")
            address = f"{self.base_address(request)}gates/{row}/"
            return StoredResponse(status=202, body={"id": str(row), "status": "pending", "status_url": address})

        return self.once(request, work)

    @operation(
        "listGates",
        "Gates, newest first",
        answers={200: "GatePage"},
        paged=True,
        filters={
            "agent": "By name, exactly.",
            "commit": "Of the candidate, exactly.",
            "pull_request": "As it was named, exactly.",
        },
    )
    def get(self, request: Request) -> Response:
        named = {name: value for name in FILTERS if (value := request.query_params.get(name))}
        rows = PullRequestGate.objects.filter(**named)
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        return Response({"results": [gate_line(row) for row in page], "next": following, "previous": preceding})


class GateDetail(GateView):
    @operation("getGate", "What a gate came to, and why", answers={200: "Gate"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(gate_document(find_gate(id), base=self.pages_address(request)))


class GateOwnVersionsOf(GateView):
    @operation(
        "addGateOwnVersions",
        "Keep what became of altered scenarios as the commit has them; it decides nothing",
        body="GateOwnVersionsRequest",
        answers={201: "Gate"},
        refusals=(409,),
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        find_gate(id)  # another tenant's is not there, whatever is said about it
        own_request = validate(GateOwnVersionsRequest, self.json_body(request))
        add_own_versions(id, evaluation=own_request.evaluation, left_out=own_request.left_out, now=timezone.now())
        return Response(gate_document(find_gate(id), base=self.pages_address(request)), status=201)


class GateJUnit(GateView):
    @operation(
        "getGateJUnit",
        "A decided gate as JUnit XML",
        answers={200: "GateJUnit"},
        media="application/xml",
        refusals=(409,),
    )
    def get(self, request: Request, id: uuid.UUID) -> HttpResponse:
        junit = junit_of(find_gate(id), base=self.pages_address(request))
        return HttpResponse(junit, content_type="application/xml; charset=utf-8")


class GateReport(GateView):
    @operation(
        "getGateReport",
        "A decided gate as one HTML file",
        answers={200: "GateReport"},
        media="text/html",
        refusals=(409,),
    )
    def get(self, request: Request, id: uuid.UUID) -> HttpResponse:
        document = decided_document(find_gate(id), base=self.pages_address(request))
        answer = HttpResponse(gate_html(document), content_type="text/html; charset=utf-8")
        answer["Content-Disposition"] = 'attachment; filename="report.html"'
        return answer


class GateBaselines(GateView):
    query_names = ("agent", "commit")

    @operation(
        "listGateBaselines",
        "Evaluations of one agent at one commit, with cases and judge",
        answers={200: "GateBaselines"},
        filters={"agent": "Required.", "commit": "Required; 7 digits or more."},
    )
    def get(self, request: Request) -> Response:
        parameters = {name: _required(request, name) for name in self.query_names}
        return Response({"results": baselines_of(**parameters, now=timezone.now())})


class GateFloors(GateView):
    """Read only: a floor is set by a person, in the window."""

    read_right = Right.READ_FLOORS
    query_names = ("agent",)

    @operation(
        "listGateFloors",
        "The least that gates ask, by agent",
        answers={200: "GateFloors"},
        filters={"agent": "By name, exactly."},
    )
    def get(self, request: Request) -> Response:
        return Response({"results": gate_floors(agent=request.query_params.get("agent", ""))})


class GateAcceptances(GateView):
    """What people accepted for a commit."""

    query_names = ("agent", "commit")

    @operation(
        "listGateAcceptances",
        "Changes of what decides that people accepted for a commit",
        answers={200: "GateAcceptances"},
        filters={"agent": "Required.", "commit": "Required, in full."},
    )
    def get(self, request: Request) -> Response:
        parameters = {name: _required(request, name) for name in self.query_names}
        return Response({"results": acceptances_of(**parameters)})


class GateAcceptanceOf(GateView):
    """The answer of a person to one gate; a key, CI's above all, never gives it."""

    write_right = Right.ACCEPT_CHANGES

    @operation(
        "acceptGateChanges",
        "Accept what a pull request alters of what decides; people only",
        body="GateAcceptanceRequest",
        answers={201: "GateAcceptance"},
        refusals=(409,),
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        find_gate(id)
        by = person_of(request)
        acceptance = validate(GateAcceptanceRequest, self.json_body(request))
        made = accept_changes(id, by=by, seen=acceptance.seen, note=acceptance.note)
        return Response(acceptance_document(find_acceptance_row(made)), status=201)


def _required(request: Request, name: str) -> str:
    value = request.query_params.get(name, "")
    if not value:
        raise BadInput(f"{name} is required.", code="required", pointer=f"/{name}")
    return value
