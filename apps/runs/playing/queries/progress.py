"""Report how far a run is, in constant queries."""

import uuid
from typing import Any

from django.db.models import Count

from apps.core.errors import NotFound
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import Blame, ConversationStatus


def find_run(run_id: uuid.UUID | str) -> TestRun:
    """The row. Raises NotFound. One query."""
    try:
        return TestRun.objects.get(pk=uuid.UUID(str(run_id)))
    except (ValueError, TestRun.DoesNotExist):
        raise NotFound(f"There is no test run {run_id}.") from None


def conversation_counts(run_id: uuid.UUID) -> dict[str, int]:
    """Conversations by state, every state named. One query."""
    rows: Any = Conversation.objects.filter(run_id=run_id).values_list("status").annotate(n=Count("id")).order_by()
    counts: dict[str, int] = dict(rows)
    return {state.value: counts.get(state.value, 0) for state in ConversationStatus}


def why_failed(run_id: uuid.UUID, *, at_most: int = 3) -> tuple[list[str], int]:
    """Say why conversations of a run failed: the first `at_most` in words, and how many more there are. Two queries."""
    failed = Conversation.objects.filter(
        run_id=run_id, status__in=[ConversationStatus.FAILED, ConversationStatus.TIMEOUT]
    ).order_by("position")
    rows = failed.values_list("external_id", "blame", "error_code", "error_message")[:at_most]
    sentences = [f"{name} ({blame or 'platform'}): {text or code}" for name, blame, code, text in rows]
    return sentences, failed.count() - len(sentences)


def failed_by_agent(run_id: uuid.UUID) -> int:
    """Count the conversations of a run in which the agent itself failed. One query."""
    return Conversation.objects.filter(run_id=run_id, blame=Blame.AGENT_QUALITY).count()


def unfinished_runs() -> list[uuid.UUID]:
    """Runs that have not ended, and those the watchdog closed: what reconcile may help. One query."""
    runs = TestRun.objects.exclude(status__in=["completed", "failed", "cancelled"]).order_by("created_at")
    return list(runs.values_list("id", flat=True))


def transport_of(run_id: uuid.UUID) -> str:
    """Return the kind of connection by which a run reaches its agent.

    It is `pulled` where a runner has to come for its turns, `auto` where a replay takes two.
    """
    plan = TestRun.objects.values_list("plan", flat=True).get(pk=run_id)
    return RunPlan.read(plan).reached_by


def left_out_of(run_id: uuid.UUID) -> list[dict[str, str]]:
    """Scenarios that "all" left out when the run was started, with the reason: {"scenario", "persona", "why"}."""
    plan = TestRun.objects.values_list("plan", flat=True).get(pk=run_id)
    return [dict(one) for one in RunPlan.read(plan).left_out]
