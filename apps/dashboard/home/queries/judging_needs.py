"""Needs for a person because a judge could not judge: evaluations that failed, and replies that were no answer."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, IntegerField, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse

from apps.core.digest import sha256_hex
from apps.dashboard.domain.figures import ago, many
from apps.dashboard.home.domain.causes import cause_of
from apps.dashboard.home.domain.needs import JUDGE, Need, need
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement

SHOWN = 5  # of those that failed, and of those with replies of no use
LOOKED_AT = 40
NAMED = 3  # runs of one entry
RECENT = timedelta(days=7)  # older failures are history
_STOPPED = (EvaluationStatus.FAILED, EvaluationStatus.TIMEOUT)


def judging_needs(now: datetime) -> list[Need]:
    """Evaluations that failed or were stopped lately, and completed ones whose judge gave replies of no use: until the
    run is judged to its end again with that config, or once more with the same version. What failed for one cause is
    one entry. One query."""
    later = Evaluation.objects.filter(run=OuterRef("run"), created_at__gt=OuterRef("created_at"))
    well = later.filter(config_version__config=OuterRef("config_version__config"), status=EvaluationStatus.COMPLETED)
    again = later.filter(config_version=OuterRef("config_version"))
    rows = (
        Evaluation.objects.annotate(at=Coalesce("ended_at", "created_at"))
        .filter(at__gte=now - RECENT)
        .filter(Q(status__in=_STOPPED) & ~Exists(again) | Q(status=EvaluationStatus.COMPLETED), ~Exists(well))
        .annotate(
            parse=_count(JudgementStatus.PARSE_ERROR),
            model=_count(JudgementStatus.MODEL_ERROR),
            scored=_count(JudgementStatus.SCORED),
        )
        .filter(Q(status__in=_STOPPED) | Q(parse__gt=0) | Q(model__gt=0))
        .select_related("run")
        .defer("snapshot", "sums", "run__plan")
        .order_by("-at")[:LOOKED_AT]
    )
    found: list[Any] = list(rows)
    by_cause: dict[str, list[Any]] = {}
    for one in found:
        if one.status in _STOPPED:
            by_cause.setdefault(cause_of(one.error_message) or str(one.pk), []).append(one)
    stopped = [_stopped_alike(rows, now) if rows[1:] else _stopped(rows[0], now) for rows in by_cause.values()]
    others = [need for one in found if one.status not in _STOPPED for need in _of_no_use(one, now)]
    return [*stopped[:SHOWN], *sorted(others, key=lambda one: -one.count)[:SHOWN]]


def _count(status: JudgementStatus) -> Coalesce:
    rows = Judgement.objects.filter(evaluation=OuterRef("pk"), status=status).order_by().values("evaluation")
    return Coalesce(Subquery(rows.annotate(n=Count("*")).values("n"), output_field=IntegerField()), 0)


def _stopped(one: Evaluation, now: datetime) -> Need:
    how = "failed" if one.status == EvaluationStatus.FAILED else "was stopped by the watchdog"
    when = f" {ago(one.ended_at, now).capitalize()}." if one.ended_at else ""
    title = f"Judging {one.run} with {one.config_ref} {how}"
    note = f"{_sentence(one) or 'Each conversation says why.'}{when}"
    address = reverse("evaluation", args=[one.pk])
    return need("failed", title, note, address, key=f"unjudged {one.pk}", about=str(one.ended_at), right=JUDGE)


def _sentence(one: Evaluation) -> str:
    cause = cause_of(one.error_message)
    return f"{cause[:1].upper()}{cause[1:]}." if cause else ""


def _stopped_alike(rows: Sequence[Evaluation], now: datetime) -> Need:
    """Evaluations that failed for one cause, the newest first: one thing to mend."""
    newest, named = rows[0], ", ".join(str(row.run) for row in rows[:NAMED])
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    when = f", the last {ago(newest.ended_at, now)}" if newest.ended_at else ""
    return need(
        "failed",
        f"{len(rows)} evaluations failed for one cause",
        f"{_sentence(newest)} Runs: {named}{more}{when}.",
        reverse("evaluation", args=[newest.pk]),
        key=f"unjudged {sha256_hex(cause_of(newest.error_message))[:16]}",
        about=str(newest.ended_at),
        count=len(rows),
        right=JUDGE,
    )


def _of_no_use(one: Any, now: datetime) -> list[Need]:
    """Return to-dos for a judge's unusable replies and failed calls.

    Where they are the most of them they are listed beside failures.
    """
    titles = {
        JudgementStatus.PARSE_ERROR: f"{many(one.parse, 'reply', 'replies')} of the judge could not be parsed",
        JudgementStatus.MODEL_ERROR: f"{many(one.model, 'conversation')} could not be judged: the model failed",
    }
    counts = {JudgementStatus.PARSE_ERROR: (one.parse, "idle"), JudgementStatus.MODEL_ERROR: (one.model, "near")}
    most = one.parse + one.model >= one.scored
    scored = f"; {one.scored:,} scored" if most else ""
    return [
        need(
            "failed" if most else tone,
            titles[status],
            f"{one.run}, judged with {one.config_ref}, {ago(one.at, now)}{scored}.",
            f"{reverse('evaluation', args=[one.pk])}?state={status}",
            key=f"unparsed {one.pk} {status}",
            about=status.value,
            count=n,
            right=JUDGE,
            verb="Review",
        )
        for status, (n, tone) in counts.items()
        if n
    ]
