"""The one door through which a judge's questions reach a model: what is kept answers first, the wire after it.

The lane's thread looks kept exchanges up for a whole batch before any question is asked (services/answers.py); here,
beside the database, they are plain data. Whoever asks more than one model, or one model several times, opens one `Talk`
for each: they share nothing but the judgement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, LedgerCall
from apps.connectors.errors import ConnectorError
from apps.connectors.llms.base import LLM, Attempt, LLMRequest, LLMResponse
from apps.connectors.retry import Asked, RetryPolicy, ask
from apps.core.usage import Usage
from apps.evaluations.domain.kept_exchange import Exchange
from apps.evaluations.services.answers import Fresh
from apps.evaluations.services.claiming import Owed


@dataclass(slots=True, kw_only=True)
class Talk:
    """One model and one conversation: every call is metered in `calls`, every usable answer noted for `worth_keeping`.

    `key` None means that nothing is kept (offline rules, or the cache is off). `nonce` is the one the replies are bound
    to: a kept exchange brings its own.
    """

    primary: LLM
    fallback: LLM | None
    policy: RetryPolicy
    client: Any
    nonce: str
    key: str | None = None
    kept: Exchange | None = None
    calls: list[LedgerCall] = field(default_factory=list)
    _fresh: dict[str, LLMResponse] = field(default_factory=dict)
    _asked: bool = False

    def __post_init__(self) -> None:
        if self.kept is not None:
            self.nonce = self.kept.nonce

    @property
    def from_cache(self) -> bool:
        """Whether something was answered and nobody was asked."""
        return bool(self.calls) and not self._asked

    async def ask(self, request: LLMRequest, *, step: str, purpose: Purpose, owed: Owed) -> Asked:
        """One question. A kept answer costs nothing; else one to three model calls, as the retry policy says.

        Raises RateLimited and ModelError as `retry.ask` does; the calls made are in `calls` all the same.
        """
        made_for = CallFor(
            purpose=purpose,
            run_id=owed.run_id,
            evaluation_id=owed.evaluation_id,
            conversation_id=owed.conversation_id,
            pull_request=owed.pull_request,
        )
        answer = self.kept.answers.get(step) if self.kept else None
        if answer is not None:
            self.calls.append(_from_store(made_for, self.primary, answer))
            return Asked(response=answer, attempts=(), fallback_used=False)
        self._asked = True
        try:
            asked = await ask(
                request, primary=self.primary, fallback=self.fallback, client=self.client, policy=self.policy
            )
        except ConnectorError as error:
            self._paid(made_for, getattr(error, "attempts", ()))
            raise
        self._paid(made_for, asked.attempts)
        return asked

    def usable(self, step: str, asked: Asked) -> None:
        """Note an answer that could be read. A fallback's is not kept: next time the model itself may answer."""
        if asked.attempts and not asked.fallback_used:
            self._fresh[step] = asked.response

    def worth_keeping(self) -> tuple[Fresh, ...]:
        """The exchange with what is new in it; empty when nothing is."""
        if self.key is None or not self._fresh:
            return ()
        answers = {**(self.kept.answers if self.kept else {}), **self._fresh}
        return (Fresh(key=self.key, exchange=Exchange(nonce=self.nonce, answers=answers)),)

    def _paid(self, made_for: CallFor, attempts: Sequence[Attempt]) -> None:
        self.calls.extend(LedgerCall(made_for=made_for, attempt=attempt) for attempt in attempts)


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


Kept = Mapping[str, Exchange]
