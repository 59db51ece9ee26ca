"""Trials as the API and the pages show them. Conversations of a hold-out are never named: aggregates only."""

import uuid
from typing import Any

from apps.core.errors import NotFound
from apps.core.timestamps import format_if_known
from apps.evaluations.services.wait import progress_of
from apps.improvement.drafts.domain.trial_states import TrialStatus
from apps.improvement.drafts.models import Trial
from apps.improvement.drafts.queries.provenance import provenance_of
from apps.improvement.drafts.queries.standing import verdict_of_trial


def find_trial(trial_id: uuid.UUID | str) -> Trial:
    """The row with its draft. One query. Raises NotFound."""
    rows = Trial.objects.select_related("draft__line__live", "draft__version", "draft__base", "draft__original")
    try:
        return rows.get(pk=uuid.UUID(str(trial_id)))
    except (ValueError, Trial.DoesNotExist):
        raise NotFound(f"There is no trial {trial_id}.") from None


def trial_line(row: Trial) -> dict[str, Any]:
    """One line of a list. No query where the draft is loaded."""
    return {
        "id": str(row.pk),
        "draft": str(row.draft_id),
        "part": row.part,
        "look": row.look,
        "status": row.status,
        "verdict": verdict_of_trial(row).value if row.decision else None,
        "sentence": row.sentence or row.error_message,
        "requested_by": row.requested_by,
        "created_at": format_if_known(row.created_at),
        "decided_at": format_if_known(row.decided_at),
    }


def trial_document(row: Trial) -> dict[str, Any]:
    """Everything about a trial. Some fifteen queries."""
    sides = list(row.sides.select_related("prompt", "evaluation").order_by("id"))
    return {
        **trial_line(row),
        "set_number": row.set_number or None,
        "agent": row.agent,
        "personas": row.personas,
        "repeats": row.repeats,
        "seed": row.seed,
        "evaluator_config": row.evaluator_config,
        "block_points": row.block_points,
        "budget_usd": None if row.budget_usd is None else float(row.budget_usd),
        "scenarios": len(row.scenarios),
        "forecast": row.forecast,
        "progress": progress_of_trial(row),
        "waiting_for": row.waiting_for,
        "error_message": row.error_message,
        "sides": [
            {
                "side": side.side,
                "prompt_version": side.prompt.version,
                "test_run": None if side.test_run_id is None else str(side.test_run_id),
                "evaluation": None if side.evaluation_id is None else str(side.evaluation_id),
            }
            for side in sides
        ],
        "decision": {"stopped_early": False, "groups_withheld": 0, **row.decision} if row.decision else None,
        "lifted_blocks": row.lifted_blocks,
        "provenance": provenance_of(row),
        "started_at": format_if_known(row.started_at),
        "ended_at": format_if_known(row.ended_at),
    }


def progress_of_trial(row: Trial) -> dict[str, int]:
    """Conversations and judgements done, of how many; as forecast while nothing is started. Nine queries at most."""
    if row.status == TrialStatus.PENDING:
        return {"done": 0, "total": 2 * int(row.forecast.get("conversations", 0))}
    sides = [side for side in row.sides.all() if side.test_run_id and side.evaluation_id]
    if not sides:
        return {"done": 0, "total": 0}
    found = progress_of(
        run_ids=[side.test_run_id for side in sides if side.test_run_id],
        evaluation_ids=[side.evaluation_id for side in sides if side.evaluation_id],
    )
    return {"done": found.done, "total": found.total}
