"""Which prompt version answers a conversation, and the rollouts that decide it."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.rollout_body import (
    RolloutChangeRequest,
    RolloutPromotionRequest,
    RolloutReasonRequest,
    RolloutStartRequest,
    TriedConversationRequest,
)
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, person_of
from apps.core.actor import actor_now
from apps.core.errors import BadInput
from apps.core.validation import validate
from apps.production.domain.routing import routed_id
from apps.production.rollouts.queries.documents import (
    ROLLOUT_FILTERS,
    RolloutForecastOnly,
    find_rollout,
    resolved_prompt,
    rollout_document,
    rollout_line,
    rollouts_found,
    routes,
)
from apps.production.rollouts.services.steering import (
    change_rollout,
    plan_rollout,
    promote_rollout,
    roll_back,
    start_rollout,
    stop_rollout,
    try_conversation,
)
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right

S = TypeVar("S")
_LONGEST = 200
_OF_RESOLVE = {
    "conversation_id": "As the router is given it.",
    "tenant_id": "Of the caller, a UUID; without it, the name of this tenant stands for it.",
}


class PromptRoutes(ApiView):
    """What a router reads every ten seconds."""

    read_right = Right.READ_CATALOG

    @operation(
        "getPromptRoutes", "Each role's live version, and its canary with its percentage", answers={200: "PromptRoutes"}
    )
    def get(self, request: Request) -> Response:
        return Response(routes(now=timezone.now()))


class ResolvedPrompt(ApiView):
    """For who cannot carry the router: the same answer, at the price of a request."""

    read_right = Right.READ_CATALOG
    query_names = tuple(_OF_RESOLVE)

    @operation(
        "resolvePrompt",
        "The prompt version that answers this conversation",
        answers={200: "ResolvedPrompt"},
        filters=_OF_RESOLVE,
    )
    def get(self, request: Request, role: str) -> Response:
        conversation_id = request.query_params.get("conversation_id", "")
        if not 0 < len(conversation_id) <= _LONGEST:
            raise BadInput(f"conversation_id has 1 to {_LONGEST} characters.", code="bad_parameter")
        tenant_id = _caller(request.query_params.get("tenant_id", ""))
        resolved = resolved_prompt(
            role, conversation_id=routed_id(conversation_id), tenant_id=tenant_id, now=timezone.now()
        )
        return Response(resolved)


def _caller(text: str) -> str:
    if not text:
        return current_slug()
    try:
        return str(uuid.UUID(text))
    except ValueError:
        raise BadInput(f"tenant_id is a UUID, not {text[:40]!r}.", code="bad_parameter") from None


class RolloutView(ApiView):
    """What the views of rollouts share. A rollout changes what customers are answered, so a key needs the scope
    curate."""

    read_right = Right.READ_ROLLOUTS
    write_right = Right.STEER_ROLLOUTS

    def steer(
        self, request: Request, rollout_id: uuid.UUID, shape: type[S], act: Callable[[S, str, datetime], None]
    ) -> Response:
        """Do once what a request asks of this rollout; its document as it is then."""

        def work(body: Any, now: datetime) -> StoredResponse:
            find_rollout(rollout_id)  # nobody's id is 404 before anything of the body is looked at
            act(validate(shape, body), actor_now() or "api", now)
            return StoredResponse(status=200, body=rollout_document(find_rollout(rollout_id), now=now))

        return self.once(request, work)


class Rollouts(RolloutView):
    query_names = (*PAGED, *ROLLOUT_FILTERS)

    @operation(
        "startRollout",
        "Send some of a hundred conversations to a canary, or say what that would see",
        body="RolloutStartRequest",
        answers={200: "RolloutForecastOnly", 201: "Rollout"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(RolloutStartRequest, body)
            if request.forecast_only:
                plan = plan_rollout(request, now=now)
                answer = RolloutForecastOnly(
                    role=plan.line.name,
                    canary=plan.canary.version,
                    evaluator_config=plan.config,
                    forecast=plan.forecast.document(),
                )
                return StoredResponse(status=200, body=answer)
            made = start_rollout(request, by=actor_now() or "api", now=now)
            return StoredResponse(status=201, body=rollout_document(find_rollout(made), now=now))

        return self.once(request, work)

    @operation(
        "listRollouts", "Rollouts, newest first", answers={200: "RolloutPage"}, paged=True, filters=ROLLOUT_FILTERS
    )
    def get(self, request: Request) -> Response:
        rows = rollouts_found(request.query_params)
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        now = timezone.now()
        return Response(
            {"results": [rollout_line(row, now=now) for row in page], "next": following, "previous": preceding}
        )


class RolloutDetail(RolloutView):
    @operation("getRollout", "One rollout with its figures as they are now", answers={200: "Rollout"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(rollout_document(find_rollout(id), now=timezone.now()))


class ChangeRollout(RolloutView):
    @operation(
        "changeRollout",
        "Raise the percentage, or give it more hours",
        body="RolloutChangeRequest",
        answers={200: "Rollout"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def change(request: RolloutChangeRequest, by: str, now: datetime) -> None:
            change_rollout(id, by=by, now=now, percentage=request.percentage, hours=request.hours)

        return self.steer(request, id, RolloutChangeRequest, change)


class TryConversation(RolloutView):
    @operation(
        "tryConversation",
        "Force one conversation into the canary",
        body="TriedConversationRequest",
        answers={200: "Rollout"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def force(request: TriedConversationRequest, by: str, now: datetime) -> None:
            conversation = routed_id(request.conversation_id)
            try_conversation(id, tenant_id=request.caller, conversation_id=conversation, by=by, now=now)

        return self.steer(request, id, TriedConversationRequest, force)


class PromoteRollout(RolloutView):
    """The answer of a person; a key never gives it."""

    write_right = Right.PROMOTE_ROLLOUTS

    @operation(
        "promoteRollout", "Make the canary live; people only", body="RolloutPromotionRequest", answers={200: "Rollout"}
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        find_rollout(id)
        by = person_of(request)
        promotion = validate(RolloutPromotionRequest, self.json_body(request))
        now = timezone.now()
        promote_rollout(id, by=by, now=now, acknowledged=promotion.acknowledged, reason=promotion.reason)
        return Response(rollout_document(find_rollout(id), now=now))


class RollBack(RolloutView):
    """The way to safety: a key that may write is enough."""

    write_right = Right.ROLL_BACK

    @operation(
        "rollBack",
        "Everybody gets what is live again",
        body="RolloutReasonRequest",
        answers={200: "Rollout"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def end(request: RolloutReasonRequest, by: str, now: datetime) -> None:
            roll_back(id, by=by, now=now, reason=request.reason)

        return self.steer(request, id, RolloutReasonRequest, end)


class StopRollout(RolloutView):
    @operation(
        "stopRollout",
        "End it without saying that the canary is worse",
        body="RolloutReasonRequest",
        answers={200: "Rollout"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def end(request: RolloutReasonRequest, by: str, now: datetime) -> None:
            stop_rollout(id, by=by, now=now, reason=request.reason)

        return self.steer(request, id, RolloutReasonRequest, end)
