"""Choose the judgements that a matrix shows: some by the database, others decided row by row.

Every list is one that an index has in its order: `judgement_worst_first`, `score_by_criterion`, and of a conversation's
columns those of the run (`conversation_by_date` and its neighbours), where equal keys stand by the conversation's id.

Decisions (pass, fail, undecided) are taken by the one module that decides; the database only leaves out what cannot be
meant.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce

from apps.evaluations.domain.fallback_rule import fallback_counts
from apps.evaluations.domain.missing_rule import LOST, missing_counts
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.queries.decisions import blocking_of
from apps.evaluations.figures.queries.stopped import stopped_by
from apps.evaluations.figures.queries.uncertainty import Uncertainties
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.reports.tables.domain.matrix_filters import (
    BY_CRITERION,
    NOT_MEASURED,
    OF_CONVERSATIONS,
    CriterionState,
    MatrixFilter,
)
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


def chosen_rows(evaluation: Evaluation, matrix_filter: MatrixFilter, doubts: Uncertainties) -> Rows:
    """The judgements that may be meant, each with the `key` they are sorted by and `tie`, the id that orders equal
    keys. Who decides row by row (`keeper`) has then little to leave out. No query yet."""
    rows: Rows = Judgement.objects.filter(evaluation=evaluation)
    if matrix_filter.by_conversation:
        rows = rows.filter(conversation__run=evaluation.run_id)  # all are: an index begins with it
    if matrix_filter.verdict == NOT_MEASURED:
        rows = rows.exclude(pk__in=Judgement.objects.filter(_measured(evaluation), evaluation=evaluation).values("pk"))
    elif matrix_filter.verdict or matrix_filter.criterion:
        rows = rows.filter(_counted(evaluation))
    rows = _by_conversation(rows, matrix_filter)
    if matrix_filter.state:
        rows = rows.filter(status=matrix_filter.state)
    if matrix_filter.low is not None:
        rows = rows.filter(weighted_score__gte=matrix_filter.low)
    if matrix_filter.high is not None:
        rows = rows.filter(weighted_score__lte=matrix_filter.high)
    if matrix_filter.verdict and matrix_filter.verdict != NOT_MEASURED:
        rows = rows.filter(_by_verdict(evaluation, matrix_filter.verdict, doubts), status=JudgementStatus.SCORED)
    keyed = _with_key(rows, matrix_filter)
    if not matrix_filter.criterion:
        return keyed
    if (
        matrix_filter.sorted_by == f"{BY_CRITERION}{matrix_filter.criterion}"
    ):  # the one row of its scores that is joined already
        joined = _of_criterion(evaluation, matrix_filter, doubts, "sorted_score__")
        of_joined: Rows = keyed.filter(joined, sorted_score__isnull=False)
        return of_joined
    scores = CriterionScore.objects.filter(judgement=OuterRef("pk"), criterion=matrix_filter.criterion)
    beside: Rows = keyed.filter(Exists(scores.filter(_of_criterion(evaluation, matrix_filter, doubts))))
    return beside


def keeper(matrix_filter: MatrixFilter, doubts: Uncertainties) -> Keep | None:
    """Decides whether a row is meant, by its blame and its scores; None where the database has chosen."""
    by_verdict = matrix_filter.verdict not in ("", NOT_MEASURED)
    if not matrix_filter.decided or (not by_verdict and not doubts.known):
        return None

    def keep(blame: str | None, scores: Sequence[Any]) -> bool:
        if by_verdict:
            whole = doubts.of_judgement(scores, blame=blame)
            if whole is None or whole.decision != matrix_filter.verdict:
                return False
        if matrix_filter.having in (Decision.PASS, Decision.FAIL, Decision.UNDECIDED):
            one = next((score for score in scores if score.criterion == matrix_filter.criterion), None)
            doubt = doubts.of_score(one) if one is not None else None
            return doubt is not None and doubt.decision == matrix_filter.having
        return True

    return keep


def _with_key(rows: Rows, matrix_filter: MatrixFilter) -> Rows:
    if matrix_filter.sorted_by.startswith(BY_CRITERION):
        name = matrix_filter.sorted_by.removeprefix(BY_CRITERION)
        of_criterion = FilteredRelation("scores", condition=Q(scores__criterion=name))
        joined: Rows = rows.annotate(sorted_score=of_criterion)
        by_criterion: Rows = joined.annotate(key=F("sorted_score__score"), tie=F("pk"))
        return by_criterion
    tie = F("conversation_id" if matrix_filter.sorted_by in OF_CONVERSATIONS else "pk")
    keyed: Rows = rows.annotate(key=_KEYS[matrix_filter.sorted_by], tie=tie)
    return keyed


def _by_conversation(rows: Rows, matrix_filter: MatrixFilter) -> Rows:
    if matrix_filter.language:
        rows = rows.filter(conversation__language=matrix_filter.language)
    if matrix_filter.persona:
        rows = rows.alias(persona=PERSONA).filter(persona=matrix_filter.persona)
    if matrix_filter.scenario:
        rows = rows.alias(scenario=SCENARIO).filter(scenario=matrix_filter.scenario)
    if matrix_filter.label:
        rows = rows.filter(_labelled(*matrix_filter.label.partition("=")[::2]))
    if matrix_filter.since or matrix_filter.until:
        rows = rows.annotate(happened=HAPPENED)
    if matrix_filter.since:
        rows = rows.filter(happened__gte=datetime.combine(matrix_filter.since, time(), UTC))
    if matrix_filter.until:
        rows = rows.filter(happened__lt=datetime.combine(matrix_filter.until + timedelta(days=1), time(), UTC))
    return rows


def _labelled(name: str, value: str) -> Q:
    """Filter by the labels themselves, not by a text made of them. The database knows then how many there are."""
    labelled = Q(conversation__labels__contains={name: value})
    with suppress(ValueError):  # 3 and true are said as the texts "3" and "true" are
        labelled |= Q(conversation__labels__contains={name: json.loads(value)})
    return labelled


def _of_criterion(evaluation: Evaluation, matrix_filter: MatrixFilter, doubts: Uncertainties, at: str = "") -> Q:
    """The condition for a score of the criterion; `at` is the path to that score."""
    score, meant = f"{at}score", Q()
    if matrix_filter.having:
        meant = _having(evaluation, matrix_filter, doubts, at)
    elif matrix_filter.at is None and not matrix_filter.evidence:
        meant = Q(**{f"{score}__isnull": False})
    if matrix_filter.at is not None:
        meant &= Q(
            **{f"{at}scale": "0-10", f"{score}__gte": matrix_filter.at - 0.5, f"{score}__lt": matrix_filter.at + 0.5}
        )
    if matrix_filter.evidence:
        meant &= Q(**{f"{at}evidence__contains": [{"kind": matrix_filter.evidence}]})
    return meant


def _having(evaluation: Evaluation, matrix_filter: MatrixFilter, doubts: Uncertainties, at: str) -> Q:
    """The mark is a number here, as the snapshot has it and every score of it: an index knows how many lie below."""
    marks = (
        criterion["pass_mark"]
        for criterion in evaluation.snapshot["criteria"]
        if criterion["name"] == matrix_filter.criterion
    )
    mark: Any = next((float(one) - TOLERANCE for one in marks if one is not None), F(f"{at}pass_mark") - TOLERANCE)
    if matrix_filter.having == CriterionState.UNDECIDED and not doubts.known:
        return Q(pk__in=[])
    return {
        CriterionState.FAIL: Q(**{f"{at}score__lt": mark}),
        CriterionState.PASS: Q(**{f"{at}score__gte": mark}),
        CriterionState.UNDECIDED: Q(**{f"{at}score__isnull": False}),
        CriterionState.UNSCORED: Q(**{f"{at}score__isnull": True}),
    }[CriterionState(matrix_filter.having)]


def _counted(evaluation: Evaluation) -> Q:
    """Return the condition of every count of verdicts and criteria.

    It leaves out wrong golden sessions, and a fallback model's scores unless the version lets them count.
    """
    ours = Q(conversation__blame=None) | ~Q(conversation__blame=Blame.GOLDEN)
    return ours if fallback_counts(evaluation.options, evaluation.snapshot) else ours & Q(by_fallback=False)


def _measured(evaluation: Evaluation) -> Q:
    """The condition for judgements that pass, fail or are undecided; the others were not measured."""
    return _counted(evaluation) & Q(status=JudgementStatus.SCORED, weighted_score__isnull=False)


def _by_verdict(evaluation: Evaluation, verdict: str, doubts: Uncertainties) -> Q:
    """The condition for judgements that may get this verdict, by bounds that hold for any scores and any noise of the
    judge."""
    marks = [
        float(criterion["pass_mark"])
        for criterion in evaluation.snapshot["criteria"]
        if criterion.get("pass_mark") is not None
    ]
    low, high = (min(marks), max(marks)) if marks else (0.0, 10.0)
    stopped = stopped_by(evaluation.snapshot)
    if verdict == Decision.FAIL:
        return Q(weighted_score__lt=high) | stopped
    if verdict == Decision.PASS:
        return Q(weighted_score__gte=low - TOLERANCE) & ~stopped
    if doubts.known:
        return Q(weighted_score__isnull=False)
    stops = Q(criterion__in=blocking_of(evaluation.snapshot))
    if missing_counts(evaluation.options):
        stops |= Q(unscored_reason__in=LOST)
    unscored = CriterionScore.objects.filter(stops, judgement=OuterRef("pk"), score__isnull=True)
    return Q(Exists(unscored))
