"""Golden conversations that changed: posted and read by machines. Only a person accepts one, on its page."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.snapshot_body import SnapshotRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.errors import BadInput
from apps.core.validation import validate
from apps.gates.domain.snapshot_states import SnapshotStatus
from apps.gates.models import SnapshotReview
from apps.gates.queries.snapshot_reviews import find_snapshot_review, snapshot_document, snapshot_line
from apps.gates.services.snapshot_reviews import post_snapshot
from apps.tenants.domain.rights import Right

FILTERS = {"scenario": "By id, exactly.", "status": ", ".join(SnapshotStatus) + ".", "digest": "Of the played file."}


class SnapshotView(ApiView):
    """What the views of snapshots share."""

    read_right = Right.READ_SNAPSHOTS
    write_right = Right.POST_SNAPSHOTS

    def pages_address(self, request: Request) -> str:
        return request.build_absolute_uri("/")


class Snapshots(SnapshotView):
    """Reviews, newest first."""

    query_names = (*PAGED, *FILTERS)

    @operation(
        "createSnapshot",
        "Show a changed golden conversation to people",
        body="SnapshotRequest",
        answers={201: "Snapshot"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            row = find_snapshot_review(post_snapshot(validate(SnapshotRequest, body).posted()))
            return StoredResponse(status=201, body=snapshot_document(row, base=self.pages_address(request)))

        return self.once(request, work)

    @operation(
        "listSnapshots",
        "Changed golden conversations, newest first",
        answers={200: "SnapshotPage"},
        paged=True,
        filters=FILTERS,
    )
    def get(self, request: Request) -> Response:
        named = {name: value for name in FILTERS if (value := request.query_params.get(name))}
        if named.get("status", "pending") not in list(SnapshotStatus):
            raise BadInput(f"status is one of {', '.join(SnapshotStatus)}.", code="bad_status")
        rows = SnapshotReview.objects.filter(**named)
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        base = self.pages_address(request)
        lines = [snapshot_line(row, base=base) for row in page]
        return Response({"results": lines, "next": following, "previous": preceding})


class SnapshotDetail(SnapshotView):
    """One review with both conversations."""

    @operation("getSnapshot", "A changed golden conversation beside the accepted one", answers={200: "Snapshot"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(snapshot_document(find_snapshot_review(id), base=self.pages_address(request)))
