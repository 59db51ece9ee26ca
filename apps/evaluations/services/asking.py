"""Asking a judge about one conversation: one call for all criteria, at most one tighter repeat, no database."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zlib import crc32

from apps.budgets.domain.purpose import Purpose
from apps.catalog.domain.snapshots import ConfigSnapshot
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.base import LLM, LLMRequest
from apps.connectors.retry import Asked, RetryPolicy
from apps.core.errors import RatibaError
from apps.evaluations.domain.evidence import Checker
from apps.evaluations.domain.fingerprint import fingerprint
from apps.evaluations.domain.kept_exchange import FIRST, Exchange, again
from apps.evaluations.domain.latency import latency_statistics
from apps.evaluations.domain.parsing import Answer, CriterionReading, ParseError, read_reply
from apps.evaluations.domain.prompt import judge_request, tighter_request
from apps.evaluations.domain.scoring import weighted_mean
from apps.evaluations.domain.states import JudgementStatus, UnscoredReason
from apps.evaluations.services.claiming import Owed
from apps.evaluations.services.exchanging import Talk
from apps.evaluations.services.question_key import Asking
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
    use_cache: bool = True
    repeat: int = 1
    rows: list[dict[str, Any]] = field(init=False)
    names: list[str] = field(init=False)
    weights: dict[str, float] = field(init=False)
    _prints: dict[tuple[str, str], str] = field(default_factory=dict)
    asking: Asking = field(init=False)

    def __post_init__(self) -> None:
        self.rows = [criterion.as_json() for criterion in self.snapshot.criteria]
        self.names = [criterion.name for criterion in self.snapshot.criteria]
        self.weights = {criterion.name: criterion.weight for criterion in self.snapshot.criteria}
        self.asking = Asking(self.snapshot)

    def key(self, owed: Owed) -> str | None:
        """Under which key the answer about this conversation is kept; None where nothing is kept: the cache is off,
        the judge is free, or the prompt cannot be made (which the judgement itself will say)."""
        if not self.use_cache or self.primary.spec.provider == "offline":
            return None
        try:
            return self.asking.key(owed, spec=self.primary.spec, repeat=self.repeat)
        except (RatibaError, ValueError):
            return None

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
    *,
    owed: Owed,
    judge: Judge,
    nonce: str,
    client: Any,
    now: Callable[[], datetime],
    key: str | None = None,
    kept: Exchange | None = None,
) -> Verdict:
    """Judge one conversation. Never raises for what a model or a network does: that becomes the verdict.

    Costs one model call; a second one when the reply was unusable or left criteria out; more on failures, as the
    retry policy says; none for what is `kept` under `key` (`Judge.key`; without one nothing is kept). Repeating it
    pays again: the caller holds the lease.
    """
    talk = Talk(
        primary=judge.primary,
        fallback=judge.fallback,
        policy=judge.policy,
        client=client,
        nonce=nonce,
        key=key,
        kept=kept,
    )
    return await _Judging(owed, judge, talk, now).run()


class _Judging:
    def __init__(self, owed: Owed, judge: Judge, talk: Talk, now: Callable[[], datetime]) -> None:
        self.owed, self.judge, self.talk, self.nonce, self.now = owed, judge, talk, talk.nonce, now
        self.said = [str(turn.get("content") or "") for turn in owed.turns]
        self.latency = latency_statistics(owed.turns)
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
            asked = await self._ask(request, FIRST)
        except RateLimited as error:
            return self._wait(error)
        except RatibaError as error:
            return self._failed(error)
        try:
            reading = self._read(asked, self.judge.names)
        except ParseError as error:
            return await self._again(request, asked, error)
        self.talk.usable(FIRST, asked)
        return await self._complete(request, asked, reading)

    async def _again(self, request: LLMRequest, asked: Asked, unusable: ParseError) -> Verdict:
        """The reply was unusable: one tighter question, then it is a parse error with the raw text."""
        tighter = tighter_request(request, reply=asked.response.text, criteria=self.judge.names, nonce=self.nonce)
        step = again(tuple(self.judge.names))
        try:
            second = await self._ask(tighter, step)
            reading = self._read(second, self.judge.names)
            self.talk.usable(step, second)
            return self._scored([asked, second], reading)
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
        step = again(tuple(open_names))
        try:
            second = await self._ask(tighter, step)
            reading = {**reading, **self._read(second, open_names)}
            self.talk.usable(step, second)
        except (ConnectorError, ParseError):
            return self._scored([asked], reading)  # what was scored stays; the rest is unscored: missing
        return self._scored([asked, second], reading)

    async def _ask(self, request: LLMRequest, step: str) -> Asked:
        purpose = Purpose.JUDGE if step == FIRST else Purpose.REASK
        return await self.talk.ask(request, step=step, purpose=purpose, owed=self.owed)

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
            from_cache=self.talk.from_cache,
            answers=() if any(one.answer in _REASKED for one in reading.values()) else self.talk.worth_keeping(),
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
            calls=tuple(self.talk.calls),
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
            calls=tuple(self.talk.calls),
            **fields,
        )
