"""Review queues: which there are, one of a filter, how far it is, its ratings. People rate on the pages: blindly, one
conversation at a time."""

import secrets
import uuid
from datetime import datetime
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.domain.queue_body import ReviewQueueRequest
from apps.api.schema import operation
from apps.api.services.idempotency import StoredResponse
from apps.api.views.base import ApiView, no_body
from apps.calibration.queries.labelling import find_round
from apps.calibration.queries.queue_documents import queue_document, queue_line, queue_ratings
from apps.calibration.queries.queues import queues
from apps.calibration.services.queues import QueueRequest, close_queue, make_queue
from apps.core.actor import actor_now
from apps.core.validation import validate
from apps.improvement.queries.filtered_conversations import filtered_conversations


class QueueView(ApiView):
    """What the views of queues share. One takes people's time, so a key needs the scope curate."""

    read_permission = "calibration.view_certificate"
    write_permission = "calibration.add_labellinground"
    curates = True


class ReviewQueues(QueueView):
    @operation("listReviewQueues", "Review queues, open ones first, the newest first", answers={200: "ReviewQueues"})
    def get(self, request: Request) -> Response:
        return Response({"results": [queue_line(one) for one in queues()]})

    @operation("createReviewQueue", "Make a review queue of what a filtered list or matrix shows",
               body="ReviewQueueRequest", answers={201: "ReviewQueue"}, idempotent=True)  # fmt: skip
    def post(self, request: Request) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            asked = validate(ReviewQueueRequest, body)
            matched = filtered_conversations(request._request, asked.list)
            wanted = QueueRequest(
                name=asked.name, matched=matched.ids, whole=matched.whole, size=asked.size, raters=asked.raters,
                source={"address": matched.address, "called": matched.called}, at_random=asked.at_random,
                assigned=asked.assigned, config=asked.evaluator_config,
            )  # fmt: skip
            made = make_queue(asked=wanted, by=actor_now() or "api", seed=secrets.randbits(31))
            return StoredResponse(status=201, body=queue_document(find_round(made)))

        return self.once(request, work)


class ReviewQueueDetail(QueueView):
    @operation("getReviewQueue", "How far a queue is, and how far its raters agree", answers={200: "ReviewQueue"})
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response(queue_document(find_round(id)))


class ReviewQueueRatings(QueueView):
    @operation("getReviewQueueRatings", "The ratings of conversations that have all of theirs, with resolutions",
               answers={200: "ReviewQueueRatings"})  # fmt: skip
    def get(self, request: Request, id: uuid.UUID) -> Response:
        return Response({"results": queue_ratings(find_round(id))})


class _QueueSwitch(QueueView):
    def steer(self, request: Request, id: uuid.UUID, *, closed: bool) -> Response:
        def work(body: Any, now: datetime) -> StoredResponse:
            no_body(body)
            row = close_queue(round_id=id, closed=closed, now=now)
            return StoredResponse(status=200, body=queue_document(find_round(row.pk)))

        return self.once(request, work)


class CloseReviewQueue(_QueueSwitch):
    @operation("closeReviewQueue", "End a queue; its ratings stay", answers={200: "ReviewQueue"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steer(request, id, closed=True)


class ReopenReviewQueue(_QueueSwitch):
    @operation("reopenReviewQueue", "Open a queue again", answers={200: "ReviewQueue"}, idempotent=True)
    def post(self, request: Request, id: uuid.UUID) -> Response:
        return self.steer(request, id, closed=False)
