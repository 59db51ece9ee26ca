"""Golden sessions sent as files, by whoever keeps them beside the agent's code."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.golden_body import GoldenSessionRequest, contents_of, texts_of
from apps.api.pages import PAGED, Order, page_of
from apps.api.queries.documents import golden_line
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.catalog.goldens.queries.versions import listed_goldens
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.runs.goldens.services.sending import store_sent_golden
from apps.tenants.domain.rights import Right


class GoldenSessions(ApiView):
    read_right = Right.READ_CATALOG
    write_right = Right.WRITE_CATALOG
    query_names = PAGED

    @operation("listGoldenSessions", "Golden sessions, newest first", answers={200: "GoldenSessionPage"}, paged=True)
    def get(self, request: Request) -> Response:
        order = Order(field="id", read=uuid.UUID, newest_first=True)
        page, following, preceding = page_of(request, listed_goldens(), order)
        return Response({"results": [golden_line(row) for row in page], "next": following, "previous": preceding})

    @operation(
        "sendGoldenSession",
        "Keep a golden session and approve it, masked; the same again changes nothing",
        body="GoldenSessionRequest",
        answers={200: "GoldenSessionKept"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            sent = validate(GoldenSessionRequest, body)
            golden = store_sent_golden(
                document=sent.document,
                files=texts_of(sent.files),
                attachments=contents_of(sent.attachments),
                by=actor_now() or "api",
                now=now,
            )
            answer = {"name": golden.name, "version": golden.number, "created": golden.created}
            return StoredResponse(status=200, body={**answer, "notes": list(golden.notes)})

        return self.once(request, work)
