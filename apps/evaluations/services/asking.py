"""Asking a judge about one conversation: one call for all criteria, at most one tighter repeat, no database."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zlib import crc32

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, LedgerCall
from apps.catalog.domain.snapshots import ConfigSnapshot
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.base import LLM, Attempt, LLMRequest
from apps.connectors.retry import Asked, RetryPolicy, ask
from apps.core.errors import RatibaError
from apps.evaluations.domain.evidence import Checker
from apps.evaluations.domain.fingerprint import fingerprint
from apps.evaluations.domain.latency import latency_statistics
from apps.evaluations.domain.parsing import Answer, CriterionReading, ParseError, read_reply
from apps.evaluations.domain.prompt import judge_request, tighter_request
from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.domain.states import JudgementStatus, UnscoredReason
from apps.evaluations.services.claiming import Owed
from apps.evaluations.services.verdict import CriterionVerdict, Verdict

_REASKED = frozenset({Answer.MISSING, Answer.INVALID})


@dataclass(slots=True, kw_only=True)
class Judge:
    """Everything a judgement of one evaluation depends on, made once per lane."""

    snapshot: ConfigSnapshot
    primary: LLM
    fallback: LLM | None
    policy: RetryPolicy
    timeout_s: float
    rows: list[dict[str, Any]] = field(init=False)
    names: list[str] = field(init=False)
    weights: dict[str, float] = field(init=False)
    _prints: dict[tuple[str, str], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rows = [criterion.as_json() for criterion in self.snapshot.criteria]
        self.names = [criterion.name for criterion in self.snapshot.criteria]
        self.weights = {criterion.name: criterion.weight for criterion in self.snapshot.criteria}

    def fingerprint(self, provider: str, model: str) -> str:
        """The fingerprint of a score by this model as it answered; hashed once per model."""
        key = (provider, model)
        if key not in self._prints:
            self._prints[key] = fingerprint(
                provider=provider,
                model=model,
                template=self.snapshot.system_prompt_template,
                criteria=self.rows,
                parameters=self.snapshot.parameters,
            )
        return self._prints[key]


async def judge_conversation(
    *, owed: Owed, judge: Judge, nonce: str, client: Any, now: Callable[[], datetime]
) -> Verdict:
    """Judge one conversation. Never raises for what a model or a network does: that becomes the verdict.

    Costs one model call; a second one when the reply was unusable or left criteria out; more on failures, as the
    retry policy says. Repeating it pays again: the caller holds the lease.
    """
    return await _Judging(owed, judge, nonce, client, now).run()


class _Judging:
    def __init__(self, owed: Owed, judge: Judge, nonce: str, client: Any, now: Callable[[], datetime]) -> None:
        self.owed, self.judge, self.nonce, self.client, self.now = owed, judge, nonce, client, now
        self.said = [str(turn.get("content") or "") for turn in owed.turns]
        self.latency = latency_statistics(owed.turns)
        self.calls: list[LedgerCall] = []
        self._checker: Checker | None = None

    async def run(self) -> Verdict:
        try:
            request = judge_request(
                criteria=self.judge.rows,
                template=self.judge.snapshot.system_prompt_template,
                parameters=self.judge.snapshot.parameters,
                turns=self.owed.turns,
                language=self.owed.language,
                latency=self.latency,
                nonce=self.nonce,
                config=self.judge.snapshot.config,
                version=self.judge.snapshot.version,
                timeout_s=self.judge.timeout_s,
            )
            asked = await self._ask(request, Purpose.JUDGE)
        except RateLimited as error:
            return self._wait(error)
        except RatibaError as error:
            return self._failed(error)
        try:
            reading = self._read(asked, self.judge.names)
        except ParseError as error:
            return await self._again(request, asked, error)
        return await self._complete(request, asked, reading)

    async def _again(self, request: LLMRequest, asked: Asked, unusable: ParseError) -> Verdict:
        """The reply was unusable: one tighter question, then it is a parse error with the raw text."""
        tighter = tighter_request(request, reply=asked.response.text, criteria=self.judge.names, nonce=self.nonce)
        try:
            second = await self._ask(tighter, Purpose.REASK)
            return self._scored([asked, second], self._read(second, self.judge.names))
        except RateLimited as error:
            return self._wait(error)
        except ParseError as error:
            return self._ended(
                status=JudgementStatus.PARSE_ERROR,
                provider=second.response.provider,
                model=second.response.model,
                raw_reply=second.response.text,
                error_code=error.code,
                error_message=str(error),
            )
        except ConnectorError as error:
            return self._failed(error, raw=unusable.raw)

    async def _complete(self, request: LLMRequest, asked: Asked, reading: dict[str, CriterionReading]) -> Verdict:
        """Criteria left out or off the scale: one tighter question for these alone, then they are unscored."""
        open_names = [name for name in self.judge.names if reading[name].answer in _REASKED]
        if not open_names:
            return self._scored([asked], reading)
        tighter = tighter_request(request, reply=asked.response.text, criteria=open_names, nonce=self.nonce)
        try:
            second = await self._ask(tighter, Purpose.REASK)
            reading = {**reading, **self._read(second, open_names)}
        except (ConnectorError, ParseError):
            return self._scored([asked], reading)  # what was scored stays; the rest is unscored: missing
        return self._scored([asked, second], reading)

    async def _ask(self, request: LLMRequest, purpose: Purpose) -> Asked:
        try:
            asked = await ask(
                request,
                primary=self.judge.primary,
                fallback=self.judge.fallback,
                client=self.client,
                policy=self.judge.policy,
            )
        except ConnectorError as error:
            self._paid(getattr(error, "attempts", ()), purpose)
            raise
        self._paid(asked.attempts, purpose)
        return asked

    def _paid(self, attempts: Sequence[Attempt], purpose: Purpose) -> None:
        made_for = CallFor(
            purpose=purpose,
            run_id=self.owed.run_id,
            evaluation_id=self.owed.evaluation_id,
            conversation_id=self.owed.conversation_id,
        )
        self.calls.extend(LedgerCall(made_for=made_for, attempt=attempt) for attempt in attempts)

    def _read(self, asked: Asked, names: Sequence[str]) -> dict[str, CriterionReading]:
        return read_reply(asked.response.text, names, nonce=self.nonce, said=self.said)

    def _scored(self, asked: Sequence[Asked], reading: Mapping[str, CriterionReading]) -> Verdict:
        last = asked[-1].response
        scores = tuple(self._criterion(name, reading[name]) for name in self.judge.names)
        mean = weighted_mean({score.criterion: score.score for score in scores}, self.judge.weights)
        return self._ended(
            status=JudgementStatus.SCORED,
            scores=scores,
            weighted_score=mean,
            fingerprint=self.judge.fingerprint(last.provider, last.model),
            provider=last.provider,
            model=last.model,
            by_fallback=any(one.fallback_used for one in asked),
            raw_reply="\n\n".join(one.response.text for one in asked),
        )

    def _criterion(self, name: str, reading: CriterionReading) -> CriterionVerdict:
        criterion = self.judge.snapshot.criteria[self.judge.names.index(name)]
        unscored = None
        if reading.answer is not Answer.SCORED:
            not_applicable = reading.answer is Answer.NOT_APPLICABLE
            unscored = UnscoredReason.NOT_APPLICABLE if not_applicable else UnscoredReason.MISSING
        return CriterionVerdict(
            criterion=name,
            weight=criterion.weight,
            pass_mark=criterion.pass_mark,
            score=reading.score,
            unscored_reason=unscored,
            reason=reading.reason,
            evidence=tuple(self._evidence(quote) for quote in reading.evidence),
        )

    def _evidence(self, quote: str) -> dict[str, Any]:
        if self._checker is None:
            self._checker = Checker(self.owed.turns)
        found = self._checker.verify(quote, conversations=1)
        return {
            "quote": found.quote,
            "turn": found.turn,
            "kind": str(found.kind),
            "repair": found.repair,
            "source": found.source,
        }

    def _wait(self, error: RateLimited) -> Verdict:
        """Wait as long as we were told, and up to a tenth longer: not all of us come back at the same moment."""
        model = self.judge.primary.spec.model
        return Verdict(
            judgement_id=self.owed.judgement_id,
            evaluation_id=self.owed.evaluation_id,
            wait_until=self.now()
            + timedelta(seconds=error.retry_after * (1 + crc32(self.nonce.encode()) % 100 / 1000)),
            waiting_for=f"model {model} limits us",
            calls=tuple(self.calls),
        )

    def _failed(self, error: RatibaError, *, raw: str = "") -> Verdict:
        return self._ended(
            status=JudgementStatus.MODEL_ERROR,
            raw_reply=getattr(error, "raw", "") or raw,
            error_code=error.code,
            error_message=str(error)[:2000],
        )

    def _ended(self, **fields: Any) -> Verdict:
        return Verdict(
            judgement_id=self.owed.judgement_id,
            evaluation_id=self.owed.evaluation_id,
            latency=self.latency,
            calls=tuple(self.calls),
            **fields,
        )
