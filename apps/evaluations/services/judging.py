"""What a judging lane pays: owed judgements, many at a time (see apps.jobs.worker_loop.WorkSource)."""

import secrets
import uuid
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DataError

from apps.budgets.domain.cache_entry import CacheEntry
from apps.budgets.domain.estimate import History
from apps.budgets.services import OpenCall
from apps.budgets.services.metered_model import opener, write_openings
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.response_cache import get_cached
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.connectors.parallel import Delivery, Emit, Job
from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.services import leases as claiming
from apps.evaluations.services.circuit_breaking import FAILED, stop_hopeless
from apps.evaluations.services.completion import give_second_chances
from apps.evaluations.services.judge import CallPlan, Funding, Judge, PlannedCall, funding_of
from apps.evaluations.services.judge_conversation import LedgerAccess, judge_conversation
from apps.evaluations.services.judge_factory import JudgeFactory
from apps.evaluations.services.leases import ClaimedJudgement
from apps.evaluations.services.outcomes import (
    PROGRESS_EVERY,
    JudgementOutcome,
    defer_unfunded,
    note_progress,
    note_started,
    save_outcomes,
)
from apps.evaluations.services.salts import evaluation_salt
from apps.jobs.domain.losses import MOST_LOSSES_OF_MANY, loss_sentence, lost_too_often
from apps.jobs.queries.waiting_tenants import another_tenant_waits
from apps.jobs.services.cool_downs import exchange
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot

ROUNDS = 50  # of claiming, when what is claimed cannot be paid: 3,000 judgements are put back in about a second


class JudgingWork:
    """Claims owed judgements, asks their judges, stores verdicts."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        make_nonce: Callable[[], str],
        salt_of: Callable[[uuid.UUID], str] = evaluation_salt,
    ) -> None:
        self.now = now
        self.make_nonce = make_nonce
        self.salt_of = salt_of
        self.token = uuid.uuid4()
        self.cool_downs = CoolDowns(now=now)
        self._factory = JudgeFactory(self.cool_downs)
        self._claimed: dict[Any, ClaimedJudgement] = {}
        self._broken: dict[uuid.UUID, RatibaError] = {}  # cannot be planned, and why
        self._unplanned: list[ClaimedJudgement] = []  # claimed, and not yet made into jobs
        self._ready: list[tuple[Hashable, Job]] = []
        self._progress_at: dict[uuid.UUID, datetime] = {}
        self._started: set[uuid.UUID] = set()  # and nothing came of it yet
        self._first_calls: dict[uuid.UUID, Mapping[PlannedCall, OpenCall]] = {}  # rows of calls that can be foreseen
        self.reservations = BudgetReservations(holder=self.token, now=now)

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        """Work that can be paid. What cannot is put back, and others are claimed in its place: a lane that gets fewer
        than it asked for takes it that nothing is left. Repeatable: a database that goes away loses nothing."""
        exchange(self.cool_downs)
        for _ in range(ROUNDS):
            if self.reservations.must_wait() or not self._claim(limit - len(self._ready)):
                break
        jobs, self._ready = self._ready, []
        return jobs

    def _claim(self, limit: int) -> int:
        """One round; how many could not be paid."""
        now = self.now()
        if not self._unplanned:
            limited = self._factory.limited()
            self._unplanned = claiming.claim(token=self.token, limit=limit, now=now, limited=limited)
        claimed = self._unplanned
        self._factory.load({judgement.evaluation_id for judgement in claimed})
        plans = {judgement.judgement_id: plan for judgement in claimed if (plan := self._plan(judgement))}
        cached = get_cached(keys={key for plan in plans.values() for key in plan.keys}, now=now)
        fundings = self._fundings(claimed, plans, cached)
        refused = self.reservations.reserve([funding.request for funding in fundings])
        defer_unfunded(claimed=claimed, refused=refused, token=self.token, now=self.now())
        for judgement, funding in zip(claimed, fundings, strict=True):
            if judgement.judgement_id not in refused:
                self._claimed[judgement.judgement_id] = judgement
                plan, first = plans.get(judgement.judgement_id), funding.first
                if plan is not None and self.reservations.past_warning:
                    plan = plan.frugal()
                    first = {one: call for one, call in first.items() if one in plan.judge}
                self._first_calls[judgement.judgement_id] = first
                self._ready.append((judgement.judgement_id, self._job(judgement, plan, cached)))
        self._unplanned = []
        return len(refused)

    def _fundings(
        self, claimed: Sequence[ClaimedJudgement], plans: Mapping[uuid.UUID, CallPlan], cached: Mapping[str, CacheEntry]
    ) -> list[Funding]:
        judges = {judgement.evaluation_id: self._factory.judges[judgement.evaluation_id] for judgement in claimed}
        self.reservations.history.load(
            spec for judge in judges.values() if isinstance(judge, Judge) for spec in judge.specs()
        )
        history = self.reservations.history.paid
        return [self._funding(judgement, plans.get(judgement.judgement_id), cached, history) for judgement in claimed]

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        begun = claiming.begin(token=self.token, judgement_ids=keys)
        self.reservations.open([call for key in begun for call in self._first_calls.get(key, {}).values()])
        return begun

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        return write_openings(deliveries, write=self.reservations.open)

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        verdicts = [self._outcome(delivery) for delivery in deliveries]
        now = self.now()
        try:
            save_outcomes(
                verdicts=verdicts,
                now=now,
                token=self.token,
                reserved=self.reservations.any_reserved,
                unused=self._unused(deliveries, verdicts),
            )
        except (DataError, ValueError):
            verdicts = [_stored_alone(verdict, now, self.token) for verdict in verdicts]
        if self.cool_downs.changed:
            exchange(self.cool_downs)
        self._note_progress(verdicts, now)
        stop_hopeless(evaluation_ids={one.evaluation_id for one in verdicts if one.status in FAILED}, now=now)
        for verdict in verdicts:
            self._claimed.pop(verdict.judgement_id, None)
            self._first_calls.pop(verdict.judgement_id, None)
            self._broken.pop(verdict.judgement_id, None)
            if verdict.status in FAILED:
                _log_error(verdict)
        return [delivery.key for delivery in deliveries]

    def heartbeat(self, keys: Collection[Hashable]) -> None:
        claiming.JUDGEMENTS.extend(token=self.token, ids=keys, now=self.now())
        self.reservations.heartbeat()

    def stop(self) -> None:
        """What was begun is a matter of seconds: it is stored."""

    def next_due(self, within: timedelta) -> datetime | None:
        """When something waiting may be tried; now, where errors of a finished rest are tried a second time."""
        now = self.now()
        place = self._factory.next_place
        return now if give_second_chances() else claiming.next_due(now=now, within=within, place=place(now))

    def release(self) -> None:
        claiming.JUDGEMENTS.release(token=self.token, now=self.now())
        self.reservations.release()

    def _unused(self, deliveries: Sequence[Delivery], verdicts: Sequence[JudgementOutcome]) -> set[uuid.UUID]:
        """Rows of calls that were foreseen and not made; where a job broke, nobody knows."""
        return {
            call.id
            for delivery, verdict in zip(deliveries, verdicts, strict=True)
            if delivery.error is None
            for call in self._first_calls.get(verdict.judgement_id, {}).values()
        } - {call.id for verdict in verdicts for call in verdict.calls}

    def _note_progress(self, verdicts: Sequence[JudgementOutcome], now: datetime) -> None:
        """Results alone are progress: an evaluation whose model only ever limits us has begun, and stands still.

        At most every 2 s for each evaluation: the statement says so too, but would be sent for every batch."""
        moved = {verdict.evaluation_id for verdict in verdicts if verdict.wait_until is None}
        begun = {verdict.evaluation_id for verdict in verdicts} - moved - self._progress_at.keys() - self._started
        note_started(evaluation_ids=sorted(begun), now=now)
        self._started |= begun
        due = [
            one
            for one in sorted(moved)
            if one not in self._progress_at or self._progress_at[one] <= now - PROGRESS_EVERY
        ]
        note_progress(evaluation_ids=due, now=now)
        self._progress_at.update(dict.fromkeys(due, now))

    def _plan(self, judgement: ClaimedJudgement) -> CallPlan | None:
        judge = self._judge_of(judgement)
        try:
            return judge.plan(judgement) if isinstance(judge, Judge) else None
        except Exception as error:  # of this conversation alone: its neighbours are judged
            self._broken[judgement.judgement_id] = _unexpected(error)
            return None

    def _judge_of(self, judgement: ClaimedJudgement) -> Judge | RatibaError:
        return self._broken.get(judgement.judgement_id) or self._factory.judges[judgement.evaluation_id]

    def _funding(self, judgement: ClaimedJudgement, plan: CallPlan | None, cached: Any, history: History) -> Funding:
        try:
            return funding_of(judgement, self._judge_of(judgement), plan, cached=cached, history=history)
        except Exception as error:
            self._broken[judgement.judgement_id] = broken = _unexpected(error)
            return funding_of(judgement, broken, None, history=history)

    def _job(self, judgement: ClaimedJudgement, plan: CallPlan | None, cached: Mapping[str, CacheEntry]) -> Job:
        judge = self._judge_of(judgement)
        nonce, salt, now = self.make_nonce(), self.salt_of(judgement.evaluation_id), self.now
        if isinstance(judge, RatibaError) or lost_too_often(judgement.attempts, most=MOST_LOSSES_OF_MANY):
            verdict = _cannot_judge(judgement, judge if isinstance(judge, RatibaError) else _gave_up())

            async def refuse(client: Any, emit: Emit) -> JudgementOutcome:
                return verdict

            return refuse

        first, history = self._first_calls[judgement.judgement_id], self.reservations.history.paid

        async def job(client: Any, emit: Emit) -> JudgementOutcome:
            ledger = LedgerAccess(opener=opener(emit), first=first, history=history)
            return await judge_conversation(
                claimed=judgement, judge=judge, nonce=nonce, salt=salt, client=client, now=now,
                plan=plan, cached=cached, ledger=ledger,
            )  # fmt: skip

        return job

    def _outcome(self, delivery: Delivery) -> JudgementOutcome:
        if delivery.error is None:
            verdict: JudgementOutcome = delivery.value
            return verdict
        judgement = self._claimed[delivery.key]
        return _cannot_judge(judgement, _unexpected(delivery.error))


def judge_lane(*, lanes: int, concurrency: int, now: Callable[[], datetime]) -> LoopReport | None:
    """Open one of the tenant's judging lanes in this worker; None when all of them are taken by others.

    `concurrency` is the tenant's whole allowance: it is shared evenly among its lanes.
    """
    for lane in range(lanes):
        if take_slot("judging", lane):
            break
    else:
        return None
    try:
        if lane and another_tenant_waits(now=now()):
            return None  # that tenant's first lane goes before this one's second; the tick comes again
        policy = OutboundPolicy(private_hosts=tuple(settings.PRIVATE_HOSTS), purpose="model")
        return run_worker_loop(
            work=JudgingWork(now=now, make_nonce=lambda: secrets.token_hex(8)),
            limits=LoopLimits(concurrency=max(1, concurrency // lanes)),
            client=lambda: outbound_client(policy),
            now=now,
            others_wait=lambda: another_tenant_waits(now=now()),
        )
    finally:
        free_slot("judging", lane)


def _unexpected(error: BaseException) -> RatibaError:
    return RatibaError(f"{type(error).__name__}: {error}"[:2000], code="unexpected")


def _gave_up() -> RatibaError:
    return RatibaError(loss_sentence("judging it", most=MOST_LOSSES_OF_MANY), code="gave_up")


def _stored_alone(verdict: JudgementOutcome, now: datetime, token: uuid.UUID) -> JudgementOutcome:
    """One verdict that the database refuses must not stop the others, nor come back for ever: it becomes an error."""
    try:
        save_outcomes(verdicts=[verdict], now=now, token=token)
    except (DataError, ValueError) as error:
        verdict = _cannot_judge(verdict, RatibaError(f"{type(error).__name__}: {error}"[:2000], code="not_storable"))
        save_outcomes(verdicts=[verdict], now=now)
    return verdict


def _cannot_judge(judgement: ClaimedJudgement | JudgementOutcome, error: RatibaError) -> JudgementOutcome:
    return JudgementOutcome(
        judgement_id=judgement.judgement_id,
        evaluation_id=judgement.evaluation_id,
        status=JudgementStatus.MODEL_ERROR,
        error_code=error.code,
        error_message=str(error),
    )


def _log_error(verdict: JudgementOutcome) -> None:
    unreadable = verdict.status == JudgementStatus.PARSE_ERROR
    event = EventType.JUDGEMENT_PARSE_ERROR if unreadable else EventType.JUDGEMENT_MODEL_ERROR
    log_event(
        event, evaluation=str(verdict.evaluation_id), judgement=str(verdict.judgement_id), code=verdict.error_code
    )
