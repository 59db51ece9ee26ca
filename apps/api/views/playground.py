"""Prompts beside each other on a kept conversation."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.playground_body import PlaygroundRequest
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.playground.queries.documents import find_playground, playground_document
from apps.improvement.playground.services.requesting import request_playground
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class PlaygroundView(ApiView):
    """What both views share. Nothing is scored, and nothing that answers is where customers are served."""

    read_right = Right.READ_PLAYGROUND
    write_right = Right.TRY_PROMPTS


class Playgrounds(PlaygroundView):
    @operation(
        "createPlayground",
        "Have versions of a prompt answer a kept conversation, beside each other",
        body="PlaygroundRequest",
        answers={202: "Playground"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            choices = validate(PlaygroundRequest, body).choices()
            made = request_playground(choices, by=actor_now() or "api")
            wake_workers_on_commit(current_slug(), "playground")
            return StoredResponse(status=202, body=playground_document(find_playground(made)))

        return self.once(request, work)


class PlaygroundDetail(PlaygroundView):
    @operation("getPlayground", "What each version answered, and what it took", answers={200: "Playground"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(playground_document(find_playground(id)))
