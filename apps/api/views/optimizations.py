"""Optimizations: asked for, how far one is, its matrix; its winners combined, one of them sent to the hold-out,
stopped."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.optimization_body import OptimizationCombination, OptimizationProof, OptimizationRequest
from apps.api.pages import PAGED, Order, page_of
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.models import Optimization
from apps.improvement.optimizer.domain.forecast import OptimizationForecastOnly
from apps.improvement.optimizer.queries.documents import (
    find_optimization,
    optimization_document,
    optimization_line,
    optimization_matrix,
)
from apps.improvement.optimizer.services.requesting_optimizations import plan_optimization, request_optimization
from apps.improvement.optimizer.services.steering_optimizations import (
    cancel_optimization,
    combine_optimization,
    prove_draft,
)
from apps.improvement.prompt_templates.queries.versions import template_documents
from apps.jobs.wakeups import wake_workers_on_commit
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class OptimizationView(ApiView):
    """What the views of optimizations share. One spends money and may spend a look for life, so a key needs the scope
    curate."""

    read_right = Right.READ_OPTIMIZATIONS
    write_right = Right.OPTIMIZE


class Optimizations(OptimizationView):
    query_names = PAGED

    @operation(
        "createOptimization",
        "Propose fixes for an evaluation and try each, or say what that would take",
        body="OptimizationRequest",
        answers={200: "OptimizationForecastOnly", 202: "Optimization"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            request = validate(OptimizationRequest, body)
            if request.forecast_only:
                plan = plan_optimization(request.choices(), now=now)
                return StoredResponse(status=200, body=OptimizationForecastOnly(forecast=plan.forecast.document()))
            made = request_optimization(request.choices(), by=actor_now() or "api", now=now)
            wake_workers_on_commit(current_slug(), "optimization")
            return StoredResponse(status=202, body=optimization_document(find_optimization(made)))

        return self.once(request, work)

    @operation("listOptimizations", "Optimizations, newest first", answers={200: "OptimizationPage"}, paged=True)
    def get(self, request: Request) -> Response:
        rows = Optimization.objects.select_related("line", "base")
        page, following, preceding = page_of(request, rows, Order(field="id", read=uuid.UUID, newest_first=True))
        lines = [optimization_line(row) for row in page]
        return Response({"results": lines, "next": following, "previous": preceding})


class PromptTemplatesView(ApiView):
    """Read only: a version is written in the admin."""

    read_right = Right.READ_TEMPLATES

    @operation(
        "listPromptTemplates",
        "The texts that ask the workshop's models, and which are in force",
        answers={200: "PromptTemplates"},
    )
    def get(self, request: Request) -> Response:
        return Response({"results": template_documents()})


class OptimizationDetail(OptimizationView):
    @operation("getOptimization", "How far an optimization is, and what it came to", answers={200: "Optimization"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(optimization_document(find_optimization(id)))


class OptimizationMatrix(OptimizationView):
    @operation(
        "getOptimizationMatrix",
        "Fix by criterion: what each draft changes, on the selection",
        answers={200: "OptimizationMatrix"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(optimization_matrix(find_optimization(id)))


class _Steered(OptimizationView):
    def steer(self, request: Request, id: uuid.UUID, act: Callable[[Any, str, datetime], object]) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_optimization(id)  # nobody's id is 404 before anything of the body is looked at
            act(body, actor_now() or "api", now)
            wake_workers_on_commit(current_slug(), "optimization", "trial")
            return StoredResponse(status=202, body=optimization_document(find_optimization(id)))

        return self.once(request, work)


class CombineOptimization(_Steered):
    @operation(
        "combineOptimization",
        "Put winning fixes into one draft, which is tried itself",
        body="OptimizationCombination",
        answers={202: "Optimization"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> object:
            combination = validate(OptimizationCombination, body)
            return combine_optimization(id, by=by, now=now, drafts=combination.drafts, choices=combination.choices)

        return self.steer(request, id, act)


class ProveOptimization(_Steered):
    @operation(
        "proveOptimization",
        "Send one of its drafts to the hold-out, which spends a look",
        body="OptimizationProof",
        answers={202: "Optimization"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> object:
            return prove_draft(id, by=by, now=now, draft_id=validate(OptimizationProof, body).draft)

        return self.steer(request, id, act)


class CancelOptimization(_Steered):
    @operation("cancelOptimization", "Stop an optimization for good", answers={202: "Optimization"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, by: str, now: datetime) -> object:
            no_body(body)
            return cancel_optimization(id, by=by, now=now)

        return self.steer(request, id, act)
