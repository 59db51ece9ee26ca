"""Playing owed conversations: claim, play beside the database, store turns as they are said."""

import uuid
from collections.abc import Callable, Collection, Hashable, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.db import DatabaseError, DataError, transaction

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, record_calls
from apps.budgets.services.metered_model import write_openings
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import ReservationRequest, release
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.parallel import Delivery, Emit, Job
from apps.jobs.services.cool_downs import exchange
from apps.jobs.services.leases import LeasedTable
from apps.runs.domain.states import RUN_ACTIVE, ConversationStatus, RunStatus
from apps.runs.models import Conversation, TestRun
from apps.runs.services.conversation_player import HANDED_OVER, Participants, PlayResult
from apps.runs.services.masking_at_rest import masks_at_rest
from apps.runs.services.participants import SILENCE_S, participants_for
from apps.runs.services.players import player_of
from apps.runs.services.reservations import cost_at_most, defer_unfunded, model_specs, pull_request_of
from apps.runs.services.stagger import Starts, wait_for_start
from apps.runs.services.storing import LEASE, end_play, failed_result, moves_on, result_of, store_turns
from apps.runs.services.taking_up import EarlierPart, earlier_part, files_of_spec, take_back_attempt, was_interrupted
from apps.runs.signals import announce_end
from apps.tenants.queries import current_tenant_usable

MAX_LOSSES = 3
ROUNDS = 50  # of claiming what cannot be paid
NOT_CLEAN = (
    "The worker playing it was lost, and nothing in this agent's requests names the conversation: a second attempt "
    "would go on in the first one's. Put {{ session }}, {{ history }} or {{ messages }} into the agent's settings."
)

# Released conversations stay `running`: the next worker goes on in the same context, and knows that it was interrupted.
CONVERSATIONS = LeasedTable(
    table="runs_conversation",
    lease=LEASE,
    joins="JOIN runs_testrun r ON r.id = w.run_id",
    pending="""r.status = ANY(%(active)s)
    AND (w.status = 'pending' OR (w.status = 'running' AND w.lease_expires_at IS NOT NULL))""",
    order="r.created_at, w.position",
    also_set=""", blame = NULL, end_reason = '', error_code = '', error_message = '',
  attempt = w.attempt + CASE WHEN w.status = 'running' OR w.attempt = 0 THEN 1 ELSE 0 END,
  losses = w.losses + CASE WHEN w.status = 'running' THEN 1 ELSE 0 END,
  extra = CASE WHEN w.status = 'running' THEN w.extra || '{"interrupted": true}' ELSE w.extra END,
  status = 'running', started_at = coalesce(w.started_at, %(now)s)""",
    held="w.status = 'running'",
    released="%(now)s::timestamptz - interval '1 second'",
)
_ACTIVE = [state.value for state in RUN_ACTIVE]


class PlayingWork:
    """What a battle lane pays: see apps.jobs.worker_loop.WorkSource."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        sleep: Callable[[float], Any],
        time_up: Callable[[], bool] = lambda: False,
        heartbeat_timeout_s: float = SILENCE_S,
    ) -> None:
        self.now = now
        self.sleep = sleep
        self.time_up = time_up
        self.heartbeat_timeout_s = heartbeat_timeout_s
        self.token = uuid.uuid4()
        self._participants: dict[uuid.UUID, Participants | Exception] = {}
        self._unwanted: set[str] = set()
        self._starts = Starts(holder=self.token, now=now)
        self.cool_downs = CoolDowns(now=now)
        self.reservations = BudgetReservations(holder=self.token, now=now)
        self._stopped = False

    @cached_property
    def _masked(self) -> bool:
        return masks_at_rest()

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        """Conversations that can be paid; what cannot be is put back, and its run paused."""
        jobs: list[Any] = []
        exchange(self.cool_downs)
        for _ in range(ROUNDS):
            if self.reservations.must_wait():
                break
            claimed = self._claimed(limit - len(jobs))
            refused = self.reservations.reserve([self._request(row) for row in claimed])
            defer_unfunded(refused=refused, token=self.token, now=self.now())
            paid = [row for row in claimed if row.id not in refused]
            jobs += [(row.id, self._job(row)) for row in paid]
            if not refused:
                break
        return jobs

    def _claimed(self, limit: int) -> list[Conversation]:
        ids = [row[0] for row in CONVERSATIONS.claim(token=self.token, limit=limit, now=self.now(), active=_ACTIVE)]
        return list(Conversation.objects.filter(pk__in=ids).select_related("run").order_by("position"))

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        return keys if current_tenant_usable() else ()

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        return write_openings(deliveries, write=self.reservations.open)

    def stop(self) -> None:
        """Conversations stop between two turns, for another worker to take them up in the same context."""
        self._stopped = True

    def _request(self, row: Conversation) -> ReservationRequest:
        participants = self._participants_of(row.run)
        self.reservations.history.load(model_specs(participants))
        cost = cost_at_most(participants, spec=row.spec, history=self.reservations.history.paid)
        return ReservationRequest(
            id=row.id,
            usd=cost.usd,
            run_id=row.run_id,
            pull_request=pull_request_of(row.run),
            price=cost.price,
            unpriced=cost.unpriced,
        )

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        finished: list[Hashable] = []
        by_conversation: dict[Any, list[Delivery]] = {}
        for delivery in deliveries:
            by_conversation.setdefault(delivery.key, []).append(delivery)
        for conversation_id, parts in by_conversation.items():
            try:
                self._store_one(conversation_id, parts)
            except (DataError, ValueError) as error:
                self._refuse(conversation_id, error)
            finished.extend(part.key for part in parts if part.final)
        if self.cool_downs.changed:
            exchange(self.cool_downs)
        if finished:
            announce_end()
        return finished

    def heartbeat(self, keys: Collection[Hashable]) -> None:
        CONVERSATIONS.extend(token=self.token, ids=keys, now=self.now())
        self.reservations.heartbeat()

    def next_due(self, within: timedelta) -> datetime | None:
        return CONVERSATIONS.next_due(now=self.now(), within=within, active=_ACTIVE)

    def release(self) -> None:
        CONVERSATIONS.release(token=self.token, now=self.now())
        self.reservations.release()

    def _job(self, row: Conversation) -> Job:
        """Everything the battle needs, read now: the coroutine sees no database."""
        TestRun.objects.advance(
            row.run_id, expected=RunStatus.PENDING, to=RunStatus.RUNNING, started_at=self.now(), progress_at=self.now()
        )
        participants = self._participants_of(row.run)
        refused = _cannot_play(row, participants)
        player = player_of(row.kind)
        earlier = EarlierPart() if refused else earlier_part(row, token=self.token, player=player)
        files = {} if refused else files_of_spec(row.spec)
        call_for = CallFor(
            purpose=Purpose.SIMULATOR, run_id=row.run_id, conversation_id=row.id, pull_request=pull_request_of(row.run)
        )
        history = self.reservations.history.paid
        now, sleep = self.now, self.sleep
        time_up = self._is_time_up
        key, spec, unwanted = str(row.id), dict(row.spec), self._unwanted
        attempt = row.attempt
        if refused or isinstance(participants, Exception):
            take_back_attempt(row, token=self.token)
            return _ends(refused)
        delay = 0.0 if earlier.turns else self._starts.delay(row.id, row.run.plan)

        async def job(client: Any, emit: Emit) -> PlayResult:
            if not await wait_for_start(delay, sleep=sleep, time_up=time_up):
                return HANDED_OVER
            playing = player(
                conversation_id=key, attempt=attempt, spec=spec, participants=participants, client=client,
                emit=emit, clock=now, turns=list(earlier.turns), session=earlier.session, leaves=earlier.leaves,
                wanted=lambda: key not in unwanted, time_up=time_up, call_for=call_for, history=history, sleep=sleep,
                files=files, interrupted=earlier.interrupted, record=earlier.record,
            )  # fmt: skip
            return await playing.play()

        return job

    def _is_time_up(self) -> bool:
        return self._stopped or self.time_up()

    def _participants_of(self, run: TestRun) -> Participants | Exception:
        if run.id not in self._participants:
            try:
                self._participants[run.id] = participants_for(
                    run, self.cool_downs, heartbeat_timeout_s=self.heartbeat_timeout_s
                )
            except DatabaseError:  # says nothing about the plan: the lane tries again
                raise
            except Exception as error:  # a broken plan fails its conversations, not the lane
                self._participants[run.id] = error
        return self._participants[run.id]

    def _store_one(self, conversation_id: Any, parts: Sequence[Delivery]) -> None:
        now = self.now()
        messages = [part.value for part in parts if not part.final]
        with transaction.atomic():
            row = (
                Conversation.objects.select_for_update()
                .filter(pk=conversation_id, lease_token=self.token, status=ConversationStatus.RUNNING)
                .first()
            )
            if row is not None:
                store_turns(row, messages, now=now, masked=self._masked)
                for part in parts:
                    if part.final:
                        end_play(row, result_of(part), now=now, masked=self._masked)
            else:
                self._unwanted.add(str(conversation_id))
            record_calls(calls=[call for one in messages for call in one.calls])
            if any(part.final for part in parts):
                release(holder=self.token, ids=[conversation_id])
        if row is not None and any(moves_on(part) for part in parts):
            TestRun.objects.filter(pk=row.run_id).update(progress_at=now)

    def _refuse(self, conversation_id: Any, error: Exception) -> None:
        """What the database does not take ends this conversation, not the lane."""
        self._unwanted.add(str(conversation_id))
        row = Conversation.objects.filter(pk=conversation_id, lease_token=self.token).first()
        if row is not None:
            failed = result_of(Delivery(conversation_id, None, error, final=True))
            end_play(row, failed, now=self.now(), masked=self._masked)


def _cannot_play(row: Conversation, participants: Participants | Exception) -> PlayResult | None:
    """Why this conversation ends without another turn, None where it can be played."""
    if row.losses >= MAX_LOSSES:
        return failed_result("gave_up", f"The worker playing it was lost {MAX_LOSSES} times.")
    if isinstance(participants, Exception):
        return failed_result(getattr(participants, "code", "error"), str(participants))
    if was_interrupted(row) and not participants.agent.separates_sessions:
        return failed_result("cannot_start_clean", NOT_CLEAN)
    return None


def _ends(played: PlayResult | None) -> Job:
    async def job(client: Any, emit: Emit) -> PlayResult | None:
        return played

    return job
