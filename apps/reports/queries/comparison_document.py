"""A comparison as plain JSON: what the API and the command answer."""

from typing import Any

from apps.evaluations.domain.warnings import warning_fields
from apps.reports.domain.comparison import Difference
from apps.reports.queries.comparing import Comparison, Moved
from apps.reports.queries.comparison_side import Side


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """`differences` are b minus a in points of 0-10; `outcome` is b_better, a_better, no_difference or cannot_tell.
    With `same_conversations` (two evaluations of one run) b_better means that b judges more mildly."""
    consistency = comparison.consistency
    return {
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "decision": comparison.sentence,
        "same_conversations": comparison.same_conversations,
        **warning_fields(comparison.notes, name="notes"),
        "overall": _difference(comparison.overall),
        "criteria": [_difference(difference) for difference in comparison.differences],
        "counts": {kind.value: count for kind, count in comparison.counts.items()},
        "conversations": [_moved(one) for one in comparison.moved],
        "consistency": None
        if consistency is None
        else {
            "conversations": consistency.conversations,
            "a": consistency.a,
            "b": consistency.b,
            "interval": consistency.interval,
        },
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "evaluation_id": str(side.evaluation.id),
        "test_run_id": str(side.evaluation.run_id),
        "evaluator_config": side.evaluation.config_ref,
        "label": side.label,
        "fingerprints": list(side.fingerprints),
        "scored": len(side.scored),
        "left_out": side.left_out,
    }


def _difference(one: Difference) -> dict[str, Any]:
    return {
        "criterion": one.name,
        "pairs": one.pairs,
        "clusters": one.clusters,
        "trials_a": one.trials[0],
        "trials_b": one.trials[1],
        "mean_a": one.mean_a,
        "mean_b": one.mean_b,
        "difference": one.mean,
        "interval": one.interval,
        "p": one.chance,
        "p_adjusted": one.adjusted,
        "passes_only_a": one.passes[0] if one.passes else None,
        "passes_only_b": one.passes[1] if one.passes else None,
        "p_passes": one.passes_chance,
        "outcome": one.outcome.value,
        "needs_about": one.needed,
    }


def _moved(one: Moved) -> dict[str, Any]:
    return {
        "conversation_id": one.name,
        "change": one.change.value,
        "a": one.a,
        "b": one.b,
        "conversation_a": str(one.conversation_a) if one.conversation_a else None,
        "conversation_b": str(one.conversation_b) if one.conversation_b else None,
        "criterion": one.criterion or None,
        "reason": one.reason,
        "trials_a": one.trials[0],
        "trials_b": one.trials[1],
    }
