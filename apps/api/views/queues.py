"""Review queues: which there are, one of a filter, how far it is, its ratings. People rate on the pages: blindly, one
conversation at a time."""

import secrets
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.queue_body import ReviewQueueRaters, ReviewQueueRequest, ReviewQueueResolution
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body
from apps.calibration.queries.labelling import find_item_of, find_round
from apps.calibration.queries.queue_documents import queue_document, queue_line, queue_ratings
from apps.calibration.queries.queues import queues
from apps.calibration.services.queues import QueueRequest, assign_queue, close_queue, make_queue, resolve
from apps.core.actor import actor_now
from apps.core.errors import Conflict
from apps.core.validation import validate
from apps.improvement.holdout.queries.filtered_conversations import filtered_conversations
from apps.tenants.domain.rights import Right


class QueueView(ApiView):
    """What the views of queues share. One takes people's time, so a key needs the scope curate."""

    read_right = Right.READ_CALIBRATION
    write_right = Right.FILL_ROUNDS


class ReviewQueues(QueueView):
    @operation("listReviewQueues", "Review queues, open ones first, the newest first", answers={200: "ReviewQueues"})
    def get(self, request: Request) -> Response:
        return Response({"results": [queue_line(queue) for queue in queues()]})

    @operation(
        "createReviewQueue",
        "Make a review queue of what a filtered list or matrix shows",
        body="ReviewQueueRequest",
        answers={201: "ReviewQueue"},
        idempotent=True,
    )
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            queue_request = validate(ReviewQueueRequest, body)
            matched = filtered_conversations(request._request, queue_request.list)
            wanted = QueueRequest(
                name=queue_request.name,
                matched=matched.ids,
                whole=matched.whole,
                size=queue_request.size,
                raters=queue_request.raters,
                source={"address": matched.address, "called": matched.called},
                at_random=queue_request.at_random,
                assigned=queue_request.assigned,
                config=queue_request.evaluator_config,
            )
            made = make_queue(asked=wanted, by=actor_now() or "api", seed=secrets.randbits(31))
            return StoredResponse(status=201, body=queue_document(find_round(made)))

        return self.once(request, work)


class ReviewQueueDetail(QueueView):
    @operation("getReviewQueue", "How far a queue is, and how far its raters agree", answers={200: "ReviewQueue"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(queue_document(find_round(id)))


class ReviewQueueRatings(QueueView):
    @operation(
        "getReviewQueueRatings",
        "The ratings of conversations that have all of theirs, with resolutions",
        answers={200: "ReviewQueueRatings"},
    )
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response({"results": queue_ratings(find_round(id))})


class _QueueChange(QueueView):
    """Answers with the queue as it is afterwards."""

    def change(self, request: Request, id: uuid.UUID, act: Callable[[Any, datetime], object]) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            find_round(id)  # nobody's id is 404 before anything of the body is looked at
            act(body, now)
            return StoredResponse(status=200, body=queue_document(find_round(id)))

        return self.once(request, work)

    def steer(self, request: Request, id: uuid.UUID, *, closed: bool) -> Response:
        def act(body: Any, now: datetime) -> None:
            no_body(body)
            close_queue(round_id=id, closed=closed, now=now)

        return self.change(request, id, act)


class AssignReviewQueue(_QueueChange):
    @operation(
        "assignReviewQueue",
        "Say who rates; what was rated stays",
        body="ReviewQueueRaters",
        answers={200: "ReviewQueue"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.change(
            request, id, lambda body, _: assign_queue(round_id=id, raters=validate(ReviewQueueRaters, body).assigned)
        )


class ResolveInReviewQueue(_QueueChange):
    @operation(
        "resolveInReviewQueue",
        "Say what counts where raters differ, and why",
        body="ReviewQueueResolution",
        answers={200: "ReviewQueue"},
        idempotent=True,
    )
    def post(self, request: Request, id: uuid.UUID) -> Response:
        def act(body: Any, now: datetime) -> None:
            resolution = validate(ReviewQueueResolution, body)
            item = find_item_of(round_id=id, conversation_id=resolution.conversation_id)
            outcome = resolve(
                item_id=item.pk,
                criterion=resolution.criterion,
                value=resolution.value,
                reason=resolution.reason,
                by=actor_now() or "api",
            )
            if not outcome:
                raise Conflict("Somebody resolved it before you; theirs stands.", code="already_resolved")

        return self.change(request, id, act)


class CloseReviewQueue(_QueueChange):
    @operation("closeReviewQueue", "End a queue; its ratings stay", answers={200: "ReviewQueue"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steer(request, id, closed=True)


class ReopenReviewQueue(_QueueChange):
    @operation("reopenReviewQueue", "Open a queue again", answers={200: "ReviewQueue"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steer(request, id, closed=False)
