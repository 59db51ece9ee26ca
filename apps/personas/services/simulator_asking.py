"""One question about one simulated customer, at most one tighter repeat: plain data in and out, no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from apps.budgets.domain.estimate import History
from apps.budgets.services import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel, opener
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.base import LLM, LLMResponse
from apps.connectors.parallel import Emit
from apps.connectors.retry import RetryPolicy
from apps.personas.domain.simulator_findings import SimulatorFinding
from apps.personas.domain.simulator_question import SimulatorReviewError, read_review, review_request


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewAnswer:
    """What came of it. `was_read`: a model answered, and its answer was a review. `read_badly`: it answered, twice, and
    that was none. `error` alone: no model answered. `retry_after`: it limits us, ask again then."""

    findings: tuple[SimulatorFinding, ...] = ()
    was_read: bool = False
    read_badly: bool = False
    error: str = ""
    raw: str = ""
    retry_after: float | None = None
    waiting_for: str = ""
    provider: str = ""
    model: str = ""
    cost_usd: Decimal | None = None
    calls: tuple[LedgerCall, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQuestion:
    """Who is asked about what; `ask` is the job of a worker loop."""

    spec: Mapping[str, Any]
    turns: Sequence[Mapping[str, Any]]
    primary: LLM
    fallback: LLM | None
    policy: RetryPolicy
    history: History
    call_for: CallFor

    async def ask(self, client: Any, emit: Emit) -> ReviewAnswer:
        """Never raises for what a model or a network does. One question; a second one where the answer was no review.
        A refusal is not asked again."""
        metered = MeteredModel(
            primary=self.primary, fallback=self.fallback, policy=self.policy, client=client, opener=opener(emit),
            history=self.history,
        )  # fmt: skip
        problem, raw, response = "", "", None
        for tighter in (False, True):
            request = review_request(spec=self.spec, turns=self.turns, tighter=tighter)
            try:
                response = (await metered.ask(request, call_for=self.call_for)).response
            except RateLimited as error:
                waits = f"model {self.primary.spec.model} limits us"
                return self._answer(metered, None, retry_after=error.retry_after, waiting_for=waits)
            except ConnectorError as error:
                return self._answer(metered, None, error=f"No model answered: {error.message}"[:300])
            raw = response.text
            if not response.is_answer:
                problem = f"The model gave no answer ({response.finish.value})."
                break
            try:
                findings = read_review(raw, turns=self.turns, spec=self.spec)
            except SimulatorReviewError as error:
                problem = error.message
            else:
                return self._answer(metered, response, findings=findings, was_read=True)
        return self._answer(metered, response, read_badly=True, error=problem[:300], raw=raw)

    def _answer(self, metered: MeteredModel, response: LLMResponse | None, **what: Any) -> ReviewAnswer:
        costs = [call.attempt.cost_usd for call in metered.calls]
        known = [cost for cost in costs if cost is not None]
        return ReviewAnswer(
            provider=response.provider if response else "",
            model=response.model if response else "",
            cost_usd=sum(known, Decimal(0)) if known and len(known) == len(costs) else None,
            calls=tuple(metered.calls),
            **what,
        )
