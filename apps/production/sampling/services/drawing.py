"""Every six hours a sample of what real customers said is judged: drawn once, paid by a share of the month's budget."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Q

from apps.budgets.domain.scopes import SAMPLING
from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.core.subject import Subject
from apps.evaluations.requests.services.creating import choose
from apps.evaluations.requests.services.sampling import request_sample
from apps.production.sampling.domain.rates import (
    A_DAY,
    LATE,
    WINDOW,
    DrawnConversation,
    Sample,
    SettledConversation,
    draw_sample,
    part_of_day,
    window_starting,
    windows_due,
)
from apps.production.sampling.domain.states import BY_CHANCE, DrawStatus, Phase, SamplingBasis
from apps.production.sampling.models import SampledConversation, SampleDraw, SamplingRule
from apps.production.sampling.queries.budget import SamplingBudget, sampling_budget
from apps.production.sampling.queries.settled_conversations import apart_conversations, settled_between
from apps.tenants.context import current_slug
from apps.tenants.domain.workflow_config import WorkflowConfig
from apps.tenants.queries import workflow_config

MAX_APART = 50  # of a window: who presses a thousand thumbs spends no more than this
CATCH_UP = timedelta(days=2)  # after a stop of the workers; what settled before is not sampled


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    """One window of a rule, and what is known when it is drawn."""

    rule: SamplingRule
    starts: datetime
    settings: WorkflowConfig
    now: datetime

    @property
    def rate(self) -> float:
        return self.settings.sampling_share if self.rule.rate is None else self.rule.rate


def draw_due(*, now: datetime) -> int:
    """Draw every window that is over, for every rule; return how many. None in phase 1.

    Each rule is drawn in one transaction: a killed worker leaves nothing half drawn, and the next one draws the same.
    Safe to repeat and to race: the rule's row is locked, and a window exists once. Costs no model call.
    """
    settings = workflow_config(current_slug())
    if settings.phase < Phase.SAMPLING:
        return 0
    due = SamplingRule.objects.filter(Q(due_at__isnull=True) | Q(due_at__lte=now), enabled=True)
    return sum(_draw_rule(pk, settings, now) for pk in due.order_by("pk").values_list("pk", flat=True))


def _draw_rule(rule_id: Any, settings: WorkflowConfig, now: datetime) -> int:
    with transaction.atomic():
        held = SamplingRule.objects.select_for_update(of=("self",), skip_locked=True).select_related("agent")
        rule = held.filter(pk=rule_id, enabled=True).first()
        if rule is None or (rule.due_at is not None and rule.due_at > now):
            return 0
        since = rule.drawn_until or window_starting(now - LATE - WINDOW)
        windows = windows_due(since=max(since, now - CATCH_UP), now=now)
        drawn = set(SampleDraw.objects.filter(rule=rule, starts__in=windows).values_list("starts", flat=True))
        for starts in (window for window in windows if window not in drawn):
            _draw(_Window(rule=rule, starts=starts, settings=settings, now=now))
        until = windows[-1] + WINDOW if windows else since
        SamplingRule.objects.filter(pk=rule.pk).update(drawn_until=until, due_at=until + WINDOW + LATE)
    return len(windows) - len(drawn)


def _draw(window: _Window) -> None:
    rule, starts = window.rule, window.starts
    rows = settled_between(rule, starts=starts, ends=starts + WINDOW)
    sample = draw_sample(
        (SettledConversation(id=row.id, language=row.language, channel=row.channel) for row in rows),
        rate=window.rate, floor=window.settings.sampling_floor, drawn_today=_drawn_today(rule, starts),
        part=part_of_day(starts),
    )  # fmt: skip
    runs = {row.id: row.run_id for row in rows}
    groups = Counter((sample.strata[row.id], row.language, row.agent, row.prompt_version, row.request) for row in rows)
    draw = SampleDraw(
        rule=rule, starts=starts, rate=window.rate, settled=len(rows), status=DrawStatus.EMPTY,
        population=[
            {
                "stratum": stratum, "language": language, "agent": agent, "prompt_version": prompt, "request": request,
                "n": n,
            }
            for (stratum, language, agent, prompt, request), n in sorted(groups.items())
        ],
    )  # fmt: skip
    requests = {row.id: row.request for row in rows}
    wanted = [(runs[one.id], replace(one, request=requests[one.id])) for one in sample.drawn]
    apart = apart_conversations(rule, starts=starts, ends=starts + WINDOW, limit=MAX_APART)
    drawn_ids = {one.id for one in sample.drawn}
    beside = [(run, one) for run, one in apart if one.id not in drawn_ids]
    _decide(draw, window, sample, [*wanted, *beside])
    draw.save(force_insert=True)
    if draw.status == DrawStatus.NOT_SAMPLED:
        log_event(EventType.SAMPLE_REFUSED, rule=rule.name, window=starts.isoformat(), why=draw.why)
        return
    try:
        with transaction.atomic():
            _request(draw, window, wanted, sample=f"sampling {rule.pk} {starts:%Y-%m-%dT%H}")
            _request(draw, window, beside, sample=f"apart {rule.pk} {starts:%Y-%m-%dT%H}")
    except RatibaError as error:
        draw.status, draw.why = DrawStatus.NOT_SAMPLED, error.message[:300]
        draw.save(update_fields=["status", "why"])
        log_event(EventType.SAMPLE_REFUSED, rule=rule.name, window=starts.isoformat(), why=error.code)
        return
    log_event(EventType.SAMPLE_DRAWN, rule=rule.name, window=starts.isoformat(), conversations=len(wanted))


def _decide(draw: SampleDraw, window: _Window, sample: Sample, wanted: Sequence[Any]) -> None:
    """Set the status of a draw: is there anything to judge, and money for it?

    A sample is drawn whole or not at all: half of one would be other conversations than the hash says.
    """
    if not wanted:
        return
    budget = sampling_budget(window.settings, now=window.now)
    why = _too_dear(budget, window.rule.evaluator_config, len(wanted))
    draw.status = DrawStatus.NOT_SAMPLED if why else DrawStatus.DRAWN if sample.drawn else DrawStatus.EMPTY
    draw.why = why[:300]


def _too_dear(budget: SamplingBudget, config: str, conversations: int) -> str:
    if budget.limit_usd is None:
        return ""
    forecast = budget.expected(config, conversations)
    if forecast.usd is None:
        return f"Nobody knows what judging costs, {forecast.why}. Declare the price, 0 for a free model."
    expected = forecast.usd
    if budget.spent_usd + expected <= budget.limit_usd and budget.limit_usd > 0:
        return ""
    return (
        f"Judging {conversations} conversations would cost about ${expected:.2f}, and "
        f"${budget.spent_usd:.2f} of this month's ${budget.limit_usd:.2f} for sampling are spent."
    )


def _drawn_today(rule: SamplingRule, starts: datetime) -> Mapping[str, int]:
    day = starts.replace(hour=0)
    rows = SampledConversation.objects.filter(
        draw__rule=rule, draw__starts__gte=day, draw__starts__lt=min(starts, day + A_DAY), basis__in=BY_CHANCE
    )
    return dict(rows.values_list("stratum").annotate(n=Count("pk")).order_by())


def _request(
    draw: SampleDraw, window: _Window, wanted: Sequence[tuple[UUID, DrawnConversation]], *, sample: str
) -> None:
    """Owe a judgement for each, by run; what a rule had judged already is not owed again."""
    rows = SampledConversation.objects.filter(rule=window.rule, conversation__in=[one.id for _, one in wanted])
    known = {row.conversation_id: row for row in rows}
    _count_picked(draw, [one for _, one in wanted], known)
    by_run: dict[UUID, list[DrawnConversation]] = defaultdict(list)
    for run_id, one in wanted:
        if one.id not in known:
            by_run[run_id].append(one)
    if not by_run:
        return
    judges = choose(window.rule.evaluator_config)
    for run_id, chosen in sorted(by_run.items()):
        evaluation_id = request_sample(
            chosen=judges,
            run_id=run_id,
            conversation_ids=[one.id for one in chosen],
            sample=sample,
            triggered_by="sampling",
            now=window.now,
            subject=Subject(label=f"sampled by {window.rule.name}"),
            paid_by=SAMPLING,
        )
        SampledConversation.objects.bulk_create(
            SampledConversation(
                draw=draw,
                rule=window.rule,
                conversation_id=one.id,
                evaluation_id=evaluation_id,
                stratum=one.stratum,
                request=one.request,
                basis=one.basis,
            )
            for one in chosen
        )


def _count_picked(
    draw: SampleDraw, drawn: Sequence[DrawnConversation], known: Mapping[UUID, SampledConversation]
) -> None:
    """Count a picked conversation that chance draws too, in the mean by its judgement.

    A person picked it before its window was drawn. A person who picks the bad ones takes none out.
    """
    for conversation in drawn:
        row = known.get(conversation.id)
        if row is not None and row.basis == SamplingBasis.HAND_PICKED and conversation.basis in BY_CHANCE:
            row.draw, row.stratum, row.request, row.basis = (
                draw,
                conversation.stratum,
                conversation.request,
                conversation.basis,
            )
            row.save(update_fields=["draw", "stratum", "request", "basis"])
