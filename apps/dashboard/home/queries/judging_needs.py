"""Needs for a person because a judge could not judge: evaluations that failed, and replies that were no answer.

What has one cause is one need.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse

from apps.core.digest import sha256_hex
from apps.core.portable.first_names import listed
from apps.dashboard.domain.figures import ago, many
from apps.dashboard.home.domain.causes import cause_of, sentence, silent_model
from apps.dashboard.home.domain.needs import JUDGE, STEER_RUNS, Need, need
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.models import TestRun

SHOWN = 5  # causes of each kind
LOOKED_AT = 200
NAMED = 3  # runs of one entry
RECENT = timedelta(days=7)  # older failures are history
_STOPPED = (EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT)
_ERRORS = (JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cause:
    """Cause that kept evaluations (`rows`, the newest first) from being judged.

    `kind` is `silent` (a model that does not answer), `stopped`, or the status of the judgements; `name` says who or
    what it is.
    """

    kind: str
    name: str
    rows: list[Any]

    @property
    def key(self) -> str:
        return f"unjudged {sha256_hex(f'{self.kind} {self.name}')[:16]}"

    @property
    def conversations(self) -> int:
        counted = {JudgementStatus.PARSE_ERROR.value: ("parse",), JudgementStatus.MODEL_ERROR.value: ("model",)}
        names = counted.get(self.kind, ("parse", "model"))
        return sum(getattr(row, name) for row in self.rows for name in names)

    @property
    def runs(self) -> str:
        return runs_named([row.run for row in self.rows])

    @property
    def most(self) -> bool:
        """Say whether an evaluation came to nothing by it, or nearly."""
        return any(row.status in _STOPPED or row.parse + row.model >= row.scored for row in self.rows)


def judging_needs(now: datetime) -> list[Need]:
    """Evaluations that failed or were stopped lately, and completed ones whose judge gave replies of no use: until the
    run is judged to its end again with that config, or once more with the same version. What has one cause is one
    entry. One query."""
    need_of: dict[str, Callable[[_Cause, datetime], Need]] = {"silent": _silent, "stopped": _stopped}
    causes = sorted(_causes(now), key=lambda group: (group.kind not in need_of, -group.conversations))
    first = [group for group in causes if group.kind in need_of][:SHOWN]
    others = [group for group in causes if group.kind not in need_of][:SHOWN]
    return [need_of.get(group.kind, _of_no_use)(group, now) for group in (*first, *others)]


def evaluations_of(key: str, *, now: datetime) -> list[uuid.UUID]:
    """Return the evaluations of the need with this key; none where it is over. Asks one query."""
    return [row.pk for group in _causes(now) if group.key == key for row in group.rows]


def _causes(now: datetime) -> list[_Cause]:
    causes: dict[tuple[str, str], _Cause] = {}
    for row in _unjudged(now):
        for kind, name in _causes_of(row):
            causes.setdefault((kind, name), _Cause(kind=kind, name=name, rows=[])).rows.append(row)
    return list(causes.values())


def _causes_of(row: Any) -> list[tuple[str, str]]:
    """Name what kept this evaluation from being judged, by kind and name; of a completed one up to two causes."""
    if row.status in _STOPPED:
        cause = cause_of(row.error_message)
        if silent := silent_model(cause):
            return [("silent", silent)]
        return [("stopped", f"{row.judge}: {cause}" if cause else str(row.pk))]
    silent = silent_model(cause_of(row.first_error or ""))
    failed = ("silent", silent) if silent else (JudgementStatus.MODEL_ERROR.value, row.judge)
    unread = (JudgementStatus.PARSE_ERROR.value, row.judge)
    return [cause for n, cause in ((row.parse, unread), (row.model, failed)) if n]


def _unjudged(now: datetime) -> list[Any]:
    later = Evaluation.objects.filter(run=OuterRef("run"), created_at__gt=OuterRef("created_at"))
    well = later.filter(config_version__config=OuterRef("config_version__config"), status=EvaluationStatus.COMPLETED)
    again = later.filter(config_version=OuterRef("config_version"))
    failed = Judgement.objects.filter(evaluation=OuterRef("pk"), status=JudgementStatus.MODEL_ERROR)
    rows: Any = (
        Evaluation.objects.annotate(at=Coalesce("ended_at", "created_at"))
        .filter(at__gte=now - RECENT)
        .filter(Q(status__in=_STOPPED) & ~Exists(again) | Q(status=EvaluationStatus.COMPLETED), ~Exists(well))
        .annotate(
            parse=_count(JudgementStatus.PARSE_ERROR),
            model=_count(JudgementStatus.MODEL_ERROR),
            scored=_count(JudgementStatus.SCORED),
            first_error=Subquery(failed.order_by("weighted_score", "id").values("error_message")[:1]),
            provider=F("snapshot__llm_config__judge__provider"),
            asked=F("snapshot__llm_config__judge__model"),
        )
        .filter(Q(status__in=_STOPPED) | Q(parse__gt=0) | Q(model__gt=0))
        .select_related("run")
        .defer("snapshot", "sums", "run__plan")
        .order_by("-at")[:LOOKED_AT]
    )
    evaluations = list(rows)
    for row in evaluations:
        row.judge = f"{row.provider}/{row.asked}"
    return evaluations


def _count(status: JudgementStatus) -> Coalesce:
    rows = Judgement.objects.filter(evaluation=OuterRef("pk"), status=status).order_by().values("evaluation")
    return Coalesce(Subquery(rows.annotate(n=Count("*")).values("n"), output_field=IntegerField()), 0)


def _silent(group: _Cause, now: datetime) -> Need:
    """Return the need for a model that does not answer: a press has all that waits for it judged again."""
    n = len(group.rows)
    note = f"{many(group.conversations, 'conversation')} of {group.runs}{_last(group.rows, now)}."
    title = f"{group.name}: {many(n, 'evaluation')} {'waits' if n == 1 else 'wait'}"
    return _need(group, title, note, right=STEER_RUNS, judge_again=group.conversations > 0)


def _stopped(group: _Cause, now: datetime) -> Need:
    """Return the need for evaluations that failed or were stopped for one cause."""
    newest = group.rows[0]
    cause = cause_of(newest.error_message)
    why = f"{sentence(cause)}." if cause else "Each conversation says why."
    if group.rows[1:]:
        note = f"{why} {sentence(group.runs)}{_last(group.rows, now)}."
        return _need(group, f"{len(group.rows)} evaluations failed for one cause", note)
    how = "failed" if newest.status == EvaluationStatus.FAILED else "was stopped by the watchdog"
    when = f" {ago(newest.ended_at, now).capitalize()}." if newest.ended_at else ""
    return _need(group, f"Judging {newest.run} with {newest.config_ref} {how}", f"{why}{when}")


def _of_no_use(group: _Cause, now: datetime) -> Need:
    """Return the need for a judge's replies that were no answer, or for its calls that failed.

    Where it was most of them it stands beside what failed.
    """
    unread = group.kind == JudgementStatus.PARSE_ERROR
    title = (
        f"{many(group.conversations, 'reply', 'replies')} of the judge could not be parsed"
        if unread
        else f"{many(group.conversations, 'conversation')} could not be judged: the model failed"
    )
    scored = f"; {sum(row.scored for row in group.rows):,} scored" if group.most else ""
    configs = listed(dict.fromkeys(row.config_ref for row in group.rows), NAMED)
    note = f"{group.runs}, judged by {group.name} with {configs}{_last(group.rows, now)}{scored}."
    return _need(group, title, sentence(note), verb="Review", state=group.kind)


def _need(group: _Cause, title: str, note: str, *, state: str = "", **more: Any) -> Need:
    newest = group.rows[0]
    address = reverse("evaluation", args=[newest.pk])
    later = "idle" if group.kind == JudgementStatus.PARSE_ERROR else "near"
    return need(
        "failed" if group.most else later,
        title,
        note,
        f"{address}?state={state}" if state else address,
        key=group.key,
        about=state or str(newest.ended_at),
        count=group.conversations if state else len(group.rows),
        concerns=group.conversations,
        **{"right": JUDGE, **more},
    )


def runs_named(runs: Sequence[TestRun]) -> str:
    """Name runs: `the run Monday`, `4 runs (Monday, Tuesday, Friday and 1 more)`."""
    several = {run.pk: str(run) for run in runs}
    names = listed(dict.fromkeys(several.values()), NAMED)
    return f"{len(several)} runs ({names})" if len(several) > 1 else f"the run {names}"


def _last(rows: Sequence[Any], now: datetime) -> str:
    return f", {'the last ' if rows[1:] else ''}{ago(rows[0].at, now)}"
