"""What a conversation failed in, by its newest judgement and its checks: what must not happen again, to begin with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.catalog.domain.criteria import FALLBACK_LANGUAGE, title_in
from apps.catalog.measured_metrics import measured_metrics
from apps.catalog.models import Criterion
from apps.checks.models import CheckResult
from apps.evaluations.domain.states import JudgementStatus, ScoreStatus
from apps.evaluations.models import CriterionScore, Judgement
from apps.statistics.decision import Decision

MOST_CRITERIA = 3  # the worst: a test that fails for everything says nothing
_OWN_SCALE = "0-10"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedExpectations:
    """`must_not` and `assertions` as a scenario has them; `sentences` say in words what failed."""

    must_not: Sequence[dict[str, Any]] = ()
    assertions: Sequence[dict[str, Any]] = ()
    sentences: Sequence[str] = ()


def failed_expectations(conversation_id: UUID) -> FailedExpectations:
    """The worst criteria below their pass mark that the catalog still has, and failed metrics. Four queries."""
    scores = _failed_scores(conversation_id)
    rows = Criterion.objects.filter(name__in=[one.criterion for one in scores]).values_list("name", "titles")
    titles = {name: title_in(titles, FALLBACK_LANGUAGE, name=name) for name, titles in rows}
    known = [one for one in scores if one.criterion in titles][:MOST_CRITERIA]
    checks = _failed_checks(conversation_id)
    return FailedExpectations(
        must_not=[{"criterion": one.criterion, "below": max(0.1, min(10.0, one.pass_mark))} for one in known],
        assertions=[{"metric": one.check_name, "threshold": one.threshold} for one in checks],
        sentences=[
            *(f"{titles[one.criterion]} got {one.score:g}, below {one.pass_mark:g}" for one in known),
            *(f"{one.check_name} got {one.score:g}, below {one.threshold:g}" for one in checks),
        ],
    )


def _failed_scores(conversation_id: UUID) -> list[CriterionScore]:
    newest = (
        Judgement.objects.filter(conversation_id=conversation_id, status=JudgementStatus.SCORED)
        .order_by("-judged_at", "-created_at")
        .first()
    )
    if newest is None:
        return []
    scores = newest.scores.filter(status=ScoreStatus.SCORED, scale=_OWN_SCALE, score__isnull=False)
    lacking = [(one.score - one.pass_mark, one.position, one) for one in scores if one.score is not None]
    return [one for lack, _, one in sorted(lacking, key=lambda three: three[:2]) if lack < 0]


def _failed_checks(conversation_id: UUID) -> list[CheckResult]:
    """Failed metrics with a threshold, the last attempt of each."""
    rows = CheckResult.objects.filter(conversation_id=conversation_id, subject="").order_by("check_name", "attempt")
    last = {row.check_name: row for row in rows}
    known = set(measured_metrics())
    return [
        row
        for name, row in last.items()
        if row.outcome == Decision.FAIL and name in known and row.scale == "0-1"
        and row.threshold is not None and row.score is not None
    ]  # fmt: skip
