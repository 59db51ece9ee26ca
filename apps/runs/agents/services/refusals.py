"""Detect an agent that refuses every first turn with a permanent 4xx.

It is set up wrongly, and no later conversation would fare better.
"""

from datetime import datetime

from django.db import connection

from apps.budgets.domain.sentences import SPENT_CODE
from apps.connectors.errors import AddressRefused, OtherPrompt, RemoteRefusal
from apps.core.events import EventType, log_event
from apps.runs.conversations.models import Conversation
from apps.runs.domain.states import RUN_ACTIVE, Blame, ConversationStatus, EndReason
from apps.runs.signals import announce_end

REFUSALS = 3  # one may be its scenario's own
REFUSED = (RemoteRefusal.code, AddressRefused.code, OtherPrompt.code)
_REFUSED = """
SELECT c.run_id, max(c.error_message) FROM runs_conversation c JOIN runs_testrun r ON r.id = c.run_id
WHERE r.status = ANY(%(active)s) AND r.agent_id IS NOT NULL
  AND EXISTS (SELECT 1 FROM runs_conversation w WHERE w.run_id = r.id AND w.status = 'pending')
GROUP BY c.run_id
HAVING count(*) FILTER (WHERE c.status = 'failed' AND c.error_code = ANY(%(codes)s)) >= %(refusals)s
  AND NOT EXISTS (SELECT 1 FROM runs_turn t JOIN runs_conversation a ON a.id = t.conversation_id
    WHERE a.run_id = c.run_id AND t.role = 'assistant')
"""


def fail_refused(*, now: datetime) -> int:
    """Fail waiting conversations whose agent has refused three for good and answered none.

    Return how many. They are of active runs, and are blamed on the agent's transport. What is being played is left
    alone. One query, one more for each such run. Safe to repeat and to race.
    """
    failed = 0
    with connection.cursor() as cursor:
        active = [state.value for state in RUN_ACTIVE]
        cursor.execute(_REFUSED, {"active": active, "codes": list(REFUSED), "refusals": REFUSALS})
        rows = cursor.fetchall()
    for run_id, words in rows:
        waiting = Conversation.objects.filter(run_id=run_id, status=ConversationStatus.PENDING)
        count = waiting.exclude(error_code=SPENT_CODE).update(
            status=ConversationStatus.FAILED,
            blame=Blame.AGENT_TRANSPORT,
            end_reason=EndReason.FAILED,
            error_code=RemoteRefusal.code,
            error_message=f"Not sent: the agent refuses every conversation of this run. Mend its settings, try them "
            f"with check_agent, and start the rest again. It said: {words}"[:2000],
            ended_at=now,
            not_before=None,
            waiting_for="",
            lease_token=None,
            lease_expires_at=None,
        )
        log_event(EventType.AGENT_REFUSES, run=str(run_id), failed=count)
        failed += count
    if failed:
        announce_end()
    return failed
