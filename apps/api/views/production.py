"""What real customers said, and how they rated it: posted, and read back as counts alone."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.alerts.queries.open_alerts import open_alerts_of_runs
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView
from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.feedback import take_feedback
from apps.production.overview.queries.standing import production_document
from apps.tenants.domain.rights import Right

ACCEPTED = 202


class ProductionConversations(ApiView):
    """Once per id, whoever posts it how often; the answer says nothing of what is stored."""

    read_right = Right.READ_PRODUCTION
    write_right = Right.BRING_PRODUCTION

    @operation(
        "postProductionConversation",
        "What a real customer said: stored masked, once per id",
        body="ProductionConversationRequest",
        answers={202: "ProductionConversationTaken"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            return StoredResponse(status=ACCEPTED, body=take_conversation(raw=body, now=now).as_json())

        return self.once(request, work)


class ProductionState(ApiView):
    read_right = Right.READ_PRODUCTION
    write_right = Right.BRING_PRODUCTION

    @operation(
        "getProductionState",
        "What came in lately, which canaries are served, and what is wrong now",
        answers={200: "ProductionState"},
    )
    def get(self, request: Request) -> Response:
        return Response({**production_document(timezone.now()), "alerts": open_alerts_of_runs()})


class FeedbackView(ApiView):
    read_right = Right.READ_PRODUCTION
    write_right = Right.BRING_PRODUCTION

    @operation(
        "postFeedback",
        "A rating of a production conversation; the same id again changes nothing",
        body="FeedbackRequest",
        answers={202: "FeedbackTaken"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            return StoredResponse(status=ACCEPTED, body=take_feedback(body=body, now=now).as_json())

        return self.once(request, work)
