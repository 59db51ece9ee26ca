"""Test runs: start one, watch it, steer it."""

import uuid
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.etags import conditional
from apps.api.pages import FILTERS, PAGED, Order, filtered, page_of
from apps.api.queries.documents import conversation_document, run_document, run_line
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.services.submissions import forecast_submission, submit_rerun, submit_run
from apps.api.views.base import ApiView, no_body
from apps.evaluations.judging.services.completion import cancel_run_and_judging
from apps.evaluations.progress.queries.status import run_status
from apps.evaluations.progress.services.reconciling import reconcile, requeue_errors
from apps.evaluations.progress.services.resume import resume
from apps.jobs.wakeups import wake_workers_on_commit
from apps.runs.domain.kind_traits import RUN_LIST
from apps.runs.models import Conversation, TestRun, Turn
from apps.runs.playing.queries.progress import find_run
from apps.runs.playing.services.control import pause_run
from apps.tenants.context import current_slug
from apps.tenants.domain.rights import Right


class RunView(ApiView):
    read_right = Right.READ_RUNS
    write_right = Right.STEER_RUNS


class TestRuns(RunView):
    __test__ = False
    query_names = (*PAGED, *FILTERS)
    write_right = Right.START_RUNS

    @operation(
        "startTestRun",
        "Start a battle or replay run",
        body="TestRunRequest",
        answers={202: "TestRunTaken"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            answer = submit_run(body=body, base=self.base_address(request), now=now)
            wake_workers_on_commit(current_slug(), "playing")
            return answer

        return self.once(request, work)

    @operation("listTestRuns", "Test runs, newest first", answers={200: "TestRunPage"}, paged=True, filters=FILTERS)
    def get(self, request: Request) -> Response:
        order = Order(field="id", read=uuid.UUID, newest_first=True)
        rows = TestRun.objects.filter(kind__in=RUN_LIST).defer("plan")
        page, following, preceding = page_of(request, filtered(request, rows), order)
        return Response({"results": [run_line(row) for row in page], "next": following, "previous": preceding})


class TestRunForecast(RunView):
    __test__ = False
    write_right = Right.START_RUNS

    @operation(
        "forecastTestRun",
        "What starting this run would probably cost; starts nothing",
        body="TestRunRequest",
        answers={200: "RunForecast"},
    )
    def post(self, request: Request) -> Response:
        return Response(forecast_submission(body=self.json_body(request), now=timezone.now()))


class TestRunDetail(RunView):
    reads_conversations = True
    __test__ = False

    @operation("getTestRun", "A run and its frozen plan", answers={200: "TestRun"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(run_document(find_run(id)))


def conversations_of(run: TestRun) -> QuerySet[Conversation]:
    """A run's conversations with their transcripts prefetched."""
    return Conversation.objects.filter(run=run).prefetch_related(Prefetch("turns", queryset=Turn.objects.transcript()))


class Conversations(RunView):
    reads_conversations = True
    query_names = PAGED

    @operation(
        "listConversations", "A run's conversations with their turns", answers={200: "ConversationPage"}, paged=True
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        run = find_run(id)
        rows = conversations_of(run)
        page, following, preceding = page_of(request, rows, Order(field="position", read=_position))
        results = [conversation_document(row) for row in page]
        return Response({"results": results, "next": following, "previous": preceding})


class TestRunStatus(RunView):
    __test__ = False

    @operation(
        "getTestRunStatus", "How far a run is; poll every 30 s at most", answers={200: "Status"}, conditional=True
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return conditional(request, run_status(id, now=timezone.now()))


class Steering(RunView):
    """POST without a body; the answer is the status as it is then."""

    reads_conversations = True  # a trial's run is steered by its trial alone

    def steered(self, request: Request, run_id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            find_run(run_id)
            self.steer(run_id, now)
            wake_workers_on_commit(current_slug(), "playing")
            wake_workers_on_commit(current_slug(), "judging")
            return StoredResponse(status=200, body=run_status(run_id, now=now))

        return self.once(request, work)

    def steer(self, run_id: uuid.UUID, now: datetime) -> None:
        raise NotImplementedError


class Pause(Steering):
    @operation("pauseTestRun", "Start no more conversations", answers={200: "Status"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steered(request, id)

    def steer(self, run_id: uuid.UUID, now: datetime) -> None:
        pause_run(run_id=run_id)


class Resume(Steering):
    @operation("resumeTestRun", "Go on with a paused run", answers={200: "Status"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steered(request, id)

    def steer(self, run_id: uuid.UUID, now: datetime) -> None:
        resume(run_id=run_id, now=now)


class CancelRun(Steering):
    @operation("cancelTestRun", "Stop for good", answers={200: "Status"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steered(request, id)

    def steer(self, run_id: uuid.UUID, now: datetime) -> None:
        cancel_run_and_judging(run_id=run_id, now=now)


class Requeue(Steering):
    @operation(
        "requeueTestRun", "Owe again what ended in parse_error or model_error", answers={200: "Status"}, idempotent=True
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steered(request, id)

    def steer(self, run_id: uuid.UUID, now: datetime) -> None:
        requeue_errors(run_id=run_id, now=now)


class Rerun(RunView):
    reads_conversations = True
    write_right = Right.START_RUNS

    @operation(
        "rerunTestRun",
        "Play exactly what errored, failed or is undecided again, in a new run",
        body="RerunRequest",
        answers={202: "RerunTaken"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            answer = submit_rerun(run_id=id, body=body, base=self.base_address(request), now=now)
            wake_workers_on_commit(current_slug())
            return answer

        return self.once(request, work)


class Reconcile(Steering):
    @operation(
        "reconcileTestRun", "Recompute from rows and owe again what is stuck", answers={200: "Status"}, idempotent=True
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steered(request, id)

    def steer(self, run_id: uuid.UUID, now: datetime) -> None:
        reconcile(run_id=run_id, now=now)


def _position(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise ValueError(text)
    return int(text)
