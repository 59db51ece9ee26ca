"""Asking about one conversation: the judge, once or several times, a second judge, a panel; no database."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zlib import crc32

from apps.budgets.domain.cache_entry import CacheEntry
from apps.budgets.domain.estimate import History
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import LedgerCall, OpenCall
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.budgets.services.response_cache import CachedModel, NewCacheEntry
from apps.catalog.configs.domain.judging_rules import PanelRule
from apps.catalog.configs.domain.snapshots import CriterionSnapshot
from apps.connectors.errors import RateLimited
from apps.connectors.llms.base import LLM
from apps.evaluations.domain.evidence import Checker
from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.judging.domain.aggregation import (
    Answered,
    CriterionVerdict,
    ModelAnswer,
    NotAnswered,
    aggregate,
    apply_panel,
    error_of,
    require_evidence,
    with_cross_check,
    with_note,
)
from apps.evaluations.judging.domain.latency import latency_statistics
from apps.evaluations.judging.services.judge import CallPlan, Judge, PlannedCall
from apps.evaluations.judging.services.leases import ClaimedJudgement
from apps.evaluations.judging.services.model_question import ModelQuestion
from apps.evaluations.judging.services.outcomes import JudgementOutcome

__all__ = ["Judge", "LedgerAccess", "judge_conversation"]

AT_ONCE = 8  # open questions of one conversation: with many criteria asked one by one, a provider would see a flood


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerAccess:
    """Access of a judgement's calls to their ledger rows: those opened beforehand, and who opens more."""

    opener: Opener
    first: Mapping[PlannedCall, OpenCall] = field(default_factory=dict)
    history: History = field(default_factory=dict)


async def judge_conversation(
    *,
    claimed: ClaimedJudgement,
    judge: Judge,
    nonce: str,
    salt: str,
    client: Any,
    now: Callable[[], datetime],
    ledger: LedgerAccess,
    plan: CallPlan | None = None,
    cached: Mapping[str, CacheEntry] | None = None,
) -> JudgementOutcome:
    """Judge one conversation. Never raises for what a model or a network does: that becomes the verdict.

    `nonce` binds the replies to this conversation, `salt` names their numbers (services/salts.py). `ledger` opens the
    row of each call before it is made.

    Costs what `plan` says (`Judge.plan`; without one the judge alone is asked, and nothing is kept): one model call for
    each question of the judge and of the cross-check, asked at the same time, then one for each seat of the panel where
    a score fails; one more each when a reply was unusable or left criteria out; more on failures, as the retry policy
    says; none for what is `cached` under its key. Repeating it pays again: the caller holds the lease.
    """
    plan = plan or judge.plan(claimed, alone=True)
    return await _Judging(claimed, judge, plan, dict(cached or {}), nonce, salt, client, now, ledger).run()


class _Judging:
    def __init__(
        self,
        claimed: ClaimedJudgement,
        judge: Judge,
        plan: CallPlan,
        cached: Mapping[str, CacheEntry],
        nonce: str,
        salt: str,
        client: Any,
        now: Callable[[], datetime],
        ledger: LedgerAccess,
    ) -> None:
        self.ledger = ledger
        self.claimed, self.judge, self.plan, self.cached = claimed, judge, plan, cached
        self.nonce, self.salt, self.client, self.now = nonce, salt, client, now
        self.gate = asyncio.Semaphore(AT_ONCE)
        self.latency = latency_statistics(claimed.turns, played=claimed.played)
        self.exchanges: list[tuple[CachedModel, Answered | NotAnswered | RateLimited]] = []
        self._checker: Checker | None = None
        self._second: Answered | NotAnswered | None = None

    async def run(self) -> JudgementOutcome:
        second = self._ask(self.plan.cross_check) if self.plan.cross_check else _no_answer()
        *answers, crossed = await asyncio.gather(*(self._ask(one) for one in self.plan.judge), second)
        self._second = crossed if isinstance(crossed, Answered | NotAnswered) else None
        for answer in answers:
            if isinstance(answer, RateLimited):
                return self._wait(answer, self.judge.primary)
        usable = [answer for answer in answers if isinstance(answer, Answered)]
        if not usable:
            failures = [answer for answer in answers if isinstance(answer, NotAnswered)]
            return self._ended(**failures[0].fields())
        own_answers = self._one_instrument(usable)
        scores = [self._aggregate(criterion, own_answers) for criterion in self.judge.snapshot.criteria]
        if any(score.score is not None and score.score < score.pass_mark for score in scores) and self.plan.panel:
            panel_answers = await asyncio.gather(*(self._ask_panel_member(one) for one in self.plan.panel))
            for panel_answer, question in zip(panel_answers, self.plan.panel, strict=True):
                if isinstance(panel_answer, RateLimited):
                    return self._wait(panel_answer, question.llm)
            scores = [self._with_panel(score, own_answers[0], panel_answers) for score in scores]
        return self._outcome([self._with_cross_check(score) for score in scores], own_answers)

    async def _ask(self, question: PlannedCall) -> Answered | NotAnswered | RateLimited:
        names = question.criteria or tuple(self.judge.names)
        model = CachedModel(
            metered=MeteredModel(
                primary=question.llm,
                fallback=question.fallback,
                policy=self.judge.policy,
                client=self.client,
                opener=self.ledger.opener,
                history=self.ledger.history,
                first=self.ledger.first.get(question),
            ),
            nonce=self.nonce,
            salt=self.salt,
            key=question.key,
            cached=self.cached.get(question.key or ""),
        )
        model_question = ModelQuestion(claimed=self.claimed, model=model, names=names, purpose=question.purpose)
        prompt = self.judge.prompt(question.criteria)
        answer: Answered | NotAnswered | RateLimited
        async with self.gate:
            try:
                answer = await model_question.ask(prompt=prompt, latency=self.latency)
            except RateLimited as error:
                answer = error
        self.exchanges.append((model, answer))
        return answer

    async def _ask_panel_member(self, question: PlannedCall) -> Answered | NotAnswered | RateLimited:
        if question is self.plan.cross_check and self._second is not None:
            return self._second
        return await self._ask(question)

    def _one_instrument(self, usable: Sequence[Answered]) -> list[ModelAnswer]:
        """The judge's answers that count together: those of one fingerprint, the model's own before its fallback's."""
        first = next((one for one in usable if not one.by_fallback), usable[0])
        return [
            self._model_answer(Purpose.JUDGE, one, self._model_of(one))
            for one in usable
            if (one.provider, one.model, one.by_fallback) == (first.provider, first.model, first.by_fallback)
        ]

    def _aggregate(self, criterion: CriterionSnapshot, answers: Sequence[ModelAnswer]) -> CriterionVerdict:
        return aggregate(criterion, answers, repeats=self.judge.rules.repeats, verify=self._evidence)

    def _with_panel(
        self, score: CriterionVerdict, own: ModelAnswer, panel_answers: Sequence[Answered | NotAnswered | RateLimited]
    ) -> CriterionVerdict:
        if score.score is None or score.score >= score.pass_mark:
            return score
        answers = [
            self._model_answer(Purpose.PANEL, panel_answer, question.llm)
            for panel_answer, question in zip(panel_answers, self.plan.panel, strict=True)
            if isinstance(panel_answer, Answered)
        ]
        rule = self.judge.rules.panel or PanelRule.MEDIAN
        ruled = apply_panel(score, own, answers, by=rule, verify=self._evidence)
        for panel_answer, question in zip(panel_answers, self.plan.panel, strict=True):
            if isinstance(panel_answer, NotAnswered):
                ruled = with_note(ruled, Purpose.PANEL, model=question.llm.spec.model, error=error_of(panel_answer))
        return ruled

    def _with_cross_check(self, score: CriterionVerdict) -> CriterionVerdict:
        score = require_evidence(score, self.judge.rules)
        question = self.plan.cross_check
        if question and isinstance(self._second, Answered):
            return with_cross_check(score, self._model_answer(Purpose.CROSS_CHECK, self._second, question.llm))
        if self.plan.left_out:
            return with_note(score, Purpose.CROSS_CHECK, left_out=self.plan.left_out)
        if question:
            why = error_of(self._second) if isinstance(self._second, NotAnswered) else "the second judge was not free"
            return with_note(score, Purpose.CROSS_CHECK, model=question.llm.spec.model, error=why)
        return score

    def _model_of(self, answer: Answered) -> LLM:
        """The judge's own model, or the one behind it."""
        return self.judge.fallback if answer.by_fallback and self.judge.fallback else self.judge.primary

    def _model_answer(self, purpose: Purpose, answer: Answered, llm: LLM) -> ModelAnswer:
        print_ = self.judge.fingerprint(llm.spec, answer.model, panel=purpose is Purpose.JUDGE)
        return ModelAnswer(purpose=purpose, fingerprint=print_, reply=answer)

    def _outcome(self, scores: Sequence[CriterionVerdict], answers: Sequence[ModelAnswer]) -> JudgementOutcome:
        last = answers[-1]
        mean = weighted_mean({score.criterion: score.score for score in scores}, self.judge.weights)
        return self._ended(
            status=JudgementStatus.SCORED,
            scores=tuple(scores),
            weighted_score=mean,
            fingerprint=last.fingerprint,
            provider=last.reply.provider,
            model=last.reply.model,
            by_fallback=last.reply.by_fallback,
            raw_reply="\n\n".join(answer.reply.raw for answer in answers),
            from_cache=all(model.from_cache for model, _ in self.exchanges),
        )

    def _evidence(self, quote: str) -> dict[str, Any]:
        if self._checker is None:
            self._checker = Checker(self.claimed.turns)
        evidence = self._checker.verify(quote, conversations=1)
        return {
            "quote": evidence.quote,
            "turn": evidence.turn,
            "kind": str(evidence.kind),
            "repair": evidence.repair,
            "source": evidence.source,
        } | self._said_by(evidence.turn)

    def _said_by(self, turn: int | None) -> dict[str, str]:
        """Marks a customer's words: a true quote of them proves nothing about the agent."""
        turns = self.claimed.turns
        is_customer = turn is not None and turn < len(turns) and turns[turn].get("role") == "user"
        return {"said_by": "customer"} if is_customer else {}

    def _wait(self, error: RateLimited, llm: LLM) -> JudgementOutcome:
        """Wait as long as we were told, and up to a tenth longer: not all of us come back at the same moment."""
        return JudgementOutcome(
            judgement_id=self.claimed.judgement_id,
            evaluation_id=self.claimed.evaluation_id,
            wait_until=self.now()
            + timedelta(seconds=error.retry_after * (1 + crc32(self.nonce.encode()) % 100 / 1000)),
            waiting_for=f"model {llm.spec.model} {error.does}",
            calls=self._calls(),
            answers=self._new_entries(),
        )

    def _ended(self, **fields: Any) -> JudgementOutcome:
        return JudgementOutcome(
            judgement_id=self.claimed.judgement_id,
            evaluation_id=self.claimed.evaluation_id,
            latency=self.latency,
            calls=self._calls(),
            reasked=any(model.reasked for model, _ in self.exchanges),
            answers=self._new_entries(),
            **fields,
        )

    def _calls(self) -> tuple[LedgerCall, ...]:
        return tuple(call for model, _ in self.exchanges for call in model.calls)

    def _new_entries(self) -> tuple[NewCacheEntry, ...]:
        """Whole answers, so that what was paid for is not asked again when another question has to wait."""
        whole = [model for model, answer in self.exchanges if isinstance(answer, Answered) and answer.complete]
        return tuple(fresh for model in whole for fresh in model.new_entries())


async def _no_answer() -> None:
    return None
