"""Verdicts on simulated customers: which battles wait for one, what a model is asked about them, and what is stored.

Rows owe the work (`Conversation.simulator_verdict` is pending), and `do_paid_work` does it; one review an attempt is
the database's own rule.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import DatabaseError

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion
from apps.budgets.services.paid_rows import Delay, PaidRows, PaidTask
from apps.budgets.services.paid_work import do_paid_work
from apps.budgets.services.reserving import Refusal
from apps.connectors.llms.base import LLM
from apps.core.errors import RatibaError
from apps.core.question_secrets import fresh_nonce
from apps.evaluations.judging.services.salts import process_salt
from apps.jobs.services.leases import LeasedTable
from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.worker_loop import LoopReport
from apps.personas.domain.simulator_question import read_review, review_request
from apps.personas.domain.simulator_rules import rule_findings
from apps.personas.services.battle_review import (
    BattleToReview,
    ReviewReply,
    is_drawn,
    review_outcome,
    unread_battle,
)
from apps.runs.domain.synthetic_values import played_spec
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.reservations import pull_request_of
from apps.runs.playing.services.simulator_verdicts import ON, put_off_unpaid_reviews, store_review
from apps.runs.prompt_of_conversation import prompt_of
from apps.runs.services.model_roles import models_of
from apps.runs.signals import announce_end
from apps.tenants.context import current_slug

LEASE = timedelta(seconds=60)
CONCURRENCY = 16
WORK_FOR = timedelta(minutes=4)
LINGER = timedelta(seconds=30)

REVIEWS = LeasedTable(
    table="runs_conversation",
    lease=LEASE,
    counter="review_tries",
    joins="JOIN runs_testrun r ON r.id = w.run_id",
    pending="w.simulator_verdict = 'pending' AND w.status = 'ended' AND r.status IN ('pending', 'running', 'paused')",
    also_set=", error_code = '', error_message = ''",
    held="w.simulator_verdict = 'pending' AND w.status = 'ended'",
)


def review_in_free_slot(*, now: Callable[[], datetime], linger_for: timedelta = LINGER) -> LoopReport:
    """Reach the verdicts that are due in this tenant; none where another worker is at it."""
    return do_paid_work(ReviewRows(), now=now, until=now() + WORK_FOR, linger_for=linger_for)


class ReviewRows(PaidRows[Conversation]):
    """Battles that wait for a verdict on their simulated customer. A try is counted where a model is down, too."""

    table = REVIEWS
    doing = "reviewing it"
    waits_for = "the model that reviews the simulated customer"
    at_once = CONCURRENCY
    rows_at_once = 2 * CONCURRENCY
    claim_ahead = 2
    slot = "simulator_reviews"

    def __init__(self) -> None:
        self._models: dict[uuid.UUID, tuple[LLM | None, LLM | None, str]] = {}
        self._became: set[str] = set()

    def load(self, ids: Sequence[uuid.UUID]) -> Sequence[Conversation]:
        return list(Conversation.objects.filter(pk__in=ids).select_related("run").order_by("created_at"))

    def take_up(self, row: Conversation, now: datetime) -> PaidTask:
        return self._task(row, self._battle(row))

    def lost(self, row: Conversation, why: str, now: datetime) -> PaidTask:
        return self._task(row, self._battle(row, no_more=f"No verdict was reached in {self.most_losses} tries."))

    def fail(self, row: Conversation, why: RatibaError, now: datetime) -> None:
        """One that cannot be read gets no question, and its verdict says why."""
        self._store(row, unread_battle(row, why.message), None, now)

    def put_back(self, refused: Mapping[uuid.UUID, Refusal], token: uuid.UUID, now: datetime) -> None:
        put_off_unpaid_reviews(refused=refused, token=token, now=now)

    def settled(self) -> None:
        became, self._became = self._became, set()
        if became - {""}:
            announce_end()
        if "again" in became:
            wake_workers_on_commit(current_slug(), "playing")

    def _task(self, row: Conversation, battle: BattleToReview) -> PaidTask:
        question = _question(battle)
        return PaidTask(
            questions={row.pk: question} if question else {},
            finish=lambda replies, now: self._store(row, battle, replies.get(row.pk), now),
        )

    def _store(
        self, row: Conversation, battle: BattleToReview, reply: ReviewReply | None, now: datetime
    ) -> Delay | None:
        """Store the review of a battle; `reply` None: nobody was asked."""
        if reply is not None and (wait := self.wait(row, reply, now)) is not None:
            return wait if wait.counts else replace(wait, changes={"review_tries": 0})
        outcome = review_outcome(battle, reply or ReviewReply())
        token = row.lease_token
        if token is not None:
            self._became.add(store_review(conversation_id=row.pk, token=token, outcome=outcome, now=now))
        return None

    def _battle(self, row: Conversation, no_more: str = "") -> BattleToReview:
        fields = ("role", "content", "tool_calls", "tool_call_id", "name")
        turns = list(row.turns.transcript().order_by("position").values(*fields))
        spec = played_spec(row.spec)
        findings = rule_findings(turns, spec)
        primary, fallback, why = self._models_of(row.run)
        if any(finding.decides for finding in findings):
            primary, why = None, "A rule found it: no model was asked."
        elif primary is not None and not is_drawn(row, row.run.frozen_plan.simulator_review):
            primary, why = None, "This battle was not drawn for a review by a model."
        elif no_more:
            primary, why = None, no_more
        call_for = CallFor(
            purpose=Purpose.SIMULATOR_REVIEW,
            run_id=row.run_id,
            conversation_id=row.pk,
            pull_request=pull_request_of(row.run),
            prompt_version=prompt_of(row.pk),
        )
        return BattleToReview(
            spec=spec,
            turns=turns,
            found=findings,
            call_for=call_for,
            primary=primary,
            fallback=fallback,
            why=why,
            nonce=fresh_nonce(),
        )

    def _models_of(self, run: TestRun) -> tuple[LLM | None, LLM | None, str]:
        if run.pk not in self._models:
            plan = run.frozen_plan.simulator_review
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


def _question(battle: BattleToReview) -> PaidQuestion[Any] | None:
    """Asked once, and once more in a tighter wording. None: nobody is asked."""
    if battle.primary is None:
        return None
    nonce, salt = battle.nonce, process_salt()
    return PaidQuestion(
        requests=[
            review_request(spec=battle.spec, turns=battle.turns, nonce=nonce, salt=salt, tighter=tighter)
            for tighter in (False, True)
        ],
        read=partial(read_review, turns=battle.turns, spec=battle.spec, nonce=nonce, salt=salt),
        models=(battle.primary, battle.fallback),
        call_for=battle.call_for,
    )
