"""Create the check jobs that are due.

Their conversations are over, have assertions, and have no job yet. A conversation that a simulated customer spoiled, or
may have spoiled, says nothing about the agent.
"""

from datetime import datetime

from django.db import connection

# The first two conditions are those of the index `conversation_asserts`. Repeats of a golden session are checked
# together: how fast the agent is, is told by all of them.
LACKS_JOB = """
FROM {schema}.runs_conversation c
WHERE c.spec ? 'assertions' AND c.status IN ('ended', 'failed', 'timeout', 'cancelled')
  AND c.simulator_verdict NOT IN ('pending', 'broke', 'leaked', 'helped', 'hindered')
  AND NOT EXISTS (SELECT 1 FROM {schema}.checks_checkjob j WHERE j.conversation_id = c.id)
  AND NOT (c.kind = 'replay' AND c.spec ? 'golden_session' AND EXISTS (
    SELECT 1 FROM {schema}.runs_conversation s WHERE s.run_id = c.run_id AND s.status IN ('pending', 'running')
      AND s.spec->>'golden_session' = c.spec->>'golden_session'))
"""
_ENQUEUE = f"""
INSERT INTO checks_checkjob (id, created_at, conversation_id, status, attempts, waiting_for)
SELECT gen_random_uuid(), %(now)s, c.id, 'pending', 0, '' {LACKS_JOB.replace("{schema}.", "")}
ORDER BY c.id LIMIT %(most)s
ON CONFLICT DO NOTHING
"""
MOST = 5000  # rows of one statement; the next tick goes on


def enqueue_checks(*, now: datetime) -> int:
    """A job for each conversation that is over and asserts something. One query; safe to repeat and to race."""
    with connection.cursor() as cursor:
        cursor.execute(_ENQUEUE, {"now": now, "most": MOST})
        return int(cursor.rowcount)
