"""Review queues as the API sends them."""

from typing import Any

from apps.calibration.models import LabellingRound
from apps.calibration.queries.queues import QueueFigures, QueueState, queue_state, rows_to_export


def queue_line(found: QueueFigures) -> dict[str, Any]:
    """A queue in its list. No query."""
    return {
        **_row(found.round),
        "conversations": found.conversations,
        "ratings": found.rated,
        "ratings_wanted": found.wanted,
    }


def queue_document(row: LabellingRound) -> dict[str, Any]:
    """How far it is, and how far its raters agree. Eight queries. Raises NotFound."""
    found: QueueState = queue_state(row.pk)
    return {
        **_row(found.state.round),
        "conversations": len(found.state.items),
        "ratings": found.state.rated,
        "ratings_wanted": found.state.wanted,
        "complete": found.complete,
        "criteria": [criterion["name"] for criterion in row.criteria],
        "scale": row.scale,
        "open_disagreements": found.open_disagreements,
        "agreement": [
            {
                "criterion": one.criterion,
                "conversations": one.conversations,
                "pairs": one.pairs,
                "equal": one.equal,
                "near": one.near,
                "alpha": one.alpha,
            }
            for one in found.agreement
        ],
        "raters": [{"name": name, "conversations": n} for name, n in found.state.raters.items()],
    }


def queue_ratings(row: LabellingRound) -> list[dict[str, Any]]:
    """Every rating of the conversations that have all of theirs. Some five queries."""
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
