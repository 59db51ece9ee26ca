"""What the two POSTs do: read the body, call the room that does it, say what was taken."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings

from apps.api.domain.evaluation_body import read_evaluation
from apps.api.domain.run_body import RunBody, read_run
from apps.api.services.idempotency import StoredResponse
from apps.catalog.models import Agent
from apps.connectors.addresses import OutboundPolicy, check_address
from apps.connectors.errors import AddressRefused
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.evaluations.services.battles import battle_run, replay_run
from apps.evaluations.services.creating import Requested, request_evaluation
from apps.runs.queries.progress import left_out_of

ACCEPTED = 202


def callback_policy() -> OutboundPolicy:
    """Where callbacks may go: the public internet, and private addresses where the operator allows it."""
    private = ("private",) if settings.ALLOW_PRIVATE_CALLBACKS else ()
    return OutboundPolicy(private_hosts=private, purpose="callback", max_response_bytes=64 * 1024)


def submit_evaluation(*, body: Any, base: str, now: datetime) -> StoredResponse:
    """Create the evaluation that `body` asks for: 202 and its addresses (`base` comes before them).

    Raises BadInput, NotFound, Conflict (unknown_criteria, callback_url_refused …); nothing is stored then. Runs in the
    caller's transaction.
    """
    asked = read_evaluation(body)
    check_callback(asked.callback_url)
    made = request_evaluation(
        config=asked.evaluator_config,
        run_id=asked.test_run_id,
        documents=asked.documents,
        triggered_by=asked.triggered_by,
        run_analyzer=asked.run_analyzer,
        callback_url=asked.callback_url,
        how=asked.how,
        subject=asked.subject,
        now=now,
    )
    log_event(EventType.REQUEST_TAKEN, evaluation=str(made.evaluation_id), run=str(made.run_id))
    return StoredResponse(status=ACCEPTED, body=evaluation_accepted(made, base))


def evaluation_accepted(made: Requested, base: str) -> dict[str, Any]:
    """The body of the 202."""
    return {
        "id": str(made.evaluation_id),
        "test_run_id": str(made.run_id),
        "status": "pending",
        "status_url": f"{base}evaluations/{made.evaluation_id}/status/",
    }


def take_run(*, body: Any, base: str, now: datetime) -> StoredResponse:
    """Start the run that `body` asks for, with an evaluation of it where a config is named. As take_evaluation."""
    asked = read_run(body)
    check_callback(asked.callback_url)
    run_id = _battle(asked, now) if asked.kind == "battle" else _replay(asked, now)
    evaluation_id = None
    if asked.evaluator_config:
        made = request_evaluation(
            config=asked.evaluator_config,
            run_id=run_id,
            triggered_by=asked.triggered_by,
            run_analyzer=asked.run_analyzer,
            callback_url=asked.callback_url,
            now=now,
        )
        evaluation_id = str(made.evaluation_id)
    log_event(EventType.REQUEST_TAKEN, run=str(run_id), evaluation=evaluation_id)
    return StoredResponse(
        status=ACCEPTED,
        body={
            "id": str(run_id),
            "status": "pending",
            "status_url": f"{base}test-runs/{run_id}/status/",
            "evaluation_id": evaluation_id,
            "left_out": left_out_of(run_id),
        },
    )


def _battle(asked: RunBody, now: datetime) -> Any:
    return battle_run(
        agent=asked.agent,
        scenarios=asked.scenarios,
        personas=asked.personas,
        repeats=asked.repeats,
        max_turns=asked.max_turns,
        triggered_by=asked.triggered_by,
        pull_request=asked.pull_request,
        subject=asked.subject,
        now=now,
    )


def _replay(asked: RunBody, now: datetime) -> Any:
    if asked.transport != "auto":
        kinds: Mapping[str, str] = dict(Agent.objects.filter(name=asked.agent).values_list("name", "kind"))
        if kinds.get(asked.agent, asked.transport) != asked.transport:
            raise BadInput(
                f"Agent {asked.agent!r} is reached by {kinds[asked.agent]}, not by {asked.transport}.",
                code="unknown_transport",
                pointer="/transport",
            )
    return replay_run(
        agent=asked.agent,
        golden_sessions=asked.golden_sessions,
        repeats=asked.repeats,
        triggered_by=asked.triggered_by,
        pull_request=asked.pull_request,
        subject=asked.subject,
        now=now,
    )


def check_callback(url: str) -> None:
    """Say early what the guard would refuse; it decides again whenever it connects."""
    if not url:
        return
    try:
        check_address(url, callback_policy())
    except AddressRefused as error:
        raise BadInput(str(error), code="callback_url_refused", pointer="/callback_url") from error
