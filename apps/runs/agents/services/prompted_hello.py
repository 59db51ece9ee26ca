"""One turn to an agent that is a prompt, outside any run: its calls are reserved, opened and settled like all."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.budgets.services.metered_run import run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.connectors.agents.base import AgentConnector, AgentReply
from apps.connectors.agents.capabilities import SpeaksThroughModel
from apps.connectors.llms.base import LLMRequest, LLMResponse
from apps.runs.agents.services.provider_question import reserve_question
from apps.runs.services.model_roles import models_of, retry_policy

Send = Callable[[AgentConnector, Any], Awaitable[AgentReply]]


def metered_hello(
    agent: SpeaksThroughModel, send: Send, *, text: str, client: Callable[[], Any], now: Callable[[], datetime]
) -> AgentReply:
    """Return the agent's reply to one turn, sent by `send` and paid from the budget.

    Raises what the agent raises, and Conflict (`budget_spent`) where the turn cannot be paid: nothing is asked then. A
    handful of queries, in the calling thread. Every repeat is paid again.
    """
    primary, fallback = models_of(agent.model_role)
    budget = BudgetReservations(now=now)
    specs = [llm.spec for llm in (primary, fallback) if llm is not None]
    reserve_question(budget, agent.question(text), specs, rounds=1 + agent.max_tool_rounds)
    calls: list[LedgerCall] = []
    policy = retry_policy()

    async def job(http: Any, opener: Opener) -> AgentReply:
        metered = MeteredModel(
            primary=primary,
            fallback=fallback,
            policy=policy,
            client=http,
            opener=opener,
            history=budget.history.paid,
            calls=calls,
        )

        async def ask(request: LLMRequest) -> LLMResponse:
            return (await metered.ask(request, call_for=CallFor(purpose=Purpose.AGENT))).response

        return await send(agent.with_model(ask), http)

    try:
        return run_metered({"hello": job}, reservations=budget, concurrency=1, client=client)["hello"]
    finally:
        record_calls(calls=calls)
        budget.release()
