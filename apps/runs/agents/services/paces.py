"""Share among workers what is known of the agents.

There is one row for each (AgentThrottle), read and written by the thread that owns the connection, each time it claims
or stores.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from django.db import transaction

from apps.audit.domain.masking_rules import at_rest
from apps.core.events import EventType, log_event
from apps.runs.agents.models import AgentThrottle
from apps.runs.conversations.models import Conversation
from apps.runs.domain.agent_throttle import Throttle
from apps.runs.domain.states import ConversationStatus
from apps.runs.services.agent_pace import AgentPace, Event

_FIELDS = (
    "at_once",
    "usual_latency_s",
    "resumes_at",
    "limited_since",
    "failures",
    "down_since",
    "probe_at",
    "last_error",
)


@dataclass(slots=True)
class AgentPaces:
    """The agents of one worker's conversations."""

    now: Callable[[], datetime]
    most: int
    _paces: dict[uuid.UUID, AgentPace] = field(default_factory=dict)

    def of(self, agent_id: uuid.UUID | None) -> AgentPace:
        """The agent's pace; the first time it is read. One query, none later, and none for an agent without a row."""
        if agent_id is None:
            return AgentPace(self.now)
        if agent_id not in self._paces:
            self._paces[agent_id] = AgentPace(self.now)
            self._read([agent_id])
        return self._paces[agent_id]

    def exchange(self) -> None:
        """Write down what players learned and read what others wrote. One query; four more for each agent about
        whom there is news. Safe to race: each change is made under the row's lock."""
        if not self._paces:
            return
        for agent_id, pace in self._paces.items():
            if events := pace.take_events():
                pace.state = self._apply(agent_id, events)
        self._read(list(self._paces))

    def _read(self, agent_ids: Sequence[uuid.UUID]) -> None:
        rows = AgentThrottle.objects.filter(pk__in=agent_ids).values("agent_id", *_FIELDS)
        for row in rows:
            agent_id = row.pop("agent_id")
            self._paces[agent_id].state = Throttle(**row)

    def _apply(self, agent_id: uuid.UUID, events: Sequence[Event]) -> Throttle:
        with transaction.atomic():
            AgentThrottle.objects.get_or_create(pk=agent_id)
            row = AgentThrottle.objects.select_for_update().get(pk=agent_id)
            before = state = Throttle(**{name: getattr(row, name) for name in _FIELDS})
            playing = Conversation.objects.filter(
                run__agent_id=agent_id, status=ConversationStatus.RUNNING, lease_expires_at__gte=self.now()
            ).count()
            for event in events:
                state = event(state, playing, self.most)
            if state != before:
                AgentThrottle.objects.filter(pk=agent_id).update(**at_rest(AgentThrottle._meta.db_table, asdict(state)))
        _log(agent_id, before, state)
        return state


def _log(agent_id: uuid.UUID, before: Throttle, after: Throttle) -> None:
    if bool(before.down_since) != bool(after.down_since):
        kind = EventType.AGENT_DOWN if after.down_since else EventType.AGENT_ANSWERS_AGAIN
        log_event(kind, agent=str(agent_id), error=after.last_error)
    if before.at_once != after.at_once:
        log_event(EventType.AGENT_SPARED, agent=str(agent_id), at_once=after.at_once)
