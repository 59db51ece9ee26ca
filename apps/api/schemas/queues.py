"""The shapes of review queues (see apps.calibration.queries.queue_documents)."""

from apps.api.schema_building import ID, NUMBER, TEXT, Schema, known, listed, made

COMPONENTS: dict[str, Schema] = {
    "ReviewQueues": made({"results": listed(known("ReviewQueueLine"))}),
    "ReviewQueueRating": made(
        {
            "conversation": TEXT,
            "conversation_id": ID,
            "language": TEXT,
            "criterion": TEXT,
            "rater": TEXT,
            "value": NUMBER,
            "reason": TEXT,
            "resolved_value": NUMBER,
            "resolved_by": TEXT,
            "resolution": TEXT,
        }
    ),
    "ReviewQueueRatings": made({"results": listed(known("ReviewQueueRating"))}),
}
