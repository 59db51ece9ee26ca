"""Rollouts as the API, the command and the pages show them, and the table that routers read."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from django.db.models import Q, QuerySet

from apps.catalog.models import PromptLine, PromptVersion
from apps.core.documents import Component, Count, Document, Id, Moment, StoredAs, members, one_of
from apps.core.errors import BadInput, NotFound
from apps.core.shapes import described
from apps.core.timestamps import format_if_known, format_timestamp
from apps.production.domain.routing import PromptAlias, alias_of, is_forced
from apps.production.rollouts.domain.forecast import RolloutForecastDocument, Share
from apps.production.rollouts.domain.rules import GuardedMetric, MetricVerdict, promotion_refusals, thin
from apps.production.rollouts.domain.states import RolloutMove, RolloutStatus
from apps.production.rollouts.models import Rollout
from apps.production.rollouts.queries.figures import RolloutFigures, rollout_figures
from apps.production.rollouts.queries.material import role_line

ROLLOUT_FILTERS: Mapping[str, str] = {
    "role": "Of the prompt, exactly.",
    "status": f"One of {', '.join(RolloutStatus)}.",
}


class RolloutForecastOnly(Document, component="RolloutForecastOnly"):
    role: str
    canary: str
    evaluator_config: str
    forecast: RolloutForecastDocument


class RolloutLine(Document, component="RolloutLine"):
    id: Id
    role: str
    status: Annotated[str, one_of(RolloutStatus)]
    stable: Annotated[str, described("What was live when it started.")]
    canary: str
    percentage: Annotated[Share, described("That get the canary now: 0 from ends_at on, and once it has ended.")]
    evaluator_config: Annotated[str, described("Frozen with its number; empty: nobody judges.")]
    started_by: str
    started_at: Moment
    hours: Annotated[float, described("From started_at to ends_at.")]
    ends_at: Moment
    ended_at: Moment | None
    ended_by: Annotated[str, described("Empty: the rule did.")]
    reason: str


class ResolvedPromptDocument(Document, component="ResolvedPrompt"):
    role: str
    alias: Annotated[str, one_of(PromptAlias)]
    prompt_version: str
    digest: str
    text: str


class RolloutRefusal(Document):
    code: str
    sentence: str


_Figures = Annotated[Mapping[str, Any], Component("RolloutFigures")]
_Metrics = Sequence[Annotated[str, one_of(GuardedMetric)]]


class RolloutEventDocument(Document):
    at: Moment
    move: Annotated[str, one_of(RolloutMove)]
    by: str
    percentage: Share
    sentence: str
    figures: _Figures


class RolloutDocument(RolloutLine, component="Rollout"):
    margin: Annotated[float, described("Points of score that it may be lower.")]
    forecast: Annotated[Mapping[str, Any], StoredAs(RolloutForecastDocument)]
    forced: Annotated[Count, described("Conversations that a person put into the canary for trying.")]
    figures: _Figures
    looked_at: Moment | None
    problem: Annotated[str, described("Why nobody judges, where the judge cannot be asked.")]
    worse: Annotated[_Metrics, described("Now, or at its end.")]
    thin: Annotated[_Metrics, described("Not shown: a promotion acknowledges them.")]
    may_be_promoted: bool
    refusals: Sequence[RolloutRefusal]
    not_told_apart_from: Annotated[Sequence[str], described("Roles whose rollout ran at the same time.")]
    events: Sequence[RolloutEventDocument]


class RoutedVersion(Document):
    prompt_version: str
    digest: str


class RoutedText(RoutedVersion):
    text: str


class RoleRoutes(Document):
    percentage: Share
    stable: RoutedVersion
    canary: RoutedText | None
    promoted: Annotated[RoutedText | None, described("Live since its rollout: for agents that do not carry it yet.")]
    forced: Annotated[Sequence[str], described("SHA-256 of `tenant_id:conversation_id`.")]


class PromptRoutesDocument(Document, component="PromptRoutes"):
    roles: Mapping[str, RoleRoutes]


def find_rollout(rollout_id: uuid.UUID | str) -> Rollout:
    """The row with its versions. One query. Raises NotFound."""
    row = _rows().filter(pk=str(rollout_id)).first()
    if row is None:
        raise NotFound(f"There is no rollout {rollout_id}.")
    return row


def newest_rollout(role: str) -> Rollout:
    """The one that runs, else the last. One query, two where there is none. Raises NotFound."""
    row = _rows().filter(line__name=role).order_by("-pk").first()
    if row is None:
        role_line(role)
        raise NotFound(f"{role} has had no rollout yet.", pointer="/role")
    return row


def rollouts_found(asked: Mapping[str, str]) -> QuerySet[Rollout]:
    """Return the rollouts that the query string asks for. Raises BadInput (`bad_parameter`)."""
    rows = _rows()
    if "role" in asked:
        rows = rows.filter(line__name=asked["role"])
    if "status" in asked:
        if asked["status"] not in list(RolloutStatus):
            there = ", ".join(RolloutStatus)
            raise BadInput(f"status is {asked['status'][:40]!r}; there are {there}.", code="bad_parameter")
        rows = rows.filter(status=asked["status"])
    return rows


def rollout_line(row: Rollout, *, now: datetime) -> RolloutLine:
    """A rollout in a list. No query where the row came from `rollouts_found`."""
    return RolloutLine(
        id=str(row.pk),
        role=row.line.name,
        status=row.status,
        stable=row.stable.version,
        canary=row.canary.version,
        percentage=row.served(now),
        evaluator_config=row.evaluator_config,
        started_by=row.started_by,
        started_at=format_timestamp(row.created_at),
        hours=round((row.ends_at - row.created_at).total_seconds() / 3600, 2),
        ends_at=format_timestamp(row.ends_at),
        ended_at=format_if_known(row.ended_at),
        ended_by=row.ended_by,
        reason=row.reason,
    )


def rollout_document(row: Rollout, *, now: datetime, figures: RolloutFigures | None = None) -> RolloutDocument:
    """Return one rollout with its figures, the reasons against a promotion, and its history.

    The figures are those of now (as they were at its end where it has ended). Five queries at most.
    """
    ended = row.status != RolloutStatus.RUNNING
    rollout_figures_now = figures or (None if ended else rollout_figures(row))
    readings = [] if rollout_figures_now is None else list(rollout_figures_now.readings)
    refusals = promotion_refusals(readings, started_at=row.created_at, now=now, margin=row.margin)
    latest = row.figures if rollout_figures_now is None else rollout_figures_now.as_json()
    beside = [rollout.line.name for rollout in others_of(row)]
    return RolloutDocument(
        **members(rollout_line(row, now=now)),
        margin=row.margin,
        forecast=row.forecast,
        forced=len(row.forced),
        figures=latest,
        looked_at=format_if_known(row.looked_at),
        problem=row.figures.get("problem", ""),
        worse=[metric["metric"] for metric in latest.get("metrics", ()) if metric["verdict"] == MetricVerdict.WORSE],
        thin=[reading.metric.value for reading in thin(readings)],
        may_be_promoted=not ended and not refusals,
        refusals=[]
        if ended
        else [RolloutRefusal(code=refusal.code, sentence=refusal.sentence) for refusal in refusals],
        not_told_apart_from=beside,
        events=[
            RolloutEventDocument(
                at=format_timestamp(event.created_at),
                move=event.move,
                by=event.by,
                percentage=event.percentage,
                sentence=event.sentence,
                figures=event.figures,
            )
            for event in row.events.order_by("created_at", "pk")
        ],
    )


def others_of(row: Rollout) -> Sequence[Rollout]:
    """Rollouts of other roles that ran at the same time: the hash puts the same conversations into their canaries. One
    query."""
    began_before = Q() if row.ended_at is None else Q(created_at__lt=row.ended_at)
    together = Q(ended_at__isnull=True) | Q(ended_at__gt=row.created_at)
    return list(_rows().exclude(line_id=row.line_id).filter(began_before & together).order_by("pk"))


def routes(*, now: datetime) -> PromptRoutesDocument:
    """Return the routes for a router's table.

    A role has its live version, its canary while a rollout is running, and the text of a live version that was
    promoted: an agent that does not have it yet sends it as well. Three queries.
    """
    running = {row.line_id: row for row in _rows().filter(status=RolloutStatus.RUNNING, ends_at__gt=now)}
    ended = Rollout.objects.filter(status=RolloutStatus.PROMOTED)
    promoted = set(ended.values_list("line_id", "canary_id"))
    roles = dict[str, RoleRoutes]()
    for line in PromptLine.objects.select_related("live").order_by("name"):
        row = running.get(line.pk)
        routed = row is not None and row.stable_id == line.live_id
        roles[line.name] = RoleRoutes(
            percentage=row.percentage if row is not None and routed else 0,
            stable=RoutedVersion(prompt_version=line.live.version, digest=line.live.digest),
            canary=_with_text(row.canary) if row is not None and routed else None,
            promoted=_with_text(line.live) if (line.pk, line.live_id) in promoted else None,
            forced=list(row.forced) if row is not None and routed else [],
        )
    return PromptRoutesDocument(roles=roles)


def _with_text(version: PromptVersion) -> RoutedText:
    return RoutedText(prompt_version=version.version, digest=version.digest, text=version.text)


def resolved_prompt(role: str, *, conversation_id: str, tenant_id: str, now: datetime) -> ResolvedPromptDocument:
    """Return the version that answers this conversation: the router's answer, from the rows.

    Two queries. Raises NotFound.
    """
    line = role_line(role)
    row = _rows().filter(line=line, status=RolloutStatus.RUNNING, stable=line.live_id, ends_at__gt=now).first()
    alias, version = PromptAlias.STABLE, line.live
    if row is not None:
        forced = is_forced(row.forced, tenant_id=tenant_id, conversation_id=conversation_id)
        alias = (
            PromptAlias.CANARY
            if forced
            else alias_of(row.percentage, tenant_id=tenant_id, conversation_id=conversation_id)
        )
        version = row.canary if alias is PromptAlias.CANARY else line.live
    return ResolvedPromptDocument(
        role=line.name,
        alias=alias.value,
        prompt_version=version.version,
        digest=version.digest,
        text=version.text,
    )


def _rows() -> QuerySet[Rollout]:
    return Rollout.objects.select_related("line", "stable", "canary")
