"""Which judgements a matrix shows: what the database can choose by, and what has to be decided row by row.

Decisions (pass, fail, undecided) are taken by the one module that decides; the database only leaves out what cannot be
meant.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from apps.dashboard.domain.matrix_filters import BY_CRITERION, CriterionState, MatrixFilter
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.queries.decisions import blocking_of
from apps.reports.queries.uncertainty import Uncertainties
from apps.runs.domain.states import Blame
from apps.statistics.decision import TOLERANCE, Decision

Rows = QuerySet[Any, Any]  # of judgements, with what is annotated here
Keep = Callable[[str | None, Sequence[Any]], bool]  # of a conversation's blame and its scores

SCENARIO = Coalesce(
    KeyTextTransform("scenario", "conversation__spec"), KeyTextTransform("golden_session", "conversation__spec")
)
PERSONA = KeyTextTransform("persona_name", "conversation__spec")
HAPPENED = Coalesce("conversation__started_at", "conversation__created_at")
_KEYS: dict[str, Any] = {
    "score": F("weighted_score"),
    "name": F("conversation__external_id"),
    "persona": PERSONA,
    "scenario": SCENARIO,
    "language": F("conversation__language"),
    "date": HAPPENED,
}
_FAILS = Q(score__lt=F("pass_mark") - TOLERANCE)
_HAVING: dict[str, Q] = {
    CriterionState.FAIL: _FAILS,
    CriterionState.PASS: Q(score__gte=F("pass_mark") - TOLERANCE),
    CriterionState.UNDECIDED: Q(score__isnull=False),
    CriterionState.UNSCORED: Q(score__isnull=True),
}


def chosen_rows(evaluation: Evaluation, found: MatrixFilter, doubts: Uncertainties) -> Rows:
    """The judgements that may be meant, each with the `key` they are sorted by. Who decides row by row (`keeper`) has
    then little to leave out. No query yet."""
    rows: Rows = Judgement.objects.filter(evaluation=evaluation)
    if (found.verdict or found.criterion) and not evaluation.snapshot["parameters"].get("allow_fallback_in_mean"):
        rows = rows.filter(by_fallback=False)  # as every count of verdicts and criteria
    rows = _by_conversation(rows, found)
    if found.state:
        rows = rows.filter(status=found.state)
    if found.low is not None:
        rows = rows.filter(weighted_score__gte=found.low)
    if found.high is not None:
        rows = rows.filter(weighted_score__lte=found.high)
    if found.criterion:
        rows = rows.filter(_has_criterion(found, doubts))
    if found.verdict:
        rows = rows.filter(_by_verdict(evaluation, found.verdict, doubts), status=JudgementStatus.SCORED)
    return _with_key(rows, found)


def keeper(found: MatrixFilter, doubts: Uncertainties) -> Keep | None:
    """Decides whether a row is meant, by its blame and its scores; None where the database has chosen."""
    if not found.decided or (not found.verdict and not doubts.known):
        return None

    def keep(blame: str | None, scores: Sequence[Any]) -> bool:
        if found.verdict:
            whole = doubts.of_judgement(scores, blame=blame)
            if whole is None or whole.decision != found.verdict:
                return False
        if found.having in (Decision.PASS, Decision.FAIL, Decision.UNDECIDED):
            one = next((score for score in scores if score.criterion == found.criterion), None)
            doubt = doubts.of_score(one) if one is not None else None
            return doubt is not None and doubt.decision == found.having
        return True

    return keep


def _with_key(rows: Rows, found: MatrixFilter) -> Rows:
    if not found.sorted_by.startswith(BY_CRITERION):
        keyed: Rows = rows.annotate(key=_KEYS[found.sorted_by])
        return keyed
    name = found.sorted_by.removeprefix(BY_CRITERION)
    of_criterion = FilteredRelation("scores", condition=Q(scores__criterion=name))
    by_criterion: Rows = rows.annotate(sorted_score=of_criterion).annotate(key=F("sorted_score__score"))
    return by_criterion


def _by_conversation(rows: Rows, found: MatrixFilter) -> Rows:
    if found.language:
        rows = rows.filter(conversation__language=found.language)
    if found.persona:
        rows = rows.filter(conversation__spec__persona_name=found.persona)
    if found.scenario:
        scenario = Q(conversation__spec__scenario=found.scenario)
        rows = rows.filter(scenario | Q(conversation__spec__golden_session=found.scenario))
    if found.label:
        name, _, value = found.label.partition("=")
        rows = rows.annotate(labelled=KeyTextTransform(name, "conversation__labels")).filter(labelled=value)
    if found.since or found.until:
        rows = rows.annotate(happened=HAPPENED)
    if found.since:
        rows = rows.filter(happened__gte=datetime.combine(found.since, time(), UTC))
    if found.until:
        rows = rows.filter(happened__lt=datetime.combine(found.until + timedelta(days=1), time(), UTC))
    return rows


def _has_criterion(found: MatrixFilter, doubts: Uncertainties) -> Exists:
    scores = CriterionScore.objects.filter(judgement=OuterRef("pk"), criterion=found.criterion)
    if found.having:
        scores = scores.filter(_HAVING[found.having])
    elif found.at is None and not found.evidence:
        scores = scores.filter(score__isnull=False)
    if found.having == CriterionState.UNDECIDED and not doubts.known:
        scores = scores.none()
    if found.at is not None:
        scores = scores.filter(scale="0-10", score__gte=found.at - 0.5, score__lt=found.at + 0.5)
    if found.evidence:
        scores = scores.filter(evidence__contains=[{"kind": found.evidence}])
    return Exists(scores)


def _by_verdict(evaluation: Evaluation, verdict: str, doubts: Uncertainties) -> Q:
    """What may come to this verdict, by bounds that hold whatever was scored and however noisy the judge is."""
    marks = [float(one["pass_mark"]) for one in evaluation.snapshot["criteria"] if one.get("pass_mark") is not None]
    low, high = (min(marks), max(marks)) if marks else (0.0, 10.0)
    of_blocking = CriterionScore.objects.filter(
        judgement=OuterRef("pk"), criterion__in=blocking_of(evaluation.snapshot)
    )
    stopped = Q(Exists(of_blocking.filter(_FAILS))) | Q(conversation__blame=Blame.AGENT_QUALITY)
    if verdict == Decision.FAIL:
        return Q(weighted_score__lt=high) | stopped
    if verdict == Decision.PASS:
        return Q(weighted_score__gte=low - TOLERANCE) & ~stopped
    if doubts.known:
        return Q(weighted_score__isnull=False)
    return Q(Exists(of_blocking.filter(score__isnull=True)))
