"""The material from which a rollout is started: its role, its canary, its judge, and the conversations of a day."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from apps.audit.models import Entry
from apps.catalog.configs.queries.versions import published_configs, resolve_config
from apps.catalog.models import PromptLine, PromptVersion
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.portable.prompt_words import comparable
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.queries.cost_forecast import judging_forecast
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.models import PromptDraft
from apps.production.conversations.models import ProductionConversation
from apps.production.rollouts.domain.forecast import RolloutForecast, canary_conversations, forecast_rollout
from apps.production.sampling.models import SamplingRule

_DAYS = 7
# The deviation of earlier scores with this config: of the newest ones, whatever agent.
_DEVIATION = """
SELECT stddev_samp(x), count(*) FROM (
  SELECT j.weighted_score AS x FROM evaluations_judgement j JOIN evaluations_evaluation e ON e.id = j.evaluation_id
  JOIN runs_testrun r ON r.id = e.run_id
  WHERE j.status = 'scored' AND j.weighted_score IS NOT NULL AND NOT j.by_fallback AND r.kind = 'production'
    AND e.config_ref = %(config)s ORDER BY j.judged_at DESC LIMIT 500) s
"""
_MIN_SCORES = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutMaterial:
    """Material of a new rollout. `config` is the evaluator config that judges, with its number."""

    line: PromptLine
    canary: PromptVersion
    config: str
    forecast: RolloutForecast


def rollout_material(
    *, role: str, canary: str, percentage: int, hours: int, config: str, margin: float, now: datetime
) -> RolloutMaterial:
    """The rollout that would run, and the conversations that it would see. Some fifteen queries; nothing is changed.

    Raises NotFound; BadInput: `other_role`, `unreleased_draft`, `never_recorded`, `no_judge`; Conflict:
    `already_live`, `same_text`.
    """
    line = role_line(role)
    version = canary_version(line, canary)
    judged_with = config_for(line, config)
    forecast = forecast_for(line, percentage=percentage, hours=hours, config=judged_with, margin=margin, now=now)
    return RolloutMaterial(line=line, canary=version, config=judged_with, forecast=forecast)


def role_line(role: str) -> PromptLine:
    """The line of prompts of this role. One query. Raises NotFound."""
    line = PromptLine.objects.select_related("live", "agent").filter(name=role).first()
    if line is None:
        raise NotFound(f"There is no role {role[:100]!r}: record a live prompt of this name first.", pointer="/role")
    return line


def canary_version(line: PromptLine, named: str) -> PromptVersion:
    """The version, where customers may get it: a released draft, or one recorded under a commit or live before. Three
    queries at most."""
    row = PromptVersion.objects.filter(version=named).first()
    if row is None:
        raise NotFound(f"There is no prompt version {named[:150]!r}.", pointer="/canary")
    if row.name != line.name:
        raise BadInput(f"{row.version} is no version of {line.name}.", code="other_role", pointer="/canary")
    if row.pk == line.live_id:
        raise Conflict(f"{row.version} is live already.", code="already_live")
    if comparable(row.text) == comparable(line.live.text):
        raise Conflict(f"{row.version} has the very words of what is live.", code="same_text")
    statuses = set(PromptDraft.objects.filter(version=row).values_list("status", flat=True))
    if statuses and DraftStatus.RELEASED not in statuses:
        raise BadInput(
            f"{row.version} is a draft that nobody released: try it and release it first.",
            code="unreleased_draft",
            pointer="/canary",
        )
    if not statuses and row.version.partition("@")[2].startswith("sha256-") and not _was_live(row):
        raise BadInput(
            f"{row.version} was neither recorded under a commit nor ever live: release it as a draft first.",
            code="never_recorded",
            pointer="/canary",
        )
    return row


def canaries_of(line: PromptLine) -> list[PromptVersion]:
    """Versions that a person may choose, the newest first; 30 at most. Two queries for each version."""
    canaries = []
    for row in PromptVersion.objects.filter(name=line.name).order_by("-pk")[:60]:
        try:
            canaries.append(canary_version(line, row.version))
        except (BadInput, Conflict):
            continue
    return canaries[:30]


def _was_live(row: PromptVersion) -> bool:
    lines = Entry.objects.filter(table_name="catalog_promptline")
    return lines.filter(after__live_id=str(row.pk)).exists() or lines.filter(before__live_id=str(row.pk)).exists()


def config_for(line: PromptLine, named: str) -> str:
    """Return the config version that judges, with its number.

    It is the named one; else the one that all sampling rules which are on name; else that of the newest evaluation of
    the role's agent; else the only one there is. Four queries at most.

    Raises NotFound for one that is not there, BadInput (`no_judge`) where nothing says which: a canary that nobody
    judges would never go back for what it says.
    """
    if named:
        return resolve_config(named).ref
    published = published_configs()
    rules = SamplingRule.objects.filter(enabled=True, evaluator_config__gt="").order_by()
    by_rules = list(rules.values_list("evaluator_config", flat=True).distinct()[:2])
    if len(by_rules) == 1 and by_rules[0].partition("@")[0] in published:
        return resolve_config(by_rules[0]).ref
    of_agent = Evaluation.objects.filter(run__agent=line.agent_id) if line.agent_id else Evaluation.objects.none()
    newest = of_agent.order_by("-pk").values_list("config_ref", flat=True).first()
    name = (newest or "").partition("@")[0]
    if name in published:
        return resolve_config(name).ref
    if len(published) == 1:
        return resolve_config(published[0]).ref
    raise BadInput(_no_judge(published), code="no_judge", pointer="/evaluator_config")


def _no_judge(published: Sequence[str]) -> str:
    if not published:
        return "Nobody would judge it: publish an evaluator config first."
    names = ", ".join(published[:10])
    return f"Nobody would judge it: say with which evaluator config (on the command line, --config). There are {names}."


def forecast_for(
    line: PromptLine, *, percentage: int, hours: int, config: str, margin: float, now: datetime
) -> RolloutForecast:
    """Forecast a rollout from the stable version's last conversations and from past judging costs."""
    a_day = _a_day(line, now)
    canary = canary_conversations(percentage=percentage, hours=hours, a_day=a_day)
    with connection.cursor() as cursor:
        cursor.execute(_DEVIATION, {"config": config})
        spread, count = cursor.fetchone()
    deviation = float(spread) if count >= _MIN_SCORES and spread else None
    part = judging_forecast(config, 2 * canary)
    return forecast_rollout(
        percentage=percentage,
        hours=hours,
        a_day=a_day,
        deviation=deviation,
        margin=margin,
        cost_usd=part.usd,
        cost=part.sentence,
    )


def _a_day(line: PromptLine, now: datetime) -> float:
    """Conversations of what is live a day, over the days of the last week since the first one came."""
    rows = ProductionConversation.objects.filter(
        prompt_versions__contains=[line.live.version], created_at__gte=now - timedelta(days=_DAYS)
    )
    first = rows.order_by("created_at").values_list("created_at", flat=True).first()
    if first is None:
        return 0.0
    days = max((now - first).total_seconds() / 86400, 1.0)
    return rows.count() / days
