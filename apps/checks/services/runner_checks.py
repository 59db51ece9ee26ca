"""Checks that a runner made on the agent's own side (its rows, its log, its state machine), kept as results of the
run."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.checks.domain.check_states import RUNNER_ASSERTION, CheckSource
from apps.checks.models import CheckResult
from apps.checks.queries.check_results import results_in_force
from apps.checks.services.check_results import CheckFinding, store_findings
from apps.core.errors import BadInput, Conflict
from apps.runs.domain.states import CONVERSATION_TERMINAL
from apps.runs.models import Conversation
from apps.runs.playing.queries.progress import find_run
from apps.statistics.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerFinding:
    """One assertion of one conversation. `assertion` tells it apart from the conversation's others."""

    conversation: uuid.UUID
    assertion: str
    outcome: Decision
    reason: str = ""


def store_runner_findings(*, run_id: uuid.UUID, findings: Sequence[RunnerFinding], now: datetime) -> int:
    """Store findings as results of the check `runner_assertion`; return how many are new. Six queries.

    May be repeated: what stands there with the same outcome and reason gets no further attempt. Raises NotFound for an
    unknown run, BadInput with the pointer of a conversation that is not the run's or of an assertion that stands twice,
    Conflict `not_ended` where a conversation is still being played. Nothing is stored then.
    """
    run = find_run(run_id)
    rows = {row.pk: row for row in Conversation.objects.filter(run=run).only("pk", "status")}
    seen: set[tuple[uuid.UUID, str]] = set()
    for place, one in enumerate(findings):
        if one.conversation not in rows:
            message = f"There is no conversation {one.conversation} in this run."
            raise BadInput(message, pointer=f"/results/{place}/conversation")
        if (one.conversation, one.assertion) in seen:
            message = "stands twice for this conversation"
            raise BadInput(message, pointer=f"/results/{place}/assertion")
        if rows[one.conversation].status not in CONVERSATION_TERMINAL:
            raise Conflict(f"The conversation {one.conversation} has not ended.", code="not_ended")
        seen.add((one.conversation, one.assertion))
    stored = {_key(row): row for row in results_in_force(run_id=run.pk, check=RUNNER_ASSERTION)}
    made = [_finding(run.pk, finding) for finding in findings]
    new = [one for one in made if not _same(one, stored.get((one.conversation_id, one.subject)))]
    return store_findings(new, source=CheckSource.RUNNER, now=now)


def _finding(run_id: uuid.UUID, finding: RunnerFinding) -> CheckFinding:
    return CheckFinding(
        run_id=run_id,
        conversation_id=finding.conversation,
        check_name=RUNNER_ASSERTION,
        subject=finding.assertion,
        outcome=finding.outcome,
        reason=finding.reason,
    )


def _key(row: CheckResult) -> tuple[uuid.UUID, str]:
    return (row.conversation_id, row.subject)


def _same(finding: CheckFinding, row: CheckResult | None) -> bool:
    return row is not None and (row.outcome, row.reason) == (finding.outcome, finding.reason)
