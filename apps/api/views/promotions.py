"""A conversation becomes a candidate scenario."""

import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.promotion_body import PromotionRequest
from apps.api.queries.promotions import promotion_document
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.core.actor import actor_now
from apps.core.identities import uuids_among
from apps.core.validation import validate
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.production.promotion.services.promoting import promote_conversation
from apps.tenants.domain.rights import Right


class Promotions(ApiView):
    """Any conversation that has ended; it is masked, and played only when a person has released it."""

    read_right = Right.READ_PRODUCTION
    write_right = Right.PROMOTE_CONVERSATIONS

    @operation(
        "promoteConversation",
        "Make a conversation a candidate scenario; once, however often it is asked",
        body="PromotionRequest",
        answers={200: "PromotedConversation", 201: "PromotedConversation"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(PromotionRequest, body)
            refuse_sealed(uuids_among([request.conversation_id]))
            made = promote_conversation(
                conversation_id=request.conversation_id,
                must_not=None if request.must_not is None else [one.as_json() for one in request.must_not],
                feedback_id=request.feedback_id,
                by=actor_now() or "api",
                now=now,
            )
            return StoredResponse(status=201 if made.created else 200, body=made.as_json())

        return self.once(request, work)


class PromotionDetail(ApiView):
    """What the conversation became."""

    read_right = Right.READ_PRODUCTION

    @operation(
        "getPromotion",
        "What a conversation became: its scenario's state, the masking, why it is here",
        answers={200: "PromotionDetail"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(promotion_document(id))
