"""Playing owed conversations: claim, play beside the database, store turns as they are said."""

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.db import DatabaseError, DataError, transaction

from apps.budgets.domain.estimate import Estimate, History
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, LedgerCall, OpenCall, record_calls
from apps.budgets.services.claim_paid import ClaimPaid, WorkInHand
from apps.budgets.services.metered_model import write_openings
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import Refusal, ReservationRequest, release
from apps.connectors.llms.base import ModelSpec
from apps.connectors.parallel import Delivery, Emit, Job
from apps.jobs.services.leases import LeasedTable
from apps.runs.agents.services.paces import AgentPaces
from apps.runs.agents.services.refusals import REFUSED, fail_refused
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.states import RUN_ACTIVE, Blame, ConversationStatus
from apps.runs.playing.services.claiming import claim, next_start
from apps.runs.playing.services.participants import participants_for
from apps.runs.playing.services.players import player_of
from apps.runs.playing.services.reservations import (
    defer_unfunded,
    first_request,
    model_specs,
    pause_refused,
    pull_request_of,
)
from apps.runs.playing.services.resumed_parts import (
    EarlierPart,
    begin_run,
    cannot_play,
    earlier_part,
    ends,
    files_of_spec,
    take_back_attempt,
)
from apps.runs.playing.services.storing import LEASE, answer_senders, end_play, moves_on, result_of, store_turns
from apps.runs.prompt_of_conversation import prompt_of
from apps.runs.pulled.services.exchange import PulledExchange
from apps.runs.services.conversation_player import NOT_OURS, Participants, PlayResult, TurnBatch
from apps.runs.services.masking_at_rest import masks_at_rest
from apps.runs.signals import announce_end

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


@dataclass(slots=True)
class LostConversations:
    """The conversations that one worker lost to a cancellation or to another worker; players ask it without a query."""

    _lost: set[str] = field(default_factory=set)
    _cancelled: set[str] = field(default_factory=set)

    def add(self, ids: Collection[Any]) -> None:
        """Add conversations that are no more this worker's. One query; none for no ids."""
        if ids:
            rows = Conversation.objects.filter(pk__in=list(ids), status=ConversationStatus.CANCELLED)
            self._cancelled |= {str(key) for key in rows.values_list("pk", flat=True)}
            self._lost |= {str(key) for key in ids}

    def __contains__(self, key: str) -> bool:
        return key in self._lost

    def by_cancellation(self, key: str) -> bool:
        """Tell whether the run was cancelled, and nobody plays on."""
        return key in self._cancelled


class TurnFunding:
    """The money promised to the conversations of one worker: to each the highest cost of its open questions.

    A question counts from before it is asked until its answer is in the ledger, so that spent and promised together
    never exceed a limit, and a battle of forty turns holds the money of one.
    """

    def __init__(self, reservations: BudgetReservations) -> None:
        self.reservations = reservations
        self._open: dict[uuid.UUID, dict[uuid.UUID, Estimate]] = defaultdict(dict)

    def refused(self, calls: Sequence[OpenCall]) -> Mapping[uuid.UUID, Refusal]:
        """Return which of these calls cannot be paid, by their ids; the others may be made.

        Costs what `BudgetReservations.reserve` costs for all of them together; nothing for a further attempt at a
        question, and for what costs nothing.
        """
        requests = {
            call.call_for.conversation_id: call
            for call in calls
            if call.question is not None and call.call_for.conversation_id is not None
        }
        for conversation, call in requests.items():
            self._open[conversation][call.id] = call.question or Estimate()
        refused = self.reservations.reserve([self._request(call) for call in requests.values()])
        for conversation in refused:
            self._open[conversation].pop(requests[conversation].id)
        return {requests[conversation].id: no for conversation, no in refused.items()}

    def settled(self, calls: Iterable[LedgerCall], *, ended: Collection[uuid.UUID]) -> set[uuid.UUID]:
        """Note that these calls are in the ledger, and that those conversations have ended here.

        Return which of all these need no promise until they ask again.
        """
        for one in ended:
            self._open.pop(one, None)
        idle = set(ended)
        for call in calls:
            conversation = call.call_for.conversation_id
            if conversation is not None:
                waiting = self._open.get(conversation, {})
                waiting.pop(call.id, None)
                idle |= set() if waiting else {conversation}
        return idle

    def _request(self, call: OpenCall) -> ReservationRequest:
        call_for = call.call_for
        total = Estimate()
        for one in self._open[call_for.conversation_id].values():  # type: ignore[index]
            total += one
        return ReservationRequest(
            id=call_for.conversation_id,  # type: ignore[arg-type]
            usd=total.usd,
            run_id=call_for.run_id,
            pull_request=call_for.pull_request,
            price=total.price,
            unpriced=total.unpriced,
        )


@dataclass(slots=True, kw_only=True)
class HeldConversation(WorkInHand):
    """One conversation between its claim and its job: who takes part, and what is wrong with its own plan."""

    row: Conversation
    participants: Participants | Exception
    broken: Exception | None = None


class PlayingWork(ClaimPaid[uuid.UUID, HeldConversation]):
    """The work of a battle slot: see apps.jobs.worker_loop.WorkSource."""

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
        """Prepare the loop.

        `lease`: how long this worker may be silent before another resumes its conversations. `tenant_limit`:
        conversations in flight over all workers; `on_more` is told of work for another worker.
        """
        super().__init__(table=replace(CONVERSATIONS, lease=lease), now=now)
        self.sleep = sleep
        self.time_up = time_up
        self._participants: dict[uuid.UUID, Participants | Exception] = {}
        self._lost = LostConversations()
        self.funding = TurnFunding(self.reservations)
        self.tenant_limit, self.on_more = tenant_limit, on_more
        self.pulled = PulledExchange(token=self.token, now=now)
        self.paces, self._paces_at = AgentPaces(now, tenant_limit), now()
        self._stopped = self._left = self._freed = False

    @cached_property
    def _masked(self) -> bool:
        return masks_at_rest()

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        self.paces.exchange()
        return super().claim(limit)

    def lease(self, limit: int) -> Sequence[uuid.UUID]:
        claimed = claim(
            token=self.token, limit=limit, tenant_limit=self.tenant_limit, now=self.now(), lease=self.table.lease
        )
        self._left, self._freed = claimed.left, claimed.more
        if claimed.more:
            self.on_more()
        return claimed.ids

    def take_up(self, leased: Sequence[uuid.UUID]) -> Sequence[HeldConversation]:
        rows = Conversation.objects.filter(pk__in=leased, lease_token=self.token).select_related("run")
        return [
            HeldConversation(id=row.id, row=row, participants=self._participants_of(row.run))
            for row in rows.order_by("position")
        ]

    def specs(self, held: Sequence[HeldConversation]) -> Iterable[ModelSpec]:
        taking_part = {id(conversation.participants): conversation.participants for conversation in held}
        return (spec for participants in taking_part.values() for spec in model_specs(participants))

    def cost(self, conversation: HeldConversation, history: History) -> Sequence[ReservationRequest]:
        return [first_request(conversation.row, conversation.participants, history=history)]

    def fail(self, conversation: HeldConversation, why: Exception) -> None:
        conversation.broken = why

    def put_back(self, unpaid: Mapping[uuid.UUID, Refusal]) -> None:
        """Put unpaid conversations back to wait; pause their runs where the money is spent."""
        defer_unfunded(refused=unpaid, token=self.token, now=self.now())

    def jobs(self, conversation: HeldConversation) -> Iterable[tuple[Hashable, Job]]:
        return [(conversation.id, self._job_or_end(conversation))]

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        self.pulled.poll()
        return write_openings(deliveries, write=self.reservations.open, refuse=self.funding.refused)

    def stop(self) -> None:
        """Conversations stop between two turns, for another worker to take them up in the same context."""
        self._stopped = True

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        """Store all deliveries in one transaction; where the database refuses something, each conversation by
        itself."""
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
        self.share_cool_downs()
        if self.now() >= self._paces_at:  # a worker that is full claims nothing, and learns of its agents here
            self._paces_at = self.now() + timedelta(seconds=1)
            self.paces.exchange()
        if finished:
            self._freed = True
            announce_end()
        return finished

    def next_due(self, within: timedelta) -> datetime | None:
        """Now, where conversations are due for which a place has become free; else when one is due by the clock."""
        now = self.now()
        if self._left and self._freed:
            return now
        waits = self.table.next_due(now=now, within=within, active=_ACTIVE), next_start(now=now, within=within)
        return min((at for at in waits if at is not None), default=None)

    def release(self) -> None:
        self.paces.exchange()  # what the last turns told of their agents
        super().release()

    def _job_or_end(self, conversation: HeldConversation) -> Job:
        """The job; one that cannot be made ends its conversation, not the worker."""
        try:
            if conversation.broken is not None:
                raise conversation.broken
            return self._job(conversation.row, conversation.participants)
        except DatabaseError:  # says nothing about the plan: the worker tries again
            raise
        except Exception as error:
            return ends(result_of(Delivery(conversation.id, None, error, final=True)))

    def _job(self, row: Conversation, participants: Participants | Exception) -> Job:
        """Make the job that plays a battle. All that it needs is read now: the coroutine sees no database."""
        begin_run(row.run, now=self.now())
        refused = cannot_play(row, participants)
        player = player_of(row.kind)
        earlier = EarlierPart() if refused else earlier_part(row, token=self.token, player=player)
        files = {} if refused else files_of_spec(row.spec)
        call_for = CallFor(
            purpose=Purpose.SIMULATOR, run_id=row.run_id, conversation_id=row.id, pull_request=pull_request_of(row.run),
            prompt_version=prompt_of(row.pk),
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
            except DatabaseError:  # says nothing about the plan: the worker tries again
                raise
            except Exception as error:  # a broken plan fails its conversations, not the worker
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
        if any(final.blame == Blame.AGENT_TRANSPORT for final in finals.values()):
            self.paces.exchange()
        with transaction.atomic():
            rows = self._held(by_conversation)
            for row in rows:
                if row.pk in finals:
                    finals[row.pk] = self._unless_down(row, finals[row.pk])
            store_turns(rows, batches, now=now, masked=self._masked, lease=self.table.lease)
            self.pulled.write(rows, batches)
            for row in rows:
                if row.pk in finals and finals[row.pk] != NOT_OURS:
                    end_play(row, finals[row.pk], now=now, masked=self._masked)
            calls = [call for some in batches.values() for one in some for call in one.calls]
            record_calls(calls=calls)
            if idle := self.funding.settled(calls, ended=finals):
                release(holder=self.token, ids=idle)
        pause_refused({key: final.unfunded for key, final in finals.items() if final.unfunded is not None})
        held = {row.pk: row.attempt for row in rows}
        self._lost.add(by_conversation.keys() - held.keys())
        answer_senders(batches, held=held)
        self.pulled.wait_for(batches, held=held)
        moved = {row.run_id for row in rows if moves_on(batches[row.pk], finals.get(row.pk))}
        if moved:
            TestRun.objects.filter(pk__in=moved).update(progress_at=now)
        if any(final.error_code in REFUSED for final in finals.values()):
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
        """Return those of these conversations that are still this worker's, and lock them.

        They are locked in one order, so that no two workers wait for each other.
        """
        rows = Conversation.objects.select_for_update(of=("self",)).select_related("run").defer("spec", "run__plan")
        held = rows.filter(pk__in=list(ids), lease_token=self.token, status=ConversationStatus.RUNNING)
        return list(held.order_by("pk"))

    def _refuse(self, conversation_id: Any, parts: Sequence[Delivery], error: Exception) -> None:
        """End a conversation whose turns the database refuses; the worker goes on."""
        self._lost.add([conversation_id])
        row = Conversation.objects.filter(pk=conversation_id, lease_token=self.token).first()
        if row is not None:
            failed = result_of(Delivery(conversation_id, None, error, final=True))
            end_play(row, failed, now=self.now(), masked=self._masked)
        batches = {conversation_id: [part.value for part in parts if not part.final]}
        answer_senders(batches, held=())
        self.pulled.wait_for(batches, held={})
