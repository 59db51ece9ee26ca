"""The criteria that a conversation failed, by its newest judgement and its checks, or did well in: its test begins with
these."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.catalog.configs.domain.criteria import FALLBACK_LANGUAGE, title_in
from apps.catalog.measured_metrics import measured_metrics
from apps.catalog.models import Criterion
from apps.checks.models import CheckResult
from apps.evaluations.domain.states import JudgementStatus, ScoreStatus
from apps.evaluations.models import CriterionScore, Judgement
from apps.statistics.decision import Decision

MAX_CRITERIA = 3  # the worst: a test that fails for everything says nothing
_OWN_SCALE = "0-10"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectationDraft:
    """Draft of a scenario's expectations.

    `must_not` and `assertions` are as a scenario has them; `sentences` say in words what failed.
    """

    must_not: Sequence[dict[str, Any]] = ()
    assertions: Sequence[dict[str, Any]] = ()
    sentences: Sequence[str] = ()


def failed_expectations(conversation_id: UUID) -> ExpectationDraft:
    """The worst criteria below their pass mark that the catalog still has, and failed metrics. Four queries."""
    known, titles = _known(_failed_scores(conversation_id))
    checks = _failed_checks(conversation_id)
    return ExpectationDraft(
        must_not=[_at_its_mark(one) for one in known],
        assertions=[{"metric": check.check_name, "threshold": check.threshold} for check in checks],
        sentences=[
            *(f"{titles[one.criterion]} got {one.score:g}, below {one.pass_mark:g}" for one in known),
            *(f"{check.check_name} got {check.score:g}, below {check.threshold:g}" for check in checks),
        ],
    )


def passed_expectations(conversation_id: UUID) -> ExpectationDraft:
    """Return the criteria that a conversation passed best, each at its pass mark.

    A good conversation must not fall below them when it is played again. Three queries.
    """
    known, _ = _known(_passed_scores(conversation_id))
    return ExpectationDraft(must_not=[_at_its_mark(one) for one in known])


def _at_its_mark(score: CriterionScore) -> dict[str, Any]:
    return {"criterion": score.criterion, "below": max(0.1, min(10.0, score.pass_mark))}


def _known(scores: Sequence[CriterionScore]) -> tuple[list[CriterionScore], dict[str, str]]:
    """Return the scores whose criteria the catalog still has, MAX_CRITERIA of them, with titles."""
    rows = Criterion.objects.filter(name__in=[score.criterion for score in scores]).values_list("name", "titles")
    titles = {name: title_in(titles, FALLBACK_LANGUAGE, name=name) for name, titles in rows}
    return [score for score in scores if score.criterion in titles][:MAX_CRITERIA], titles


def _failed_scores(conversation_id: UUID) -> list[CriterionScore]:
    lacking = [(score.score - score.pass_mark, score.position, score) for score in _scores(conversation_id)]
    return [one for lack, _, one in sorted(lacking, key=lambda three: three[:2]) if lack < 0]


def _passed_scores(conversation_id: UUID) -> list[CriterionScore]:
    ahead = [(score.pass_mark - score.score, score.position, score) for score in _scores(conversation_id)]
    return [one for lead, _, one in sorted(ahead, key=lambda three: three[:2]) if lead <= 0]


def _scores(conversation_id: UUID) -> list[Any]:
    """The scores of the conversation's newest judgement."""
    newest = (
        Judgement.objects.filter(conversation_id=conversation_id, status=JudgementStatus.SCORED)
        .order_by("-judged_at", "-created_at")
        .first()
    )
    if newest is None:
        return []
    return list(newest.scores.filter(status=ScoreStatus.SCORED, scale=_OWN_SCALE, score__isnull=False))


def _failed_checks(conversation_id: UUID) -> list[CheckResult]:
    """Failed metrics with a threshold, the last attempt of each."""
    rows = CheckResult.objects.filter(conversation_id=conversation_id, subject="").order_by("check_name", "attempt")
    last = {row.check_name: row for row in rows}
    known = set(measured_metrics())
    return [
        row
        for name, row in last.items()
        if row.outcome == Decision.FAIL
        and name in known
        and row.scale == "0-1"
        and row.threshold is not None
        and row.score is not None
    ]
