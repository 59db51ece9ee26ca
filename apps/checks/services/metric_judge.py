"""A judge for metrics: our model behind one door, every call metered for the ledger; no database."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from apps.budgets.domain.estimate import History
from apps.budgets.services import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.checks.metrics.base import MetricError
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.answers import CUT_OFF, cut_sentence
from apps.connectors.llms.base import LLM, LLMRequest, ModelSpec
from apps.connectors.llms.spec import own_temperature
from apps.connectors.retry import RetryPolicy
from apps.core.digest import sha256_hex

MAX_WAIT_S = 60.0
WAITS = 2


@dataclass(slots=True, kw_only=True)
class MeteredJudge:
    """One metric of one conversation asks through it, so that its cost is its own. `gate` bounds how many ask at once.

    Without the role's fallback: an answer of another model is another measurement. Where the provider limits us it
    waits as told, at most a minute and twice.
    """

    llm: LLM
    policy: RetryPolicy
    client: Any
    opener: Opener
    history: History
    gate: asyncio.Semaphore
    call_for: CallFor
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    calls: list[LedgerCall] = field(default_factory=list)
    answered_by: str = ""

    @property
    def name(self) -> str:
        return f"{self.llm.spec.label}/{self.llm.spec.model}"

    async def ask(self, request: LLMRequest) -> str:
        """See metrics.base.MetricJudge. Costs one call, two where the first one fails."""
        for wait in range(WAITS + 1):
            try:
                async with self.gate:
                    result = await self._metered().ask(request, call_for=self.call_for)
            except ConnectorError as error:
                if isinstance(error, RateLimited) and wait < WAITS and error.retry_after <= MAX_WAIT_S:
                    await self.sleep(error.retry_after)
                    continue
                raise MetricError(f"the judge did not answer: {error.message}"[:500], code=error.code) from error
            self.answered_by = f"{result.response.provider}/{result.response.model}"
            if not result.response.is_answer:
                raise MetricError(f"the judge would not answer ({result.response.finish})", code="judge_refused")
            if result.response.is_cut:
                raise MetricError(cut_sentence(result.response), code=CUT_OFF)
            return result.response.text
        raise AssertionError("the last wait raises")

    @property
    def cost_usd(self) -> Decimal | None:
        """The cost of all calls; None where a price is unknown."""
        costs = [call.attempt.cost_usd for call in self.calls if call.attempt.outcome == "ok"]
        return None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0))

    def _metered(self) -> MeteredModel:
        return MeteredModel(
            primary=self.llm,
            fallback=None,
            policy=self.policy,
            client=self.client,
            opener=self.opener,
            history=self.history,
            calls=self.calls,
        )


def judge_version(spec: ModelSpec) -> str:
    """The judge's part of a cache key: provider and model as asked, and how, where that is anything special."""
    own = own_temperature(spec)
    how = {"base_url": spec.base_url, "options": dict(spec.options)} | ({} if own is None else {"temperature": own})
    special = f"#{sha256_hex(how)[:12]}" if spec.options or spec.base_url else ""
    return f"{spec.label}/{spec.model}{special}"
