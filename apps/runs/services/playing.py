"""Playing owed conversations: claim, play beside the database, store turns as they are said."""

import uuid
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
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
from apps.runs.domain.states import RUN_ACTIVE, Blame, ConversationStatus
from apps.runs.models import Conversation, TestRun
from apps.runs.services.agent_paces import AgentPaces
from apps.runs.services.agent_refusals import REFUSED, fail_refused
from apps.runs.services.claiming import claim, next_start
from apps.runs.services.conversation_player import NOT_OURS, Participants, PlayResult, TurnBatch
from apps.runs.services.letting_go import LostConversations
from apps.runs.services.masking_at_rest import masks_at_rest
from apps.runs.services.participants import participants_for
from apps.runs.services.players import player_of
from apps.runs.services.pulled_exchange import PulledExchange
from apps.runs.services.reservations import defer_unfunded, first_request, model_specs, pause_refused, pull_request_of
from apps.runs.services.storing import LEASE, answer_senders, end_play, moves_on, result_of, store_turns
from apps.runs.services.taking_up import (
    EarlierPart,
    begin_run,
    cannot_play,
    earlier_part,
    ends,
    files_of_spec,
    take_back_attempt,
)
from apps.runs.services.turn_funding import TurnFunding
from apps.runs.signals import announce_end
from apps.tenants.queries import current_tenant_usable

ROUNDS = 50  # of claiming what cannot be paid

# How they are claimed: claiming.py. Released ones stay `running`: the next worker knows that this one was interrupted.
CONVERSATIONS = LeasedTable(
    table="runs_conversation",
    lease=LEASE,
    joins="JOIN runs_testrun r ON r.id = w.run_id",
    pending="""r.status = ANY(%(active)s)
    AND (w.status = 'pending' OR (w.status = 'running' AND w.lease_expires_at IS NOT NULL))""",
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
        lease: timedelta = LEASE,
        tenant_limit: int = 1000,
        on_more: Callable[[], None] = lambda: None,
    ) -> None:
        """`lease`: how long this worker may be silent before another takes its conversations up. `tenant_limit`:
        conversations in flight over all workers; `on_more` is told of work for another worker."""
        self.now = now
        self.sleep = sleep
        self.time_up = time_up
        self.lease = lease
        self.token = uuid.uuid4()
        self._participants: dict[uuid.UUID, Participants | Exception] = {}
        self._broken: dict[uuid.UUID, Exception] = {}  # cannot be planned, and why
        self._lost = LostConversations()
        self.cool_downs = CoolDowns(now=now)
        self.reservations = BudgetReservations(holder=self.token, now=now)
        self.funding = TurnFunding(self.reservations)
        self.tenant_limit, self.on_more = tenant_limit, on_more
        self.pulled = PulledExchange(token=self.token, now=now)
        self.paces, self._paces_at = AgentPaces(now, tenant_limit), now()
        self._stopped = self._left = self._freed = False

    @cached_property
    def _masked(self) -> bool:
        return masks_at_rest()

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        """Conversations that can be paid; what cannot be is put back, and its run paused."""
        jobs: list[Any] = []
        exchange(self.cool_downs)
        self.paces.exchange()
        for _ in range(ROUNDS):
            if self.reservations.must_wait():
                break
            claimed = self._claimed(limit - len(jobs))
            refused = self.reservations.reserve([self._request(row) for row in claimed])
            defer_unfunded(refused=refused, token=self.token, now=self.now())
            paid = [row for row in claimed if row.id not in refused]
            jobs += [(row.id, self._job_or_end(row)) for row in paid]
            if not refused:
                break
        return jobs

    def _claimed(self, limit: int) -> list[Conversation]:
        found = claim(token=self.token, limit=limit, tenant_limit=self.tenant_limit, now=self.now(), lease=self.lease)
        self._left, self._freed = found.left, found.more
        if found.more:
            self.on_more()
        return list(Conversation.objects.filter(pk__in=found.ids).select_related("run").order_by("position"))

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        return keys if current_tenant_usable() else ()

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        self.pulled.poll()
        return write_openings(deliveries, write=self.reservations.open, refuse=self.funding.refused)

    def stop(self) -> None:
        """Conversations stop between two turns, for another worker to take them up in the same context."""
        self._stopped = True

    def _request(self, row: Conversation) -> ReservationRequest:
        participants = self._participants_of(row.run)
        self.reservations.history.load(model_specs(participants))
        try:
            return first_request(row, participants, history=self.reservations.history.paid)
        except Exception as error:  # of this conversation's plan alone: its neighbours are played
            self._broken[row.id] = error
            return ReservationRequest(id=row.id, usd=Decimal(0))

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        """All of it in one transaction; where the database refuses something, each conversation by itself."""
        by_conversation: dict[Any, list[Delivery]] = {}
        for delivery in deliveries:
            by_conversation.setdefault(delivery.key, []).append(delivery)
        try:
            self._store_all(by_conversation)
        except (DataError, ValueError):
            for conversation_id, parts in by_conversation.items():
                try:
                    self._store_all({conversation_id: parts})
                except (DataError, ValueError) as error:
                    self._refuse(conversation_id, parts, error)
        finished = [part.key for part in deliveries if part.final]
        if self.cool_downs.changed:
            exchange(self.cool_downs)
        if self.now() >= self._paces_at:  # a worker that is full claims nothing, and learns of its agents here
            self._paces_at = self.now() + timedelta(seconds=1)
            self.paces.exchange()
        if finished:
            self._freed = True
            announce_end()
        return finished

    def heartbeat(self, keys: Collection[Hashable]) -> None:
        replace(CONVERSATIONS, lease=self.lease).extend(token=self.token, ids=keys, now=self.now())
        self.reservations.heartbeat()

    def next_due(self, within: timedelta) -> datetime | None:
        """Now, where conversations are due for which a place has become free; else when one is due by the clock."""
        now = self.now()
        if self._left and self._freed:
            return now
        waits = CONVERSATIONS.next_due(now=now, within=within, active=_ACTIVE), next_start(now=now, within=within)
        return min((at for at in waits if at is not None), default=None)

    def release(self) -> None:
        self.paces.exchange()  # what the last turns told of their agents
        CONVERSATIONS.release(token=self.token, now=self.now())
        self.reservations.release()

    def _job_or_end(self, row: Conversation) -> Job:
        """The job; one that cannot be made ends its conversation, not the lane."""
        try:
            if (broken := self._broken.pop(row.id, None)) is not None:
                raise broken
            return self._job(row)
        except DatabaseError:  # says nothing about the plan: the lane tries again
            raise
        except Exception as error:
            return ends(result_of(Delivery(row.id, None, error, final=True)))

    def _job(self, row: Conversation) -> Job:
        """Everything the battle needs, read now: the coroutine sees no database."""
        begin_run(row.run, now=self.now())
        participants = self._participants_of(row.run)
        refused = cannot_play(row, participants)
        player = player_of(row.kind)
        earlier = EarlierPart() if refused else earlier_part(row, token=self.token, player=player)
        files = {} if refused else files_of_spec(row.spec)
        call_for = CallFor(
            purpose=Purpose.SIMULATOR, run_id=row.run_id, conversation_id=row.id, pull_request=pull_request_of(row.run),
            prompt_version=str(row.run.subject.get("prompt_version") or ""),
        )  # fmt: skip
        history, pace = self.reservations.history.paid, self.paces.of(row.run.agent_id)
        now, sleep, time_up = self.now, self.sleep, self._is_time_up
        key, spec, attempt = str(row.id), dict(row.spec), row.attempt
        lost = self._lost
        if refused or isinstance(participants, Exception):
            take_back_attempt(row, token=self.token)
            return ends(refused)

        async def job(client: Any, emit: Emit) -> PlayResult:
            playing = player(
                conversation_id=key, attempt=attempt, spec=spec, participants=participants, client=client,
                emit=emit, clock=now, turns=list(earlier.turns), session=earlier.session, leaves=earlier.leaves,
                wanted=lambda: key not in lost, cancelled=lambda: lost.by_cancellation(key), time_up=time_up,
                call_for=call_for, history=history, sleep=sleep, files=files, pace=pace,
                interrupted=earlier.interrupted, record=earlier.record,
            )  # fmt: skip
            return await playing.play()

        return job

    def _is_time_up(self) -> bool:
        return self._stopped or self.time_up()

    def _participants_of(self, run: TestRun) -> Participants | Exception:
        if run.id not in self._participants:
            try:
                self._participants[run.id] = participants_for(run, self.cool_downs)
            except DatabaseError:  # says nothing about the plan: the lane tries again
                raise
            except Exception as error:  # a broken plan fails its conversations, not the lane
                self._participants[run.id] = error
        return self._participants[run.id]

    def _store_all(self, by_conversation: Mapping[Any, Sequence[Delivery]]) -> None:
        now = self.now()
        batches: dict[Any, list[TurnBatch]] = {
            key: [part.value for part in parts if not part.final] for key, parts in by_conversation.items()
        }
        finals: dict[Any, PlayResult] = {
            part.key: result_of(part) for parts in by_conversation.values() for part in parts if part.final
        }
        if any(one.blame == Blame.AGENT_TRANSPORT for one in finals.values()):
            self.paces.exchange()
        with transaction.atomic():
            rows = self._held(by_conversation)
            for row in rows:
                if row.pk in finals:
                    finals[row.pk] = self._unless_down(row, finals[row.pk])
            store_turns(rows, batches, now=now, masked=self._masked, lease=self.lease)
            self.pulled.write(rows, batches)
            for row in rows:
                if row.pk in finals and finals[row.pk] != NOT_OURS:
                    end_play(row, finals[row.pk], now=now, masked=self._masked)
            calls = [call for some in batches.values() for one in some for call in one.calls]
            record_calls(calls=calls)
            if idle := self.funding.settled(calls, ended=finals):
                release(holder=self.token, ids=idle)
        pause_refused({key: one.unfunded for key, one in finals.items() if one.unfunded is not None})
        held = {row.pk: row.attempt for row in rows}
        self._lost.add(by_conversation.keys() - held.keys())
        answer_senders(batches, held=held)
        self.pulled.wait_for(batches, held=held)
        moved = {row.run_id for row in rows if moves_on(batches[row.pk], finals.get(row.pk))}
        if moved:
            TestRun.objects.filter(pk__in=moved).update(progress_at=now)
        if any(one.error_code in REFUSED for one in finals.values()):
            fail_refused(now=now)

    def _unless_down(self, row: Conversation, result: PlayResult) -> PlayResult:
        """The result, unless the agent is down: then the conversation waits for it, and is not burnt. Where the agent
        may have heard the last turn, it begins again in a new session; where it cannot, it has failed."""
        if result.blame != Blame.AGENT_TRANSPORT or result.status != ConversationStatus.FAILED:
            return result
        who = self._participants.get(row.run_id)
        clean = not result.delivered or (isinstance(who, Participants) and who.agent.separates_sessions)
        if self.paces.of(row.run.agent_id).state.down_since is None or not clean:
            return result
        return PlayResult(status=ConversationStatus.PENDING, retry_after=0.0, anew=result.delivered)

    def _held(self, ids: Collection[Any]) -> list[Conversation]:
        """Those of them that are still this worker's, locked in one order so that nobody waits in a circle."""
        rows = Conversation.objects.select_for_update(of=("self",)).select_related("run").defer("spec", "run__plan")
        held = rows.filter(pk__in=list(ids), lease_token=self.token, status=ConversationStatus.RUNNING)
        return list(held.order_by("pk"))

    def _refuse(self, conversation_id: Any, parts: Sequence[Delivery], error: Exception) -> None:
        """What the database does not take ends this conversation, not the lane."""
        self._lost.add([conversation_id])
        row = Conversation.objects.filter(pk=conversation_id, lease_token=self.token).first()
        if row is not None:
            failed = result_of(Delivery(conversation_id, None, error, final=True))
            end_play(row, failed, now=self.now(), masked=self._masked)
        batches = {conversation_id: [part.value for part in parts if not part.final]}
        answer_senders(batches, held=())
        self.pulled.wait_for(batches, held={})
