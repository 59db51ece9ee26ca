"""Turns that a runner answers: it asks for them and posts the replies; nothing here connects to it."""

import uuid
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.json_body import parse_body
from apps.api.domain.pulled_body import PulledExtendRequest, PulledLeaseRequest, is_too_large, read_reply
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.errors import BadInput
from apps.core.validation import validate
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.pulled.services.runner import extend_turn, find_turn, lease_turns, note_refusal, reply_to_turn
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class PulledTurnView(ApiView):
    read_right = Right.READ_RUNS
    write_right = Right.STEER_RUNS


class LeasePulledTurns(PulledTurnView):
    @operation(
        "leasePulledTurns",
        "Take turns of an agent that this runner answers for",
        body="PulledLeaseRequest",
        answers={200: "PulledTurns"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(PulledLeaseRequest, body)
            leased = lease_turns(agent=request.agent, most=request.most, runs=request.test_runs, now=now)
            if leased.agent_was_down:
                wake_workers_on_commit(current_slug(), "playing")
            return StoredResponse(status=200, body={"turns": list(leased.turns)})

        return self.once(request, work)


class ExtendPulledTurn(PulledTurnView):
    @operation(
        "extendPulledTurn",
        "The agent still works on this turn",
        body="PulledExtendRequest",
        answers={200: "PulledLease"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_turn(id)
            until = extend_turn(turn_id=id, lease=validate(PulledExtendRequest, body).lease, now=now)
            return StoredResponse(status=200, body={"expires_at": until.isoformat()})

        return self.once(request, work)


class ReplyToPulledTurn(PulledTurnView):
    @operation(
        "replyToPulledTurn",
        "The agent's reply to this turn, or why there is none",
        body="PulledReplyRequest",
        answers={204: ""},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_turn(id)
            reply = read_reply(body)
            reply_to_turn(turn_id=id, lease=reply.lease, reply=reply.as_json(), now=now)
            return StoredResponse(status=204, body={})

        try:
            return self.once(request, work)
        except BadInput as error:  # outside the transaction that is rolled back
            with suppress(BadInput, ValueError):
                body = parse_body(request._request.body)
                lease = body.get("lease") if isinstance(body, Mapping) else None
                _note(id, uuid.UUID(str(lease)), error, too_large=is_too_large(body))
            raise

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        try:
            super().initial(request, *args, **kwargs)
        except BadInput as error:
            if error.code == "body_too_large":
                self.perform_authentication(request)
                self.check_permissions(request)
                _note(kwargs["id"], None, error, too_large=True)
            raise


def _note(turn_id: uuid.UUID, lease: uuid.UUID | None, error: BadInput, *, too_large: bool) -> None:
    """Have the turn say why it got no reply: its conversation must not be told that nobody answered."""
    why = f"{error.pointer or ''} {error.message}".strip()
    note_refusal(turn_id=turn_id, lease=lease, why=why, too_large=too_large)
