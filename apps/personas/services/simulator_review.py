"""Verdicts on simulated customers: claim battles that ended, ask about them beside the database, store what follows.

Rows owe the work (`Conversation.simulator_verdict` is pending): whatever dies, the lease expires and another worker
takes the verdict up; one review an attempt is the database's own rule.
"""

import secrets
import uuid
from collections.abc import Callable, Collection, Hashable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import DatabaseError, transaction

from apps.budgets.domain.estimate import Estimate, cost_at_most, request_tokens
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, record_calls
from apps.budgets.services.metered_model import MeteredModel, opener, write_openings
from apps.budgets.services.metered_run import model_client
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import ReservationRequest, release
from apps.connectors.cool_downs import CoolDowns
from apps.connectors.llms.base import LLM
from apps.connectors.parallel import Delivery, Emit, Job
from apps.core.errors import RatibaError
from apps.evaluations.services.salts import process_salt
from apps.jobs.row_errors import row_error
from apps.jobs.services.cool_downs import exchange
from apps.jobs.services.leases import LeasedTable
from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.worker_loop import LoopLimits, LoopReport, free_slot, run_worker_loop, take_slot
from apps.personas.domain.simulator_question import read_review, review_request
from apps.personas.domain.simulator_rules import rule_findings
from apps.personas.services.asking import first_readable
from apps.personas.services.battle_review import (
    BattleToReview,
    ReviewReply,
    is_drawn,
    no_question,
    review_outcome,
    unread_battle,
)
from apps.runs.models import Conversation, TestRun
from apps.runs.services.model_roles import models_of, retry_policy
from apps.runs.services.reservations import pull_request_of
from apps.runs.services.simulator_verdicts import (
    ON,
    put_off_review,
    put_off_unpaid_reviews,
    store_review,
)
from apps.runs.signals import announce_end
from apps.tenants.context import current_slug
from apps.tenants.queries import current_tenant_usable

LEASE = timedelta(seconds=60)
MOST_TRIES = 3  # of a verdict whose model is down, or whose worker was lost
MODEL_DOWN_S = 60.0  # between two of them
CONCURRENCY = 16

REVIEWS = LeasedTable(
    table="runs_conversation",
    lease=LEASE,
    joins="JOIN runs_testrun r ON r.id = w.run_id",
    pending="w.simulator_verdict = 'pending' AND w.status = 'ended' AND r.status IN ('pending', 'running', 'paused')",
    also_set=", review_tries = w.review_tries + 1, error_code = '', error_message = ''",
    held="w.simulator_verdict = 'pending' AND w.status = 'ended'",
)


def review_lane(*, now: Callable[[], datetime], linger_for: timedelta = timedelta(seconds=30)) -> LoopReport | None:
    """Reach the verdicts that are due in this tenant; None when another worker is at it."""
    if not take_slot("simulator_reviews", 0):
        return None
    try:
        return run_worker_loop(
            work=ReviewWork(now=now),
            limits=LoopLimits(concurrency=CONCURRENCY, linger_for=linger_for),
            client=model_client,
            now=now,
        )
    finally:
        free_slot("simulator_reviews", 0)


class ReviewWork:
    """What a lane of verdicts pays: see apps.jobs.worker_loop.WorkSource."""

    def __init__(self, *, now: Callable[[], datetime]) -> None:
        self.now = now
        self.token = uuid.uuid4()
        self.cool_downs = CoolDowns(now=now)
        self.reservations = BudgetReservations(holder=self.token, now=now)
        self._battles: dict[Hashable, BattleToReview] = {}
        self._models: dict[uuid.UUID, tuple[LLM | None, LLM | None, str]] = {}

    def claim(self, limit: int) -> Sequence[tuple[Hashable, Job]]:
        """Verdicts that can be paid; what cannot be waits, and its run with it."""
        exchange(self.cool_downs)
        if self.reservations.must_wait():
            return []
        ids = [row[0] for row in REVIEWS.claim(token=self.token, limit=limit, now=self.now())]
        rows = Conversation.objects.filter(pk__in=ids).select_related("run").order_by("created_at")
        pairs = [self._foreseen(row) for row in rows]
        battles = [battle for battle, _ in pairs]
        refused = self.reservations.reserve([request for _, request in pairs])
        put_off_unpaid_reviews(refused=refused, token=self.token, now=self.now())
        due = [one for one in battles if one.conversation_id not in refused]
        self._battles |= {one.conversation_id: one for one in due}
        return [(one.conversation_id, self._job(one)) for one in due]

    def begin(self, keys: Collection[Hashable]) -> Collection[Hashable]:
        return keys if current_tenant_usable() else ()

    def answer_requests(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        return write_openings(deliveries, write=self.reservations.open)

    def store(self, deliveries: Sequence[Delivery]) -> Collection[Hashable]:
        finished, became = [], set()
        for one in deliveries:
            if one.final:
                became.add(self._store_one(self._battles[one.key], one))
                finished.append(one.key)
        if self.cool_downs.changed:
            exchange(self.cool_downs)
        if became - {""}:
            announce_end()
        if "again" in became:
            wake_workers_on_commit(current_slug(), "playing")
        return finished

    def heartbeat(self, keys: Collection[Hashable]) -> None:
        REVIEWS.extend(token=self.token, ids=keys, now=self.now())
        self.reservations.heartbeat()

    def stop(self) -> None:
        """A question under way is waited for: it is one call."""

    def next_due(self, within: timedelta) -> datetime | None:
        return REVIEWS.next_due(now=self.now(), within=within)

    def release(self) -> None:
        REVIEWS.release(token=self.token, now=self.now())
        self.reservations.release()

    def _foreseen(self, row: Conversation) -> tuple[BattleToReview, ReservationRequest]:
        """A battle and what it may cost; one that cannot be read gets no question, and its verdict says why."""
        try:
            battle = self._battle(row)
            return battle, self._request(battle)
        except Exception as error:
            battle = unread_battle(row, row_error(error).message)
            return battle, self._request(battle)

    def _battle(self, row: Conversation) -> BattleToReview:
        fields = ("role", "content", "tool_calls", "tool_call_id", "name")
        turns = list(row.turns.transcript().order_by("position").values(*fields))
        found = rule_findings(turns, row.spec)
        primary, fallback, why = self._models_of(row.run)
        if any(one.decides for one in found):
            primary, why = None, "A rule found it: no model was asked."
        elif primary is not None and not is_drawn(row, row.run.plan["simulator_review"]):
            primary, why = None, "This battle was not drawn for a review by a model."
        elif row.review_tries > MOST_TRIES:
            primary, why = None, f"No verdict was reached in {MOST_TRIES} tries."
        return BattleToReview(
            conversation_id=row.pk,
            spec=row.spec,
            turns=turns,
            found=found,
            call_for=CallFor(
                purpose=Purpose.SIMULATOR_REVIEW,
                run_id=row.run_id,
                conversation_id=row.pk,
                pull_request=pull_request_of(row.run),
            ),
            pull_request=pull_request_of(row.run),
            primary=primary,
            fallback=fallback,
            why=why,
            tries=row.review_tries,
            nonce=secrets.token_hex(8),
        )

    def _models_of(self, run: TestRun) -> tuple[LLM | None, LLM | None, str]:
        if run.pk not in self._models:
            plan = run.plan.get("simulator_review") or {}
            self._models[run.pk] = None, None, "No model other than the simulator's own is configured."
            if plan.get("mode") != ON:
                self._models[run.pk] = None, None, "The tenant's settings ask no model."
            elif plan.get("model"):
                try:
                    self._models[run.pk] = *models_of(plan["model"]), ""
                except DatabaseError:
                    raise
                except RatibaError as error:
                    self._models[run.pk] = None, None, error.message
        return self._models[run.pk]

    def _request(self, battle: BattleToReview) -> ReservationRequest:
        cost = Estimate()
        if battle.primary is not None:
            specs = [llm.spec for llm in (battle.primary, battle.fallback) if llm is not None]
            self.reservations.history.load(specs)
            request = review_request(
                spec=battle.spec, turns=battle.turns, nonce=battle.nonce, salt=process_salt(), tighter=True
            )
            cost = max(
                (self._cost(spec, request) for spec in specs), key=lambda one: (one.price, one.usd)
            )  # fmt: skip
        return ReservationRequest(
            id=battle.conversation_id,
            usd=cost.usd,
            run_id=battle.call_for.run_id,
            pull_request=battle.pull_request,
            price=cost.price,
            unpriced=cost.unpriced,
        )

    def _cost(self, spec: Any, request: Any) -> Estimate:
        """Of a question and its one repeat."""
        return cost_at_most(
            spec,
            input_tokens=2 * request_tokens(request),
            output_tokens=2 * request.max_output_tokens,
            history=self.reservations.history.paid,
        )

    def _job(self, battle: BattleToReview) -> Job:
        if battle.primary is None:
            return no_question
        primary, policy, history = battle.primary, retry_policy(self.cool_downs), self.reservations.history.paid
        nonce, salt = battle.nonce, process_salt()

        requests = [
            review_request(spec=battle.spec, turns=battle.turns, nonce=nonce, salt=salt, tighter=one)
            for one in (False, True)
        ]

        async def job(client: Any, emit: Emit) -> ReviewReply:
            metered = MeteredModel(
                primary=primary, fallback=battle.fallback, policy=policy, client=client, opener=opener(emit),
                history=history,
            )  # fmt: skip
            read = partial(read_review, turns=battle.turns, spec=battle.spec, nonce=nonce, salt=salt)
            return await first_readable(metered, requests, read=read, call_for=battle.call_for)

        return job

    def _store_one(self, battle: BattleToReview, delivery: Delivery) -> str:
        answer = delivery.value if delivery.error is None else ReviewReply(error=str(delivery.error))
        put_off = partial(put_off_review, conversation_id=battle.conversation_id, token=self.token)
        with transaction.atomic():
            record_calls(calls=list(answer.calls))
            release(holder=self.token, ids=[battle.conversation_id])
            if answer.wait_s is not None:
                until = self.now() + timedelta(seconds=answer.wait_s)
                model = battle.primary.spec.model if battle.primary else ""
                put_off(until=until, waiting_for=f"model {model} limits us", counts=False)
                return ""
            if answer.error and not answer.unusable and battle.tries < MOST_TRIES:
                until = self.now() + timedelta(seconds=MODEL_DOWN_S)
                put_off(until=until, waiting_for="the model that reviews the simulated customer", counts=True)
                return ""
            outcome = review_outcome(battle, answer)
            return store_review(
                conversation_id=battle.conversation_id, token=self.token, outcome=outcome, now=self.now()
            )
