"""The work of a judging slot: owed judgements, many at a time (see apps.jobs.worker_loop.WorkSource)."""

import uuid
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import DataError

from apps.budgets.domain.cache_entry import CacheEntry
from apps.budgets.domain.estimate import History
from apps.budgets.services import OpenCall
from apps.budgets.services.claim_paid import ClaimPaid, WorkInHand
from apps.budgets.services.metered_model import opener
from apps.budgets.services.reserving import Refusal, ReservationRequest
from apps.budgets.services.response_cache import get_cached
from apps.catalog.connections.services.outbound_policies import model_policy
from apps.connectors.llms.base import ModelSpec
from apps.connectors.outbound import outbound_client
from apps.connectors.parallel import Delivery, Emit, Job
from apps.core.errors import RatibaError
from apps.core.events import EventType, log_event
from apps.core.question_secrets import fresh_nonce
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.judging.services import leases as claiming
from apps.evaluations.judging.services.circuit_breaking import FAILED, stop_hopeless
from apps.evaluations.judging.services.completion import retry_errors
from apps.evaluations.judging.services.judge import CallPlan, Judge, PlannedCall, funding_of
from apps.evaluations.judging.services.judge_conversation import LedgerAccess, judge_conversation
from apps.evaluations.judging.services.judge_factory import JudgeFactory
from apps.evaluations.judging.services.leases import ClaimedJudgement
from apps.evaluations.judging.services.outcomes import (
    PROGRESS_EVERY,
    JudgementOutcome,
    defer_unfunded,
    note_progress,
    note_started,
    save_outcomes,
)
from apps.evaluations.judging.services.salts import evaluation_salt
from apps.jobs.domain.losses import MAX_LOSSES_OF_MANY, loss_sentence, lost_too_often
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot


@dataclass(slots=True, kw_only=True)
class HeldJudgement(WorkInHand):
    """One judgement from its claim to its verdict.

    It has who judges it (or why nobody can), what is asked about it, the cached answers, and the ledger rows of the
    calls that can be foreseen.
    """

    claimed: ClaimedJudgement
    judge: Judge | RatibaError
    plan: CallPlan | None = None
    cached: Mapping[str, CacheEntry] = field(default_factory=dict)
    first: Mapping[PlannedCall, OpenCall] = field(default_factory=dict)


class JudgingWork(ClaimPaid[ClaimedJudgement, HeldJudgement]):
    """Claims owed judgements, asks their judges, stores verdicts."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        make_nonce: Callable[[], str],
        salt_of: Callable[[uuid.UUID], str] = evaluation_salt,
    ) -> None:
        super().__init__(table=claiming.JUDGEMENTS, now=now)
        self.make_nonce, self.salt_of = make_nonce, salt_of
        self.held: dict[Hashable, HeldJudgement] = {}
        self._factory = JudgeFactory(self.cool_downs)
        self._progress_at: dict[uuid.UUID, datetime] = {}
        self._started: set[uuid.UUID] = set()  # and nothing came of it yet

    def lease(self, limit: int) -> Sequence[ClaimedJudgement]:
        return claiming.claim(token=self.token, limit=limit, now=self.now(), limited=self._factory.limited())

    def take_up(self, leased: Sequence[ClaimedJudgement]) -> Sequence[HeldJudgement]:
        self._factory.load({judgement.evaluation_id for judgement in leased})
        judges = self._factory.judges
        held = [
            _planned(HeldJudgement(id=judgement.judgement_id, claimed=judgement, judge=judges[judgement.evaluation_id]))
            for judgement in leased
        ]
        cached = get_cached(
            keys={key for judgement in held if judgement.plan for key in judgement.plan.keys}, now=self.now()
        )
        for judgement in held:
            judgement.cached = cached
        return held

    def specs(self, held: Sequence[HeldJudgement]) -> Iterable[ModelSpec]:
        judges = {id(judgement.judge): judgement.judge for judgement in held}
        return (spec for judge in judges.values() if isinstance(judge, Judge) for spec in judge.specs())

    def cost(self, judgement: HeldJudgement, history: History) -> Sequence[ReservationRequest]:
        funding = funding_of(
            judgement.claimed, judgement.judge, judgement.plan, cached=judgement.cached, history=history
        )
        judgement.first = funding.first
        return [funding.request]

    def fail(self, judgement: HeldJudgement, why: Exception) -> None:
        judgement.judge, judgement.plan = _unexpected(why), None

    def put_back(self, unpaid: Mapping[uuid.UUID, Refusal]) -> None:
        defer_unfunded(claimed=self.leased, refused=unpaid, token=self.token, now=self.now())

    def jobs(self, judgement: HeldJudgement) -> Iterable[tuple[Hashable, Job]]:
        if judgement.plan is not None and self.reservations.past_warning:
            judgement.plan = judgement.plan.frugal()
            judgement.first = {
                planned: call for planned, call in judgement.first.items() if planned in judgement.plan.judge
            }
        self.held[judgement.id] = judgement
        return [(judgement.id, self._job(judgement))]

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        begun = claiming.begin(token=self.token, judgement_ids=keys)
        self.reservations.open([call for key in begun if key in self.held for call in self.held[key].first.values()])
        return begun

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
        self.share_cool_downs()
        self._note_progress(verdicts, now)
        stop_hopeless(
            evaluation_ids={outcome.evaluation_id for outcome in verdicts if outcome.status in FAILED}, now=now
        )
        for verdict in verdicts:
            self.held.pop(verdict.judgement_id, None)
            if verdict.status in FAILED:
                _log_error(verdict)
        return [delivery.key for delivery in deliveries]

    def next_due(self, within: timedelta) -> datetime | None:
        """Return when waiting work may be tried; now, where errors of a finished rest are tried a second time."""
        now = self.now()
        place = self._factory.next_place
        return now if retry_errors() else claiming.next_due(now=now, within=within, place=place(now))

    def _unused(self, deliveries: Sequence[Delivery], verdicts: Sequence[JudgementOutcome]) -> set[uuid.UUID]:
        """Rows of calls that were foreseen and not made; where a job broke, nobody knows."""
        return {
            call.id
            for delivery, verdict in zip(deliveries, verdicts, strict=True)
            if delivery.error is None and (one := self.held.get(verdict.judgement_id))
            for call in one.first.values()
        } - {call.id for verdict in verdicts for call in verdict.calls}

    def _note_progress(self, verdicts: Sequence[JudgementOutcome], now: datetime) -> None:
        """Results alone are progress: an evaluation whose model only ever limits us has begun, and stands still.

        At most every 2 s for each evaluation: the statement says so too, but would be sent for every batch."""
        moved = {verdict.evaluation_id for verdict in verdicts if verdict.wait_until is None}
        begun = {verdict.evaluation_id for verdict in verdicts} - moved - self._progress_at.keys() - self._started
        note_started(evaluation_ids=sorted(begun), now=now)
        self._started |= begun
        due = [
            evaluation_id
            for evaluation_id in sorted(moved)
            if evaluation_id not in self._progress_at or self._progress_at[evaluation_id] <= now - PROGRESS_EVERY
        ]
        note_progress(evaluation_ids=due, now=now)
        self._progress_at.update(dict.fromkeys(due, now))

    def _job(self, judgement: HeldJudgement) -> Job:
        judge = judgement.judge
        if isinstance(judge, RatibaError) or lost_too_often(judgement.claimed.attempts, most=MAX_LOSSES_OF_MANY):
            verdict = _cannot_judge(judgement.claimed, judge if isinstance(judge, RatibaError) else _gave_up())

            async def refuse(client: Any, emit: Emit) -> JudgementOutcome:
                return verdict

            return refuse

        nonce, salt, now = self.make_nonce(), self.salt_of(judgement.claimed.evaluation_id), self.now
        history = self.reservations.history.paid

        async def job(client: Any, emit: Emit) -> JudgementOutcome:
            ledger = LedgerAccess(opener=opener(emit), first=judgement.first, history=history)
            return await judge_conversation(
                claimed=judgement.claimed,
                judge=judge,
                nonce=nonce,
                salt=salt,
                client=client,
                now=now,
                plan=judgement.plan,
                cached=judgement.cached,
                ledger=ledger,
            )

        return job

    def _outcome(self, delivery: Delivery) -> JudgementOutcome:
        if delivery.error is None:
            verdict: JudgementOutcome = delivery.value
            return verdict
        return _cannot_judge(self.held[delivery.key].claimed, _unexpected(delivery.error))


def judge_in_free_slot(
    *, slots: int, concurrency: int, now: Callable[[], datetime], work_for_s: float = 240.0
) -> LoopReport | None:
    """Open one of the tenant's judging slots in this worker; None when all of them are taken by others.

    `concurrency` is the tenant's whole allowance: it is shared evenly among its slots.
    """
    for slot in range(slots):
        if take_slot("judging", slot):
            break
    else:
        return None
    try:
        policy = model_policy()
        return run_worker_loop(
            work=JudgingWork(now=now, make_nonce=fresh_nonce),
            limits=LoopLimits(concurrency=max(1, concurrency // slots), work_for_s=work_for_s),
            client=lambda: outbound_client(policy),
            now=now,
        )
    finally:
        free_slot("judging", slot)


def _planned(judgement: HeldJudgement) -> HeldJudgement:
    """Give a judgement its plan. An error stays with this conversation: its neighbours are judged."""
    try:
        judgement.plan = judgement.judge.plan(judgement.claimed) if isinstance(judgement.judge, Judge) else None
    except Exception as error:
        judgement.judge = _unexpected(error)
    return judgement


def _unexpected(error: BaseException) -> RatibaError:
    return RatibaError(f"{type(error).__name__}: {error}"[:2000], code="unexpected")


def _gave_up() -> RatibaError:
    return RatibaError(loss_sentence("judging it", most=MAX_LOSSES_OF_MANY), code="gave_up")


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
