"""The worker's side of turns that runners come for: it writes them, looks for the replies, and hands those to players.

Called by the thread that owns the connection: one query a look for all turns that are out, however many.
"""

import json
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection

from apps.connectors.agents.runners import RunnerAnswer
from apps.jobs.worker_loop import MAX_TICK_S
from apps.runs.conversations.models import Conversation
from apps.runs.domain.pulled_turns import LeaseGone, PulledLook, PulledState, outcome_of, pulled_id
from apps.runs.pulled.models import PulledTurn
from apps.runs.services.conversation_player import TurnBatch

LOOK_EVERY_S = 0.2  # a person who waits for a turn does not feel it; five small queries a second for a worker

_LOOK = """
SELECT t.id, t.state, c.status = 'running' AND c.lease_token = %s AND c.attempt = t.attempt, t.asked_at, t.timeout_s,
  t.reply::text, t.leased_at, t.lease_expires_at, t.answer_by, t.answered_at,
  greatest(a.runner_seen_at, r.runner_seen_at)
FROM runs_pulledturn t JOIN runs_conversation c ON c.id = t.conversation_id JOIN runs_testrun r ON r.id = c.run_id
LEFT JOIN runs_agentthrottle a ON a.agent_id = t.agent_id WHERE t.id = ANY(%s)
"""
_DELIVER = """
UPDATE runs_pulledturn SET state = 'delivered', messages = '[]', context = '{}', reply = '{}' WHERE id = ANY(%s)
"""
# Who replies at this moment is not late: such a row does not come back, and the next look finds its reply.
_LOSE = """
UPDATE runs_pulledturn SET state = 'lost', messages = '[]', context = '{}', reply = '{}'
WHERE (id = ANY(%s) AND state IN ('pending', 'leased')) OR (id = ANY(%s) AND state <> 'delivered') RETURNING id
"""


@dataclass(slots=True)
class PulledExchange:
    """The turns of one worker that are out with runners, or wait for one. `token` is the worker's lease."""

    token: uuid.UUID
    now: Callable[[], datetime]
    clock: Callable[[], float] = time.monotonic
    _open: "dict[uuid.UUID, Future[RunnerAnswer]]" = field(default_factory=dict)
    _look_at: float = 0.0

    def tick_s(self) -> float:
        """The seconds until the next look for answers."""
        return LOOK_EVERY_S if self._open else MAX_TICK_S

    def write(self, rows: Sequence[Conversation], batches: Mapping[Any, Sequence[TurnBatch]]) -> None:
        """Leave the turns of these batches for their runners; the caller holds the rows and a transaction. Two queries
        where there are any. Safe to repeat. A turn that was lost before anybody had it is left once more."""
        turns = [
            PulledTurn(
                id=pulled_id(row.pk, attempt=row.attempt, position=request.position),
                conversation_id=row.pk,
                agent_id=row.run.agent_id,
                attempt=row.attempt,
                position=request.position,
                session=request.question.session[:200],
                messages=list(request.question.messages),
                context=dict(request.context),
                timeout_s=request.question.timeout_s,
                asked_at=self.now(),
            )
            for row in rows
            for request in (batch.pulled for batch in batches[row.pk])
            if request is not None
        ]
        if turns:
            PulledTurn.objects.filter(pk__in=[turn.pk for turn in turns], state=PulledState.LOST).delete()
            PulledTurn.objects.bulk_create(turns, ignore_conflicts=True)

    def wait_for(self, batches: Mapping[Any, Sequence[TurnBatch]], *, held: Mapping[Any, int]) -> None:
        """The turns are stored: look for their replies from now on. `held` are the conversations that are still this
        worker's, with their attempts; the players of others are told. No query."""
        for conversation_id, some in batches.items():
            for request in (batch.pulled for batch in some):
                if request is None:
                    continue
                if conversation_id in held:
                    attempt = held[conversation_id]
                    self._open[pulled_id(conversation_id, attempt=attempt, position=request.position)] = request.answer
                else:
                    _settle(request.answer, LeaseGone())

    def poll(self) -> None:
        """Hand over what has been answered or lost by now. No query where nothing is out or the last look was just now;
        else one, and one more each where something was answered and where something was lost."""
        if not self._open or self.clock() < self._look_at:
            return
        self._look_at = self.clock() + LOOK_EVERY_S / 2
        now, looks = self.now(), self._looks()
        outcomes = {key: outcome_of(looks[key], now=now) if key in looks else LeaseGone() for key in self._open}
        answered = [key for key, look in looks.items() if look.held and look.state is PulledState.REPLIED]
        gone = [key for key, outcome in outcomes.items() if isinstance(outcome, LeaseGone)]
        late = [
            key for key, outcome in outcomes.items() if isinstance(outcome, Exception) and key not in (*answered, *gone)
        ]
        for key in {*answered, *gone, *self._close(answered, late=late, gone=gone)}:
            _settle(self._open.pop(key), outcomes[key])

    def _looks(self) -> dict[uuid.UUID, PulledLook]:
        with connection.cursor() as cursor:
            cursor.execute(_LOOK, [self.token, list(self._open)])
            return {row[0]: _look(row) for row in cursor.fetchall()}

    @staticmethod
    def _close(
        answered: Collection[uuid.UUID], *, late: Collection[uuid.UUID], gone: Collection[uuid.UUID]
    ) -> list[uuid.UUID]:
        """Write down what became of these, and take the texts out of their rows; those that were lost by it."""
        with connection.cursor() as cursor:
            if answered:
                cursor.execute(_DELIVER, [list(answered)])
            if not (late or gone):
                return []
            cursor.execute(_LOSE, [list(late), list(gone)])
            lost = {row[0] for row in cursor.fetchall()}
        return [key for key in late if key in lost]


def _look(row: tuple[Any, ...]) -> PulledLook:
    names = (
        "state",
        "held",
        "asked_at",
        "timeout_s",
        "reply",
        "leased_at",
        "lease_expires_at",
        "answer_by",
        "answered_at",
        "runner_seen_at",
    )
    values = dict(zip(names, row[1:], strict=True))
    state, reply = PulledState(values.pop("state")), json.loads(values.pop("reply"))
    return PulledLook(state=state, reply=reply, held=bool(values.pop("held")), **values)


def _settle(waiting: "Future[RunnerAnswer]", outcome: RunnerAnswer | Exception | None) -> None:
    if waiting.done():  # its player was cancelled
        return
    if isinstance(outcome, RunnerAnswer):
        waiting.set_result(outcome)
    elif outcome is not None:
        waiting.set_exception(outcome)
