"""Storing what checks came to: rows that are final, a further attempt each time something is measured again."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max

from apps.audit.domain.masking_rules import at_rest
from apps.checks.domain.check_states import CheckSource
from apps.checks.metrics.result import MetricResult
from apps.checks.models import CheckResult
from apps.core.json_hygiene import storable
from apps.runs.models import Conversation
from apps.statistics.decision import Decision

if TYPE_CHECKING:  # it loads the connectors, which no reader of results needs
    from apps.checks.services.metric_tasks import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """One result, not yet stored: the fields of CheckResult without what storing adds."""

    run_id: uuid.UUID
    conversation_id: uuid.UUID
    check_name: str
    outcome: Decision
    subject: str = ""
    position: int | None = None
    score: float | None = None
    threshold: float | None = None
    scale: str = "0-1"
    version: str = ""
    error_code: str = ""
    reason: str = ""
    evidence: Sequence[Mapping[str, Any]] = ()
    provider: str = ""
    model: str = ""
    fingerprint: str = ""


def store_findings(findings: Sequence[CheckFinding], *, source: CheckSource, now: datetime) -> int:
    """Store them as the newest attempt of their checks; return how many. Three queries, one transaction.

    Texts get the masking floor. Safe to race: the conversations' rows are locked while attempts are numbered. Each call
    adds an attempt; whoever must not, looks at what is there first.
    """
    if not findings:
        return 0
    ids = {check_finding.conversation_id for check_finding in findings}
    with transaction.atomic():
        list(Conversation.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk").values_list("pk"))
        before = (
            CheckResult.objects.filter(conversation__in=ids)
            .values_list("conversation_id", "check_name", "subject")
            .annotate(last=Max("attempt"))
        )
        last = {(conversation, name, subject): attempt for conversation, name, subject, attempt in before}
        rows = []
        for finding in findings:
            key = (finding.conversation_id, finding.check_name, finding.subject)
            last[key] = last.get(key, 0) + 1
            rows.append(_row(finding, attempt=last[key], source=source, now=now))
        CheckResult.objects.bulk_create(rows, batch_size=500)
    return len(rows)


def _row(finding: CheckFinding, *, attempt: int, source: CheckSource, now: datetime) -> CheckResult:
    words = at_rest(CheckResult._meta.db_table, {"reason": finding.reason, "evidence": list(finding.evidence)})
    return CheckResult(
        run_id=finding.run_id,
        conversation_id=finding.conversation_id,
        check_name=finding.check_name,
        subject=finding.subject[:200],
        position=finding.position,
        attempt=attempt,
        source=source,
        outcome=finding.outcome,
        score=finding.score,
        threshold=finding.threshold,
        scale=finding.scale,
        version=finding.version,
        error_code=finding.error_code,
        provider=finding.provider,
        model=finding.model,
        fingerprint=finding.fingerprint,
        measured_at=now,
        **storable(words),
    )


def finding_of(task: "Task", result: MetricResult) -> CheckFinding | None:
    """The result of a metric, as a finding; None where the metric does not apply and nobody asked for it by name."""
    if task.conversation_id is None or task.run_id is None:
        raise ValueError("only conversations of a run have check results")
    if result.attached and result.outcome is Decision.SKIPPED:
        return None
    provider, _, model = result.judge.partition("/")
    return CheckFinding(
        run_id=task.run_id,
        conversation_id=task.conversation_id,
        check_name=result.metric,
        outcome=result.outcome,
        position=result.position,
        score=result.score,
        threshold=result.threshold,
        scale=result.scale,
        version=result.version,
        error_code=result.error,
        reason=result.reason,
        evidence=result.evidence,
        provider=provider,
        model=model[:120],
        fingerprint=result.fingerprint,
    )


def store_measured(
    tasks: Sequence["Task"], results: Sequence[MetricResult], *, source: CheckSource, now: datetime
) -> int:
    """Store what was measured, task by task, as the newest attempts; return how many. As `store_findings`."""
    findings = [finding_of(task, result) for task, result in zip(tasks, results, strict=True)]
    return store_findings([finding for finding in findings if finding is not None], source=source, now=now)
