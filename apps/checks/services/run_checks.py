"""A run measures its own assertions: jobs are leased a few at a time, measured with the run's judge, and stored.

Rows owe the work (`CheckJob`), so a lost worker costs a lease. What a judge must say and nobody can is `unmeasurable`
with the reason in words; where a budget or a rate limit stands in the way, the job waits and what was measured stays.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from apps.budgets.domain.sentences import SPENT_CODE
from apps.catalog.configs.queries.judges import model_in_force
from apps.checks.domain.check_states import CheckJobStatus, CheckSource
from apps.checks.domain.metric_specs import MetricsDocument, MetricSpec, specs_of
from apps.checks.domain.unmeasured import did_not_end
from apps.checks.metrics.registry import METRICS
from apps.checks.metrics.result import MetricResult
from apps.checks.models import CheckJob, CheckResult
from apps.checks.queries.metric_cases import RunCase, case_of_conversation
from apps.checks.services.check_results import CheckFinding, finding_of, store_findings
from apps.checks.services.measuring import measure, unmeasurable
from apps.checks.services.metric_cache import MetricCache
from apps.checks.services.metric_tasks import Task, tasks_for_case
from apps.connectors.llms.base import LLM
from apps.core.errors import BadInput, RatibaError
from apps.core.events import EventType, log_event
from apps.core.models import new_id
from apps.jobs.domain.losses import loss_sentence, lost_before, lost_too_often
from apps.jobs.row_errors import row_error
from apps.jobs.services.leases import LeasedTable
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import ConversationStatus
from apps.runs.models import Conversation
from apps.runs.services.model_roles import models_of
from apps.statistics.decision import decide_check
from apps.tenants.context import current_slug

LEASE = timedelta(seconds=90)  # extended every 15 s while questions are asked: what a lost worker costs
SILENT = timedelta(seconds=45)  # no heartbeat for so long: the worker is gone
CHECK_JOBS = LeasedTable(table="checks_checkjob", lease=LEASE, also_set=", attempts = w.attempts + 1, wait_code = ''")
AT_ONCE = 4
WAITS: Mapping[str, tuple[timedelta, str]] = {
    SPENT_CODE: (timedelta(minutes=5), "the budget"),
    "rate_limited": (timedelta(minutes=1), "the judge's model, which takes no question now"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of one job: findings to be stored, and the reason why it still waits ("" where it has ended).
    `broken`: it could not be measured at all."""

    findings: Sequence[CheckFinding]
    waits_for: str = ""
    broken: bool = False


def measure_due_checks(*, now: Callable[[], datetime], until: datetime) -> bool:
    """Measure what is due until nothing is, or until that time; return whether something is left.

    No transaction is open while a model is asked. A job whose worker was lost three times has failed, and says so as
    `unmeasurable`. Safe to repeat and to race: rows decide.
    """
    while jobs := _claim(now()):
        for at, job in enumerate(jobs):
            beat = partial(_extend, jobs[at:], now)
            beat()
            _measure_alone(job, now, beat)
        if now() >= until:
            return CHECK_JOBS.is_due(now=now())
    return False


def _measure_alone(job: CheckJob, now: Callable[[], datetime], beat: Callable[[], None]) -> None:
    """A conversation that cannot be measured is so alone, and says why."""
    try:
        _store(job, _result_of(job, now, beat), now())
    except Exception as error:
        broken = row_error(error)
        _store(job, JobResult(findings=[_broken(job, broken.code, broken.message)], broken=True), now())


def _broken(job: CheckJob, code: str, why: str) -> CheckFinding:
    return CheckFinding(
        run_id=job.conversation.run_id,
        conversation_id=job.conversation_id,
        check_name="assertions",
        outcome=decide_check(None, 0.0),
        error_code=code,
        reason=why,
    )


def free_silent(*, run_id: uuid.UUID, now: datetime) -> int:
    """Drop a run's leases whose workers fell silent; return how many. One update. Safe to repeat."""
    return _silent(now).filter(conversation__run_id=run_id).update(lease_token=None, lease_expires_at=None)


def runs_with_silent(*, now: datetime) -> list[uuid.UUID]:
    """Runs of which a lost worker holds checks. One query."""
    return list(_silent(now).order_by().values_list("conversation__run_id", flat=True).distinct())


def _silent(now: datetime) -> QuerySet[CheckJob]:
    return CheckJob.objects.filter(status=CheckJobStatus.PENDING, lease_expires_at__lt=now + LEASE - SILENT)


def _extend(jobs: Sequence[CheckJob], now: Callable[[], datetime]) -> None:
    if jobs and (token := jobs[0].lease_token):
        CHECK_JOBS.extend(token=token, ids=[job.pk for job in jobs], now=now())


def _claim(now: datetime) -> list[CheckJob]:
    ids = [row[0] for row in CHECK_JOBS.claim(token=new_id(), limit=AT_ONCE, now=now)]
    return list(CheckJob.objects.filter(pk__in=ids).select_related("conversation__run").order_by("created_at", "id"))


def _result_of(job: CheckJob, now: Callable[[], datetime], heartbeat: Callable[[], None]) -> JobResult:
    conversation = job.conversation
    case = case_of_conversation(conversation)
    tasks, findings = own_tasks(case)
    done = set(
        CheckResult.objects.filter(conversation=conversation, source=CheckSource.SCENARIO).values_list(
            "check_name", flat=True
        )
    )
    tasks = [task for task in tasks if task.metric.name not in done]
    findings = [finding for finding in findings if finding.check_name not in done]
    if conversation.status != ConversationStatus.ENDED:
        return JobResult(findings=[*findings, *_did_not_end(conversation, tasks)])
    if lost_too_often(lost_before(job.attempts)):
        why = loss_sentence("measuring this")
        return JobResult(findings=[*findings, *_all_unmeasurable(tasks, "worker_lost", why)])
    try:
        llm = _judge_of(conversation.run.frozen_plan)
    except RatibaError as error:
        return JobResult(findings=[*findings, *_all_unmeasurable(tasks, error.code, error.message)])
    cache = MetricCache(settings.PROJECT_DIR, tenant=current_slug(), on=False)  # files are for people's own pipelines
    results = measure(tasks=tasks, llm=llm, cache=cache, now=now, heartbeat=heartbeat)
    waiting = [result.error for result in results if result.error in WAITS]
    pairs = [(task, result) for task, result in zip(tasks, results, strict=True) if result.error not in WAITS]
    return JobResult(findings=[*findings, *_findings(pairs)], waits_for=waiting[0] if waiting else "")


def own_tasks(case: RunCase) -> tuple[list[Task], list[CheckFinding]]:
    """The tasks of the conversation's own assertions, and findings in place of those that cannot be read. Pure."""
    specs: list[MetricSpec] = []
    unreadable: list[CheckFinding] = []
    for index, raw in enumerate(case.assertions):
        try:
            specs += specs_of([raw], f"/assertions/{index}", METRICS)
        except BadInput as error:
            name = str(raw.get("metric") or "") if isinstance(raw, Mapping) else ""
            unreadable.append(
                CheckFinding(
                    run_id=case.run_id,
                    conversation_id=case.conversation_id,
                    error_code="unknown_metric",
                    check_name=name[:100] or f"assertion {index}",
                    outcome=decide_check(None, 0.0),
                    reason=error.message,
                )
            )
    unique = {spec.metric: spec for spec in specs}
    return tasks_for_case(
        case, MetricsDocument(specs=tuple(unique.values()), attach_fluency=case.attach_fluency)
    ), unreadable


def _judge_of(plan: RunPlan) -> LLM | None:
    """The judge frozen in the run's plan; the tenant's for runs whose plan names none. None for offline rules."""
    role = plan.checks_judge or model_in_force("judge").as_json()
    return None if role["provider"] == "offline" else models_of(role)[0]


def _did_not_end(conversation: Conversation, tasks: Sequence[Task]) -> list[CheckFinding]:
    why = did_not_end(conversation.status, conversation.blame)
    skipped = conversation.status == ConversationStatus.CANCELLED
    return [
        CheckFinding(
            run_id=conversation.run_id,
            conversation_id=conversation.pk,
            check_name=task.metric.name,
            reason=why,
            outcome=decide_check(None, task.threshold, applies=not skipped),
            threshold=task.threshold,
            version=task.metric.version,
            error_code="" if skipped else "did_not_end",
        )
        for task in tasks
        if not task.spec.attached
    ]


def _all_unmeasurable(tasks: Sequence[Task], code: str, why: str) -> list[CheckFinding]:
    return _findings([(task, unmeasurable(task, code, why)) for task in tasks if not task.spec.attached])


def _findings(pairs: Sequence[tuple[Task, MetricResult]]) -> list[CheckFinding]:
    findings = (finding_of(task, result) for task, result in pairs)
    return [finding for finding in findings if finding is not None]


def _store(job: CheckJob, result: JobResult, now: datetime) -> None:
    """The findings and the job's new state, in one transaction; nothing where another worker has the job now."""
    leased = CheckJob.objects.filter(lease_token=job.lease_token)
    free: dict[str, Any] = {"lease_token": None, "lease_expires_at": None}
    with transaction.atomic():
        if result.waits_for:
            wait, what = WAITS[result.waits_for]
            mine = leased.advance(
                job.pk,
                expected=CheckJobStatus.PENDING,
                to=CheckJobStatus.PENDING,
                not_before=now + wait,
                waiting_for=what,
                wait_code=result.waits_for,
                attempts=job.attempts - 1,
                **free,
            )
        else:
            lost = result.broken or lost_too_often(lost_before(job.attempts))
            to = CheckJobStatus.FAILED if lost else CheckJobStatus.COMPLETED
            mine = leased.advance(
                job.pk,
                expected=CheckJobStatus.PENDING,
                to=to,
                ended_at=now,
                waiting_for="",
                wait_code="",
                not_before=None,
                **free,
            )
        if mine:
            store_findings(result.findings, source=CheckSource.SCENARIO, now=now)
    outcomes = [finding.outcome.value for finding in result.findings]
    log_event(
        EventType.CHECKS_MEASURED,
        conversation=str(job.conversation_id),
        stored=mine,
        outcomes=outcomes,
        waits_for=result.waits_for,
    )
