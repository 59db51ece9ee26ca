"""A decision as JSON: what the row keeps, and the API, the page and exports show. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any

from apps.core.documents import Count, Document, one_of
from apps.core.shapes import Keywords, described
from apps.improvement.domain.acceptance import Acceptance, AcceptanceVerdict, GroupDifference

MIN_TOLD = 3  # families of a group, and of all that are withheld


class GroupMovement(StrEnum):
    """Movement of a difference, as the decision says. A figure alone tells nobody whether it is more than chance."""

    BLOCKS = "blocks"
    WORSE = "worse"
    BETTER = "better"
    CANNOT_TELL = "cannot_tell"
    TOO_FEW = "too_few"


Bounds = Annotated[Sequence[float | None], Keywords({"minItems": 2, "maxItems": 2})]
_Points = Annotated[Bounds | None, described("In points; a bound that so few families cannot give is null.")]


class TrialGroup(Document, component="TrialGroup"):
    kind: Annotated[str, one_of(["criterion", "language", "persona"])]
    name: str
    families: Count
    estimate: Annotated[float, described("Draft minus live, in points.")]
    interval: _Points
    p: Annotated[float | None, described("Of a loss, adjusted for all criteria; null for other groups.")]
    worse: Annotated[bool, described("The whole interval lies below 0.")]


class TrialDecision(Document, component="TrialDecision"):
    verdict: Annotated[str, one_of(AcceptanceVerdict)]
    sentence: str
    reasons: Sequence[str]
    codes: Annotated[Sequence[str], described("A stable word for each reason, in the same order.")]
    estimate: float | None
    interval: _Points
    confidence: float
    level: float
    look: Count
    families: Count
    differing: Count
    pairs: Count
    left_out: Count
    live_mean: float | None
    draft_mean: float | None
    against_original: float | None
    blocked_criteria: Sequence[str]
    stopped_early: Annotated[bool, described("Before all was played: the draft would not have scored higher.")]
    flagged: Annotated[Sequence[str], described("Personas without whom less than half of the gain is left.")]
    criteria: Sequence[TrialGroup]
    groups: Sequence[TrialGroup]
    groups_withheld: Annotated[Count, described("Of a hold-out: groups of too few families to be told apart.")]


def movement(difference: Mapping[str, Any], decision: Mapping[str, Any]) -> GroupMovement:
    """Return where the decision or one of its criteria and groups moved. Its whole interval decides, never its size."""
    if difference.get("kind") == "criterion" and difference["name"] in decision["blocked_criteria"]:
        return GroupMovement.BLOCKS
    if difference["interval"] is None:
        return GroupMovement.TOO_FEW
    low, high = difference["interval"]
    if difference.get("worse", high is not None and high < 0):
        return GroupMovement.WORSE
    return GroupMovement.BETTER if low is not None and low > 0 else GroupMovement.CANNOT_TELL


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
        "criteria": [_group(criterion) for criterion in decision.criteria],
        "groups": [_group(group) for group in decision.groups],
    }


def without_small_groups(document: dict[str, Any]) -> dict[str, Any]:
    """Withhold small groups from the document of a hold-out, whose single families nobody may read.

    Of languages and of personas the smallest are withheld until those left out hold `MIN_TOLD` families together, so
    that no rest can be subtracted.
    """
    groups_told = list[dict[str, Any]]()
    for kind in dict.fromkeys(group["kind"] for group in document["groups"]):
        groups, held = sorted((group for group in document["groups"] if group["kind"] == kind), key=_size), 0
        while groups and (_size(groups[0]) < MIN_TOLD or 0 < held < MIN_TOLD):
            held += _size(groups.pop(0))
        groups_told += sorted(groups, key=lambda group: str(group["name"]))
    return {**document, "groups": groups_told, "groups_withheld": len(document["groups"]) - len(groups_told)}


def _size(group: dict[str, Any]) -> int:
    return int(group["families"])


def _group(difference: GroupDifference) -> dict[str, Any]:
    return {**asdict(difference), "interval": _bounds(difference.interval), "worse": difference.worse}


def _bounds(interval: tuple[float, float] | None) -> list[float | None] | None:
    return None if interval is None else [bound if isfinite(bound) else None for bound in interval]
