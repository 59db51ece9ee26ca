"""The scores that a Langfuse gets of a conversation: its customer's rating, and its judges'. Pure."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.core.timestamps import format_timestamp
from apps.production.conversations.domain.ratings import Rating

USER_FEEDBACK = "user_feedback"  # the brief's name (brief 000, section 1)
WHOLE = "weighted_score"
_SPACE = uuid.UUID("4b1f4c1e-6a57-5d0e-9f43-2f6b6f1d8a10")  # of the ids of our scores: the same score, the same id


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredThing:
    """The object of a score in that Langfuse: a trace, or a session where only that is known."""

    trace_id: str = ""
    session_id: str = ""

    def as_json(self) -> dict[str, str]:
        return {"traceId": self.trace_id} if self.trace_id else {"sessionId": self.session_id}


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenRating:
    """One rating or comment of the customer, in the order they were given."""

    rating: str
    comment: str


def feedback_score(
    of: ScoredThing, conversation_id: uuid.UUID, ratings: Sequence[GivenRating], *, first_at: datetime
) -> dict[str, Any] | None:
    """Return the score `user_feedback`: the newest thumb as 1 or 0, with the newest comment.

    None without a thumb. Langfuse takes a score for the same one by id *and* timestamp: `first_at`, of the rating that
    was stored first, never changes, so that a changed mind changes the score and adds none.
    """
    thumbs = [rating for rating in ratings if rating.rating != Rating.COMMENT]
    if not thumbs:
        return None
    comments = [rating.comment for rating in ratings if rating.comment]
    return {
        "id": score_id(conversation_id, USER_FEEDBACK),
        "name": USER_FEEDBACK,
        "dataType": "NUMERIC",
        "value": 1 if thumbs[-1].rating == Rating.UP else 0,
        "timestamp": format_timestamp(first_at),
        **({"comment": comments[-1]} if comments else {}),
        **of.as_json(),
    }


def judge_scores(
    of: ScoredThing,
    judgement_id: uuid.UUID,
    *,
    config: str,
    weighted: float | None,
    criteria: Mapping[str, float],
    reasons: Mapping[str, str],
    metadata: Mapping[str, Any],
    judged_at: datetime,
) -> list[dict[str, Any]]:
    """A score of each criterion, and the weighted one, named `<evaluator config>.<criterion>`, with the judge's reason
    as its comment."""
    named = {**({WHOLE: weighted} if weighted is not None else {}), **criteria}
    return [
        {
            "id": score_id(judgement_id, name),
            "name": f"{config.partition('@')[0]}.{name}",
            "dataType": "NUMERIC",
            "value": value,
            "timestamp": format_timestamp(judged_at),
            "metadata": dict(metadata),
            **({"comment": reasons[name]} if reasons.get(name) else {}),
            **of.as_json(),
        }
        for name, value in named.items()
    ]


def score_id(of: uuid.UUID, name: str) -> str:
    return str(uuid.uuid5(_SPACE, f"{of} {name}"))
