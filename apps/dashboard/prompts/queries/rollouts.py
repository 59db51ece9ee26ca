"""The content of the pages of rollouts: the sentence first, then the two versions side by side, then what happened."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import exp
from typing import Any

from apps.catalog.configs.queries.versions import published_configs
from apps.catalog.models import PromptLine, PromptVersion
from apps.core.plurals import many
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import look
from apps.dashboard.domain.figures import dollars, milliseconds
from apps.dashboard.domain.sentences import Headline
from apps.production.models import Rollout, RolloutEvent
from apps.production.rollouts.domain.rules import RULES, GuardedMetric
from apps.production.rollouts.domain.states import Arm, RolloutStatus
from apps.production.rollouts.queries.documents import RolloutDocument, find_rollout, rollout_document, rollouts_found
from apps.production.rollouts.queries.material import canaries_of, role_line
from apps.production.rollouts.queries.pages import PoorConversation, poor_conversations
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

RAMP = (5, 25, 100)
_LINES = 100
_LEFT_OUT = {
    Arm.MIXED: "answered by both versions",
    Arm.CUSTOM: "answered with words of the agent's own",
    Arm.OTHER: "answered by another version",
    Arm.OFF_HASH: "not where the hash puts them: forced for trying, or a table that was late",
    Arm.REPEAT: "of customers who are in that arm already",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricLine:
    """One guarded metric, as text."""

    title: str
    stable: str
    canary: str
    stable_n: int
    canary_n: int
    difference: str
    shown: Badge
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutPage:
    """`left_out` says how many conversations stand in neither arm, and why."""

    row: Rollout
    found: RolloutDocument
    headline: Headline
    shown: Badge
    metrics: Sequence[MetricLine]
    left_out: Sequence[tuple[int, str]]
    poor: Sequence[PoorConversation]
    next_step: int | None
    thin: Sequence[str]
    events: Sequence[RolloutEvent]

    @property
    def live(self) -> bool:
        return bool(self.row.status == RolloutStatus.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutListLine:
    row: Rollout
    shown: Badge
    percentage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutListPage:
    headline: Headline
    lines: Sequence[RolloutListLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutStartPage:
    """Facts for starting a rollout.

    `line` is the chosen role; None where there is no prompt yet. `running`: that of another role.
    """

    line: PromptLine | None
    roles: Sequence[str]
    canaries: Sequence[PromptVersion]
    configs: Sequence[str]
    running: Sequence[str]


def rollout_list_page(*, now: datetime) -> RolloutListPage:
    """Return the page of rollouts. Two queries."""
    rows = list(rollouts_found({}).order_by("-pk")[:_LINES])
    running = [row for row in rows if row.served(now)]
    if not rows:
        text = "No prompt has had a rollout yet."
    elif not running:
        text = "Nothing is rolled out now: every conversation gets what is live."
    else:
        text = ", ".join(f"{row.canary.version} gets {row.percentage} %" for row in running) + " of its conversations."
    return RolloutListPage(
        headline=Headline(text=text),
        lines=[RolloutListLine(row=row, shown=look("rollout", row.status), percentage=row.served(now)) for row in rows],
    )


def rollout_start_page(role: str) -> RolloutStartPage:
    """The choices on the page that starts a rollout. Raises NotFound for a role that is not there."""
    roles = list(PromptLine.objects.order_by("name").values_list("name", flat=True))
    line = role_line(role or roles[0]) if roles else None
    running = rollouts_found({"status": RolloutStatus.RUNNING.value}).values_list("line__name", flat=True)
    return RolloutStartPage(
        line=line,
        roles=roles,
        canaries=canaries_of(line) if line else (),
        configs=published_configs(),
        running=[name for name in running if line is None or name != line.name],
    )


def rollout_page(rollout_id: uuid.UUID, *, now: datetime) -> RolloutPage:
    """Ten queries at most. Raises NotFound."""
    row = find_rollout(rollout_id)
    document = rollout_document(row, now=now)
    counts = document.figures.get("counts", {})
    return RolloutPage(
        row=row,
        found=document,
        headline=_headline(row, document, now),
        shown=look("rollout", row.status),
        metrics=[
            _line(metric, ended=row.status == RolloutStatus.ROLLED_BACK)
            for metric in document.figures.get("metrics", ())
        ],
        left_out=[(counts[arm], words) for arm, words in _LEFT_OUT.items() if counts.get(arm)],
        poor=poor_conversations(row.pk, below=workflow_config(current_slug()).pass_mark),
        next_step=next((step for step in RAMP if step > document.percentage > 0), None),
        thin=[RULES[GuardedMetric(one)].title for one in document.thin],
        events=list(row.events.order_by("created_at", "pk")),
    )


def _headline(row: Rollout, document: RolloutDocument, now: datetime) -> Headline:
    canary = row.canary.version
    after = _hours((min(row.ended_at or now, row.ends_at) - row.created_at).total_seconds())
    note = _note(row, document)
    match RolloutStatus(row.status):
        case RolloutStatus.RUNNING:
            return _running_headline(row, document, now, after, note)
        case RolloutStatus.ROLLED_BACK:
            why = row.reason.removeprefix("Rolled back by the rule: ").removeprefix("Rolled back").strip(":. ")
            return Headline(
                text=f"{canary} was ", but=f"rolled back after {after}" + (f": {why}" if why else ""), note=note
            )
        case RolloutStatus.PROMOTED:
            return Headline(text=f"{canary} is live: {row.ended_by} promoted it after {after}.", note=note)
        case RolloutStatus.STOPPED:
            why = row.reason.removeprefix("Stopped").strip(":. ") or f"by {row.ended_by}"
            return Headline(text=f"{canary} was stopped after {after}: {why}.", note=note)
        case RolloutStatus.INCONCLUSIVE:
            return Headline(text=f"{canary} ran for {after}, and ", but="it was not shown to be no worse", note=note)


def _running_headline(row: Rollout, document: RolloutDocument, now: datetime, after: str, note: str) -> Headline:
    canary, over = row.canary.version, now >= row.ends_at
    if document.worse:
        names = ", ".join(RULES[GuardedMetric(one)].title.lower() for one in document.worse)
        return Headline(text=f"{canary} is ", but=f"worse: {names}. It goes back with the next look", note=note)
    if over and document.may_be_promoted:
        text = f"{canary} was shown to be no worse on score in {after}: promote it, or stop it. Its time is over, and "
        return Headline(text=f"{text}everybody gets what is live until then.", note=note)
    if over:
        text = f"{canary} ran for {after}, and everybody gets what is live again: "
        return Headline(text=f"{text}its last conversations are being judged.", note=note)
    if document.may_be_promoted:
        return Headline(text=f"{canary} was shown to be no worse on score: you may promote it.", note=note)
    known = any(metric["verdict"] != "no_data" for metric in document.figures.get("metrics", ()))
    state = "no loss is shown so far" if known else "too little is known so far"
    return Headline(text=f"{canary} gets {row.percentage} %, {after} after its start: {state}.", note=note)


def _note(row: Rollout, document: RolloutDocument) -> str:
    share = (
        row.percentage
        if row.status == RolloutStatus.RUNNING
        else max((event.percentage for event in document.events), default=0)
    )
    judged = _judged(row, document.figures.get("judged") or {})
    return (
        f"{share} % of conversations, fixed by the hash of caller and conversation; {judged}. Looking at any time is "
        "allowed: the test is made for it, and a loss that is none is called in 5 % of rollouts at most."
    )


def _judged(row: Rollout, counts: Mapping[str, int]) -> str:
    if not row.evaluator_config:
        return "nobody judged them: there was no evaluator config"
    canary, stable = counts.get("canary", 0), counts.get("stable", 0)
    if not canary:
        return "none of them is judged yet" if row.status == RolloutStatus.RUNNING else "none of them was judged"
    return f"{canary:,} of the canary {'was' if canary == 1 else 'were'} judged, and {stable:,} stable ones"


def _hours(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 60:
        return many(minutes, "minute")
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return many(minutes // 1440, "day")


def _line(one: Mapping[str, Any], *, ended: bool) -> MetricLine:
    metric = GuardedMetric(one["metric"])
    word = "worse_rolled_back" if one["verdict"] == "worse" and ended else one["verdict"]
    shown = look("metric", word)
    if word == "within":
        shown = Badge(shown.value, _within(metric), shown.tone, shown.icon)
    return MetricLine(
        title=one["title"],
        stable=_value(metric, one["stable"]),
        canary=_value(metric, one["canary"]),
        stable_n=one["stable_n"],
        canary_n=one["canary_n"],
        difference=_difference(metric, one),
        shown=shown,
        left_out=one["left_out"],
    )


def _within(metric: GuardedMetric) -> str:
    rule = RULES[metric]
    if rule.logs:
        return f"within {100 * (exp(rule.margin) - 1):.0f} %"
    return f"within {100 * rule.margin:.0f} points" if rule.rate else "not worse"


def _value(metric: GuardedMetric, value: float | None) -> str:
    if value is None:
        return "–"
    if RULES[metric].rate:
        return f"{100 * value:.1f} %"
    if metric is GuardedMetric.COST:
        return dollars(value)
    return milliseconds(round(value)) if metric is GuardedMetric.LATENCY else f"{value:.1f}"


def _difference(metric: GuardedMetric, one: Mapping[str, Any]) -> str:
    """Canary minus stable, with its bounds, in the metric's own unit."""
    if one["harm"] is None:
        return "–"
    if RULES[metric].logs:
        middle, low, high = (100 * (exp(one[name]) - 1) for name in ("harm", "low", "high"))
        return f"{middle:+.0f} % [{low:+.0f}, {high:+.0f}]"
    sign, scale = (-1, 1) if RULES[metric].higher_is_better else (1, 100)
    middle = sign * scale * one["harm"]
    low, high = sorted(sign * scale * one[name] for name in ("low", "high"))
    unit = " points" if RULES[metric].rate else ""
    return f"{middle:+.1f}{unit} [{low:+.1f}, {high:+.1f}]".replace("-", "−")
