"""Results of a run's checks."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.runner_checks_body import RunnerChecksRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.checks.queries.check_results import check_document, results_in_force
from apps.checks.services.runner_checks import RunnerFinding, store_runner_findings
from apps.core.errors import BadInput
from apps.core.validation import validate
from apps.runs.playing.queries.progress import find_run
from apps.statistics.decision import Decision
from apps.tenants.domain.rights import Right

_FILTERS = {
    "outcome": "pass, fail, undecided, unmeasurable or skipped.",
    "check": "A check's name.",
    "conversation": "A conversation's id (a UUID).",
    "attempts": "all: earlier attempts too. Left out: the last attempt of each check.",
}


class RunChecks(ApiView):
    """Of each check of each conversation the last attempt, in the order they were measured."""

    reads_conversations = True
    query_names = (*PAGED, *_FILTERS)
    read_right = Right.READ_RUNS
    write_right = Right.STEER_RUNS

    @operation(
        "listChecks", "What the checks of a run came to", answers={200: "CheckResultPage"}, paged=True, filters=_FILTERS
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        parameters = request.query_params
        rows = results_in_force(
            run_id=find_run(id).pk,
            conversation_id=_conversation(parameters.get("conversation", "")),
            outcome=parameters.get("outcome", ""),
            check=parameters.get("check", ""),
            every_attempt=_every_attempt(parameters.get("attempts", "")),
        )
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID))
        return Response({"results": [check_document(row) for row in page], "next": following, "previous": preceding})

    @operation(
        "storeChecks",
        "What a runner checked on the agent's own side",
        body="RunnerChecksRequest",
        answers={200: "StoredChecks"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_run(id)  # before the body: another tenant's run is not there, whatever is said of it
            findings = [
                RunnerFinding(
                    conversation=result.conversation,
                    assertion=result.assertion,
                    outcome=Decision(result.outcome),
                    reason=result.reason,
                )
                for result in validate(RunnerChecksRequest, body).results
            ]
            return StoredResponse(
                status=200, body={"stored": store_runner_findings(run_id=id, findings=findings, now=now)}
            )

        return self.once(request, work)


def _conversation(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text) if text else None
    except ValueError:
        raise BadInput("conversation must be the id of a conversation, a UUID.", code="bad_conversation") from None


def _every_attempt(text: str) -> bool:
    if text not in ("", "all"):
        raise BadInput("attempts is all, or left out.", code="bad_attempts")
    return text == "all"
