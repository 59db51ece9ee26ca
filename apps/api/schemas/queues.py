"""The shapes of review queues (see apps.calibration.queries.queue_documents)."""

from apps.api.schema_building import COUNT, ID, NUMBER, TEXT, TEXTS, THEN, TIME, YES, Schema, known, listed, made

_LINE: Schema = {
    "id": ID,
    "name": TEXT,
    "list": {**TEXT, "description": "The address of the filtered list or matrix that it was made of."},
    "drawn_from": TEXT,
    "matched": COUNT,
    "at_random": {**YES, "description": "Drawn by lot, so that its shares are rates of the filter."},
    "raters_wanted": COUNT,
    "assigned": {**TEXTS, "description": "Who rates; nobody named: whoever may rate."},
    "evaluator_config": TEXT,
    "made_by": TEXT,
    "created_at": THEN,
    "closed_at": TIME,
    "conversations": COUNT,
    "ratings": COUNT,
    "ratings_wanted": COUNT,
}
COMPONENTS: dict[str, Schema] = {
    "ReviewQueueLine": made(_LINE),
    "ReviewQueues": made({"results": listed(known("ReviewQueueLine"))}),
    "ReviewQueueAgreement": made(
        {
            "criterion": TEXT,
            "conversations": COUNT,
            "pairs": {**COUNT, "description": "Of raters."},
            "equal": COUNT,
            "near": {**COUNT, "description": "At most one point apart."},
            "alpha": {**NUMBER, "description": "Krippendorff's, ordinal; null below ten conversations."},
        }
    ),
    "ReviewQueueRater": made({"name": TEXT, "conversations": COUNT}),
    "ReviewQueue": made(
        {
            **_LINE,
            "complete": {**COUNT, "description": "Conversations with all their ratings."},
            "criteria": TEXTS,
            "scale": TEXT,
            "open_disagreements": COUNT,
            "agreement": listed(known("ReviewQueueAgreement")),
            "raters": listed(known("ReviewQueueRater")),
        }
    ),
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
