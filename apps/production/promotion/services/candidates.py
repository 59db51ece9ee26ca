"""A person's work on a candidate: say what must not happen again, look at the masking, release or archive it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError

from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.measured_metrics import measured_metrics
from apps.catalog.models import Scenario
from apps.catalog.scenarios.domain.assertions import parse_assertions
from apps.catalog.scenarios.domain.document import read_must_not
from apps.catalog.scenarios.services.releasing import archive_scenario, release_scenario
from apps.core.errors import BadInput, Conflict, NotFound
from apps.production.conversations.models import Promotion
from apps.production.promotion.queries.candidates import waiting_alike


def forbid_score(*, promotion_id: UUID | str, criterion: str, below: Any) -> None:
    """The candidate fails where this criterion is scored below the mark; the criterion again changes its mark. Four
    queries. Raises NotFound, BadInput (`unknown_criterion`), Conflict (`not_a_candidate`, `changed_meanwhile`)."""
    row = find_promotion(promotion_id)
    criteria = criterion_names()
    (entry,) = read_must_not([{"criterion": criteria.name_of(criterion), "below": _number(below)}])
    if entry["criterion"] not in criteria.titles:
        message = f"there is no criterion named {criterion!r}: nobody would score it"
        raise BadInput(message, code="unknown_criterion", pointer="/criterion")
    others = [one for one in row.scenario.must_not if one["criterion"] != entry["criterion"]]
    _change(row, must_not=read_must_not([*others, entry]))


def require_metric(*, promotion_id: UUID | str, metric: str, threshold: Any) -> None:
    """The candidate fails where this metric stays below the threshold, 0 to 1. Three queries. Raises as
    `forbid_score`; BadInput (`unknown_metric`) for one that this server does not measure."""
    row = find_promotion(promotion_id)
    if metric not in measured_metrics():
        raise BadInput(f"there is no metric {metric!r}", code="unknown_metric", pointer="/metric")
    entry = {"metric": metric, "threshold": checks.number(_number(threshold), "/threshold", low=0, high=1)}
    others = [assertion for assertion in row.scenario.assertions if assertion.get("metric") != metric]
    _change(row, assertions=parse_assertions([*others, entry]))


def drop_expectation(*, promotion_id: UUID | str, criterion: str = "", metric: str = "") -> None:
    """Take a criterion or a metric away again; one that is not there changes nothing. Three queries."""
    row = find_promotion(promotion_id)
    _change(
        row,
        must_not=[one for one in row.scenario.must_not if one["criterion"] != criterion],
        assertions=[
            assertion for assertion in row.scenario.assertions if not metric or assertion.get("metric") != metric
        ],
    )


def clear_masking(*, promotion_id: UUID | str, by: str, now: datetime) -> None:
    """A person looked at what masking may have left and found nobody in it. The quotes are forgotten; who cleared it
    is kept. Once; again changes nothing. Raises NotFound, BadInput without a name. Two queries."""
    by = checks.text(by, "/by", required=True, limit=150).strip()
    row = find_promotion(promotion_id)
    if not row.blocked:
        return
    residues = [{name: residue[name] for name in ("kind", "turn")} for residue in row.residues]
    Promotion.objects.filter(pk=row.pk, cleared_at=None).update(cleared_by=by, cleared_at=now, residues=residues)


def release_candidate(*, promotion_id: UUID | str, by: str, now: datetime) -> None:
    """A person lets it play. Raises as `release_scenario`, and Conflict (`masking_not_cleared`)."""
    release_scenario(scenario_id=find_promotion(promotion_id).scenario_id, by=by, now=now)


def archive_candidate(*, promotion_id: UUID | str) -> None:
    """Archive a candidate that is no test, or no longer one. Raises as `archive_scenario`."""
    archive_scenario(scenario_id=find_promotion(promotion_id).scenario_id)


def archive_alike(*, promotion_id: UUID | str) -> int:
    """Archive the other candidates of a candidate's group and keep it; return how many there were.
    One that was decided meanwhile stays as it is. Two queries, and two for each. Raises NotFound."""
    archived = 0
    for row in waiting_alike(find_promotion(promotion_id)):
        with suppress(Conflict):
            archive_scenario(scenario_id=row.scenario_id)
            archived += 1
    return archived


def find_promotion(promotion_id: UUID | str) -> Promotion:
    """Return the promotion with its scenario. Raises NotFound. One query."""
    try:
        row = Promotion.objects.select_related("scenario").filter(pk=promotion_id).first()
    except (ValueError, ValidationError):
        row = None
    if row is None:
        raise NotFound(f"There is no candidate {promotion_id}.")
    promotion: Promotion = row
    return promotion


def _change(row: Promotion, **fields: Sequence[Mapping[str, Any]]) -> None:
    """Change a candidate by compare-and-set, so that no change is lost when two people change it at once."""
    before: Scenario = row.scenario
    if before.status != ScenarioStatus.CANDIDATE:
        message = f"{before.slug} is {before.status}: what it expects is changed on its own page"
        raise Conflict(message, code="not_a_candidate")
    same = {name: getattr(before, name) for name in fields}
    changed = Scenario.objects.filter(pk=before.pk, status=ScenarioStatus.CANDIDATE, **same).update(
        **{name: [dict(one) for one in value] for name, value in fields.items()}
    )
    if not changed:
        raise Conflict("It was changed meanwhile: look at it again.", code="changed_meanwhile")


def _number(value: Any) -> Any:
    """Read a number that a form sends as text."""
    if not isinstance(value, str):
        return value
    try:
        return float(value.replace(",", "."))
    except ValueError:
        return value
