"""A person's words are erased on request; what came of it is read as counts."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.actor import actor_now
from apps.erasure.domain.subject import read_request
from apps.erasure.queries.receipts import erasure_document
from apps.erasure.services.requests import request_erasure
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right

ACCEPTED = 202


class Erasures(ApiView):
    """For owners, and keys with the scope admin: a key in continuous integration erases nobody."""

    read_right = Right.READ_ERASURES
    write_right = Right.ERASE

    @operation(
        "requestErasure",
        "Erase what a person said and what was written of them",
        body="ErasureRequest",
        answers={202: "Erasure"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            row = request_erasure(request=read_request(body), requested_by=actor_now() or "api", now=now)
            wake_workers_on_commit(current_slug(), "erasure")
            return StoredResponse(status=ACCEPTED, body=erasure_document(row.pk))

        return self.once(request, work)


class ErasureDetail(ApiView):
    """The receipt: counts by place, and no content."""

    read_right = Right.READ_ERASURES
    write_right = Right.ERASE

    @operation("getErasure", "How far an erasure is, and its receipt", answers={200: "Erasure"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(erasure_document(id))
