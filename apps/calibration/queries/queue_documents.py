"""Review queues as the API sends them."""

from collections.abc import Sequence
from typing import Annotated, Any

from apps.calibration.models import LabellingRound
from apps.calibration.queries.queues import QueueFigures, QueueState, queue_state, rows_to_export
from apps.core.documents import Count, Document, Id, Moment
from apps.core.shapes import described


class ReviewQueueLine(Document, component="ReviewQueueLine"):
    id: Id
    name: str
    list: Annotated[str, described("The address of the filtered list or matrix that it was made of.")]
    drawn_from: str
    matched: Count
    at_random: Annotated[bool, described("Drawn by lot, so that its shares are rates of the filter.")]
    raters_wanted: Count
    assigned: Annotated[Sequence[str], described("Who rates; nobody named: whoever may rate.")]
    evaluator_config: str
    made_by: str
    created_at: Moment
    closed_at: Moment | None
    conversations: Count
    ratings: Count
    ratings_wanted: Count


class ReviewQueueAgreement(Document, component="ReviewQueueAgreement"):
    criterion: str
    conversations: Count
    pairs: Annotated[Count, described("Of raters.")]
    equal: Count
    near: Annotated[Count, described("At most one point apart.")]
    alpha: Annotated[float | None, described("Krippendorff's, ordinal; null below ten conversations.")]


class ReviewQueueRater(Document, component="ReviewQueueRater"):
    name: str
    conversations: Count


class ReviewQueue(ReviewQueueLine, component="ReviewQueue"):
    complete: Annotated[Count, described("Conversations with all their ratings.")]
    criteria: Sequence[str]
    scale: str
    open_disagreements: Count
    agreement: Sequence[ReviewQueueAgreement]
    raters: Sequence[ReviewQueueRater]


def queue_line(figures: QueueFigures) -> ReviewQueueLine:
    """A queue in its list. No query."""
    return ReviewQueueLine(
        **_row(figures.round),
        conversations=figures.conversations,
        ratings=figures.rated,
        ratings_wanted=figures.wanted,
    )


def queue_document(row: LabellingRound) -> ReviewQueue:
    """Return how far a queue is, and how far its raters agree. Eight queries. Raises NotFound."""
    state: QueueState = queue_state(row.pk)
    return ReviewQueue(
        **_row(state.state.round),
        conversations=len(state.state.items),
        ratings=state.state.rated,
        ratings_wanted=state.state.wanted,
        complete=state.complete,
        criteria=[criterion["name"] for criterion in row.criteria],
        scale=row.scale,
        open_disagreements=state.open_disagreements,
        agreement=[
            ReviewQueueAgreement(
                criterion=one.criterion,
                conversations=one.conversations,
                pairs=one.pairs,
                equal=one.equal,
                near=one.near,
                alpha=one.alpha,
            )
            for one in state.agreement
        ],
        raters=[ReviewQueueRater(name=name, conversations=n) for name, n in state.state.raters.items()],
    )


def queue_ratings(row: LabellingRound) -> list[dict[str, Any]]:
    """Return the ratings of all conversations that have enough raters. About five queries."""
    return list(rows_to_export(row.pk))


def _row(row: LabellingRound) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "name": row.name,
        "list": str(row.source.get("address") or ""),
        "drawn_from": str(row.source.get("called") or ""),
        "matched": int(row.source.get("matched") or 0),
        "at_random": row.at_random,
        "raters_wanted": row.raters_wanted,
        "assigned": list(row.assigned),
        "evaluator_config": row.config_ref,
        "made_by": row.made_by,
        "created_at": row.created_at.isoformat(),
        "closed_at": row.closed_at.isoformat() if row.closed_at else None,
    }
