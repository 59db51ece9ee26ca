"""A judge's questions to one model: what is kept answers first, the metered model after it.

The lane's thread looks kept exchanges up for a whole batch before any question is asked (services/answers.py); here,
beside the database, they are plain data. Whoever asks more than one model, or one model several times, makes one
`CachedModel` for each: they share nothing but the judgement.
"""

from dataclasses import dataclass, field
from decimal import Decimal

from apps.budgets.domain.cache_entry import FIRST, CacheEntry
from apps.budgets.services import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel
from apps.budgets.services.response_cache import Fresh
from apps.connectors.llms.base import LLM, Attempt, LLMRequest, LLMResponse
from apps.connectors.retry import CallResult
from apps.core.usage import Usage


@dataclass(slots=True, kw_only=True)
class CachedModel:
    """One model and one conversation: every call is in `calls`, every usable answer noted for `worth_keeping`.

    `key` None means that nothing is kept (offline rules, or the cache is off). `nonce` is the one the replies are bound
    to: a kept exchange brings its own.
    """

    metered: MeteredModel
    nonce: str
    key: str | None = None
    kept: CacheEntry | None = None
    reasked: bool = False
    _fresh: dict[str, LLMResponse] = field(default_factory=dict)
    _asked: bool = False

    def __post_init__(self) -> None:
        if self.kept is not None:
            self.nonce = self.kept.nonce

    @property
    def calls(self) -> list[LedgerCall]:
        return self.metered.calls

    @property
    def from_cache(self) -> bool:
        """Whether something was answered and nobody was asked."""
        return bool(self.calls) and not self._asked

    async def ask(self, request: LLMRequest, *, step: str, made_for: CallFor) -> CallResult:
        """One question. A kept answer costs nothing; else as `MeteredModel.ask`."""
        self.reasked = self.reasked or step != FIRST
        answer = self.kept.answers.get(step) if self.kept else None
        if answer is not None:
            self.calls.append(_from_store(made_for, self.metered.primary, answer))
            return CallResult(response=answer, attempts=(), fallback_used=False)
        self._asked = True
        return await self.metered.ask(request, made_for=made_for)

    def usable(self, step: str, asked: CallResult) -> None:
        """Note an answer that could be read. A fallback's is not kept: next time the model itself may answer."""
        if asked.attempts and not asked.fallback_used:
            self._fresh[step] = asked.response

    def worth_keeping(self) -> tuple[Fresh, ...]:
        """The exchange with what is new in it; empty when nothing is."""
        if self.key is None or not self._fresh:
            return ()
        answers = {**(self.kept.answers if self.kept else {}), **self._fresh}
        return (Fresh(key=self.key, exchange=CacheEntry(nonce=self.nonce, answers=answers)),)


def _from_store(made_for: CallFor, llm: LLM, answer: LLMResponse) -> LedgerCall:
    attempt = Attempt(
        provider=answer.provider,
        model=answer.model,
        requested_model=llm.spec.model,
        outcome="ok",
        usage=Usage(),
        cost_usd=Decimal(0),
        latency_ms=0,
    )
    return LedgerCall(made_for=made_for, attempt=attempt, cached=True, saved_usd=answer.cost_usd)
