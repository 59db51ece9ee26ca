"""Anchors: whether the judge moved, and who else did; posted to freeze a set."""

from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.anchor_body import read_anchor_request
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.production.sampling.queries.anchor_sets import AnchorSets, anchor_documents
from apps.production.sampling.services.anchors import freeze_anchors
from apps.tenants.domain.rights import Right

CREATED = 201


class Anchors(ApiView):
    """GET reads every set with its weeks; POST freezes labelled conversations, masked, and owes the baseline."""

    read_right = Right.READ_ANCHORS
    write_right = Right.FREEZE_ANCHORS

    @operation("getAnchors", "Whether the judge moved, by week, and who else did", answers={200: "AnchorSets"})
    def get(self, request: Request) -> Response:
        return Response(AnchorSets(results=anchor_documents()))

    @operation(
        "postAnchors",
        "Freeze 30 to 50 labelled conversations that watch a judge",
        body="AnchorRequest",
        answers={201: "AnchorSetFrozen"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            anchor_request = read_anchor_request(body)
            made = freeze_anchors(
                config=anchor_request.evaluator_config, count=anchor_request.count, by=_who(request), now=now
            )
            answer = {"id": str(made.id), "anchors": made.anchors, "left_out": made.left_out}
            return StoredResponse(status=CREATED, body=answer)

        return self.once(request, work)


def _who(request: Request) -> str:
    caller: Any = request.auth
    return str(caller.user.get_username()) if caller.user is not None else "a key"
