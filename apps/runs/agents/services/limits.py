"""An agent that answers nothing but 429: its conversations wait for it, and not for ever."""

from datetime import datetime, timedelta

from django.db import transaction

from apps.budgets.domain.sentences import SPENT_CODE
from apps.core.events import EventType, log_event
from apps.runs.agents.models import AgentThrottle
from apps.runs.conversations.models import Conversation
from apps.runs.domain.states import RUN_ACTIVE, Blame, ConversationStatus, EndReason
from apps.runs.signals import announce_end

CODE = "rate_limited"


def fail_limited(*, now: datetime, minutes: int) -> int:
    """Fail waiting conversations of agents that have answered nothing but 429 for `minutes`.

    Return how many. They are of active runs, and are blamed on the agent's transport. What is being played just now is
    left alone, and the agent may be asked again by whatever is started next. One query, four more for each such agent.
    Safe to repeat and to race.
    """
    failed = 0
    since = now - timedelta(minutes=minutes)
    for agent_id in AgentThrottle.objects.filter(limited_since__lte=since).values_list("pk", flat=True):
        with transaction.atomic():
            row = AgentThrottle.objects.select_for_update().filter(pk=agent_id, limited_since__lte=since).first()
            if row is None or row.limited_since is None:
                continue
            waiting = Conversation.objects.filter(
                run__agent_id=agent_id, run__status__in=RUN_ACTIVE, status=ConversationStatus.PENDING
            ).exclude(error_code=SPENT_CODE)
            count = waiting.update(
                status=ConversationStatus.FAILED,
                blame=Blame.AGENT_TRANSPORT,
                end_reason=EndReason.FAILED,
                error_code=CODE,
                error_message=f"The agent has answered only 429 (too many requests) since {row.limited_since:%H:%M} "
                f"UTC: after {minutes} minutes nobody waits any longer (agent_limit_minutes).",
                ended_at=now,
                not_before=None,
                waiting_for="",
                lease_token=None,
                lease_expires_at=None,
            )
            AgentThrottle.objects.filter(pk=agent_id).update(limited_since=None, resumes_at=None)
        log_event(EventType.AGENT_ONLY_LIMITS, agent=str(agent_id), failed=count)
        failed += count
    if failed:
        announce_end()
    return failed
