"""A decision as JSON: what the row keeps, and the API, the page and exports show. Pure."""

from dataclasses import asdict
from math import isfinite
from typing import Any

from apps.improvement.domain.acceptance import Acceptance, GroupDifference


def decision_document(decision: Acceptance) -> dict[str, Any]:
    """Every field of the decision; a bound that so few families cannot give is null."""
    return {
        **asdict(decision),
        "verdict": decision.verdict.value,
        "reasons": list(decision.reasons),
        "codes": list(decision.codes),
        "interval": _bounds(decision.interval),
        "confidence": 1 - 2 * decision.level,
        "blocked_criteria": list(decision.blocked_criteria),
        "flagged": list(decision.flagged),
        "criteria": [_group(one) for one in decision.criteria],
        "groups": [_group(one) for one in decision.groups],
    }


def _group(one: GroupDifference) -> dict[str, Any]:
    return {**asdict(one), "interval": _bounds(one.interval), "worse": one.worse}


def _bounds(interval: tuple[float, float] | None) -> list[float | None] | None:
    return None if interval is None else [bound if isfinite(bound) else None for bound in interval]
