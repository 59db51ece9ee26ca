"""The signals that runs send. A run does not know who receives them: judging is pulled, this only saves a tick.

`conversations_ended` is sent, in the tenant, when conversations have ended or stopped, or a whole run has ended;
`tenant` is its slug. Losing one costs a tick. `words_deleted` is sent inside the transaction that deletes what real
customers said: whoever keeps words of these conversations (`conversation_ids`) deletes them, and what a listener raises
undoes it all.
"""

from django.dispatch import Signal

from apps.tenants.context import current_slug

conversations_ended = Signal()
words_deleted = Signal()


def announce_end() -> None:
    """Tell whoever listens. Never raises for what a listener does: that is logged. Costs a broker's message at most."""
    conversations_ended.send_robust(sender=None, tenant=current_slug())
