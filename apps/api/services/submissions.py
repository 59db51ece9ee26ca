"""Serve the two POSTs: read the body, call the room that does the work, and say what was taken."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from apps.api.domain.catalog_body import in_the_body
from apps.api.domain.evaluation_body import RunEvaluationRequest, documents_of, read_evaluation
from apps.api.domain.request_fields import RequestOptions
from apps.api.domain.run_body import (
    BattleRequest,
    ReplayRequest,
    RerunRequest,
    TestRunRequest,
    read_run,
)
from apps.api.queries.keys import has_webhook_key
from apps.api.services.idempotency import StoredResponse
from apps.budgets.services.limits import declare_limit
from apps.connectors.addresses import OutboundPolicy, check_address
from apps.connectors.errors import AddressRefused
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.core.validation import validate
from apps.evaluations.progress.services.rerun import Repeated
from apps.evaluations.requests.services.battles import (
    CustomerChoices,
    RunChoices,
    battle_run,
    replay_run,
    resimulation_run,
)
from apps.evaluations.requests.services.creating import CreatedEvaluation, request_evaluation
from apps.evaluations.requests.services.forecasting import forecast_of_start
from apps.reports.run_reports.services.rerunning import rerun_from_turn, rerun_part
from apps.runs.playing.queries.progress import left_out_of, transport_of
from apps.tenants.context import current_slug

ACCEPTED = 202


def callback_policy() -> OutboundPolicy:
    """Return where callbacks may go: the public internet.

    Private addresses are allowed where the operator allows them.
    """
    private = ("private",) if settings.ALLOW_PRIVATE_CALLBACKS else ()
    return OutboundPolicy(private_hosts=private, purpose="callback", max_response_bytes=64 * 1024)


def submit_evaluation(*, body: Any, base: str, now: datetime) -> StoredResponse:
    """Create the evaluation that `body` asks for: 202 and its addresses (`base` comes before them).

    Raises BadInput, NotFound, Conflict (unknown_criteria, callback_url_refused …); nothing is stored then. Runs in the
    caller's transaction.
    """
    request = read_evaluation(body)
    documents = documents_of(request)
    check_callback(request.callback_url, now=now)
    _declare_budget(request)
    created = request_evaluation(
        config=request.evaluator_config,
        run_id=request.test_run_id if isinstance(request, RunEvaluationRequest) else None,
        documents=documents,
        triggered_by=request.triggered_by,
        run_analyzer=request.run_analyzer,
        callback_url=request.callback_url,
        how=request.how,
        subject=request.subject,
        now=now,
    )
    log_event(EventType.REQUEST_TAKEN, evaluation=str(created.evaluation_id), run=str(created.run_id))
    return StoredResponse(status=ACCEPTED, body=evaluation_accepted(created, base))


def evaluation_accepted(created: CreatedEvaluation, base: str) -> dict[str, Any]:
    """The body of the 202."""
    return {
        "id": str(created.evaluation_id),
        "test_run_id": str(created.run_id),
        "status": "pending",
        "status_url": f"{base}evaluations/{created.evaluation_id}/status/",
    }


def submit_run(*, body: Any, base: str, now: datetime) -> StoredResponse:
    """Start the run that `body` asks for, with an evaluation of it where a config is named. As take_evaluation."""
    request = read_run(body)
    check_callback(request.callback_url, now=now)
    _declare_budget(request)
    run_id = _start(request, now)
    evaluation_id = None
    if request.evaluator_config:
        created = request_evaluation(
            config=request.evaluator_config,
            run_id=run_id,
            triggered_by=request.triggered_by,
            run_analyzer=request.run_analyzer,
            callback_url=request.callback_url,
            now=now,
        )
        evaluation_id = str(created.evaluation_id)
    log_event(EventType.REQUEST_TAKEN, run=str(run_id), evaluation=evaluation_id)
    return StoredResponse(
        status=ACCEPTED,
        body={
            "id": str(run_id),
            "status": "pending",
            "status_url": f"{base}test-runs/{run_id}/status/",
            "evaluation_id": evaluation_id,
            "transport": transport_of(run_id),
            "left_out": left_out_of(run_id),
        },
    )


def forecast_submission(*, body: Any, now: datetime) -> dict[str, Any]:
    """Return what the run that `body` asks for would probably cost; store nothing.

    Raises what `submit_run` raises for the run itself.
    """
    request = read_run(body)
    forecast = forecast_of_start(start=lambda: _start(request, now), config=request.evaluator_config)
    return forecast.as_json()


def submit_rerun(*, run_id: UUID, body: Any, base: str, now: datetime) -> StoredResponse:
    """Play part of the run again, and judge it as the evaluation that is followed was: 202 with the new run. Raises
    what `rerun_part`, `rerun_from_turn` and an evaluation of the new run raise."""
    request = validate(RerunRequest, body)
    with transaction.atomic():  # a config that cannot judge starts no run
        done = _again(run_id, request, now)
        config = request.evaluator_config or done.evaluator_config
        evaluation = (
            request_evaluation(config=config, run_id=done.run_id, now=now, triggered_by="api").evaluation_id
            if done.run_id and config
            else None
        )
    log_event(
        EventType.REQUEST_TAKEN, run=str(done.run_id or run_id), evaluation=str(evaluation) if evaluation else None
    )
    return StoredResponse(
        status=ACCEPTED,
        body={
            "id": str(done.run_id) if done.run_id else None,
            "from": str(run_id),
            "evaluation_id": str(evaluation) if evaluation else None,
            "judged_again": done.judged_again,
            "status_url": f"{base}test-runs/{done.run_id or run_id}/status/",
        },
    )


def _again(run_id: UUID, request: RerunRequest, now: datetime) -> Repeated:
    conversation = _id_of(request.conversation, pointer="/conversation")
    if conversation is not None:
        return rerun_from_turn(
            conversation_id=conversation,
            of_run=run_id,
            turn=request.turn,
            repeats=request.repeats,
            now=now,
            triggered_by="api",
        )
    evaluation = _id_of(request.evaluation, pointer="/evaluation")
    return rerun_part(run_id=run_id, only=request.only, evaluation_id=evaluation, now=now, triggered_by="api")


def _id_of(text: str, *, pointer: str) -> UUID | None:
    """Read an evaluation's id; None for an empty text. Raises BadInput."""
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise BadInput(f"{text!r} is no id of an evaluation.", pointer=pointer) from error


def _start(request: TestRunRequest, now: datetime) -> UUID:
    choices: RunChoices = {
        "agent": request.agent,
        "connection": request.connection.as_connection() if request.connection else None,
        "repeats": request.repeats,
        "triggered_by": request.triggered_by,
        "pull_request": request.pull_request,
        "subject": request.subject,
        "prompt": request.prompt,
        "now": now,
    }
    if isinstance(request, ReplayRequest):
        return replay_run(
            **choices,
            golden_sessions=request.golden_sessions,
            transport=request.transport or "",
            judge_gates=request.judge_gates,
            goldens=request.catalog.as_files() if request.catalog else (),
        )
    customers: CustomerChoices = {**choices, "max_turns": request.max_turns, "seed": request.seed}
    if isinstance(request, BattleRequest):
        files = request.catalog.files if request.catalog else {}
        with in_the_body("/catalog/files"):
            return battle_run(**customers, scenarios=request.scenarios, personas=request.personas, catalog=files)
    return resimulation_run(**customers, golden_sessions=request.golden_sessions, personas=request.personas)


def _declare_budget(request: RequestOptions) -> None:
    """Declare the request's budget in the transaction of its work: a refused request declares nothing."""
    if request.budget_usd is None:
        return
    if not request.pull_request:
        message = "budget_usd is the limit of a pull request: name it in pull_request."
        raise BadInput(message, code="budget_of_nobody", pointer="/budget_usd")
    declare_limit(pull_request=request.pull_request, usd=Decimal(str(request.budget_usd)))


def check_callback(url: str, *, now: datetime) -> None:
    """Refuse early a callback that could never be delivered.

    Its address is refused by the guard (which decides again whenever it connects), or no key would sign it. Raises
    BadInput (`callback_url_refused`, `no_webhook_key`). One query.
    """
    if not url:
        return
    try:
        check_address(url, callback_policy())
    except AddressRefused as error:
        raise BadInput(str(error), code="callback_url_refused", pointer="/callback_url") from error
    if not has_webhook_key(now=now):
        raise BadInput(
            "There is no live webhook key, and callbacks are signed: make one with python manage.py add_webhook_key "
            f"--tenant {current_slug()}, or under Settings › Webhook keys. Or leave callback_url out.",
            code="no_webhook_key",
            pointer="/callback_url",
        )
