"""One question to one model, outside any run: reserved, opened and settled like all."""

import asyncio
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from apps.budgets.domain.estimate import max_cost, request_tokens
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.budgets.services.metered_run import run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import ReservationRequest
from apps.catalog.connections.services.outbound_policies import model_policy
from apps.connectors.llms.base import ChatMessage, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.llms.listed_models import listed_models
from apps.connectors.llms.registry import llm_for
from apps.connectors.outbound import outbound_client
from apps.core.errors import Conflict
from apps.runs.services.model_roles import retry_policy

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


def ask_provider(
    spec: ModelSpec, text: str, *, max_output_tokens: int, timeout_s: float, now: Callable[[], datetime]
) -> LLMResponse:
    """Ask this model and return its answer. Raises ConnectorError, and Conflict (`budget_spent`) where it cannot be
    paid: nothing is asked then. A handful of queries; do not call it in a transaction. Every repeat is paid again."""
    question = LLMRequest(
        system="",
        messages=(ChatMessage("user", text),),
        max_output_tokens=max_output_tokens,
        timeout_s=timeout_s,
        schema=SCHEMA,
        may_widen=False,
    )
    budget, model, policy = BudgetReservations(now=now), llm_for(spec), retry_policy()
    reserve_question(budget, question, [spec])
    calls: list[LedgerCall] = []

    async def job(http: Any, opener: Opener) -> LLMResponse:
        metered = MeteredModel(
            primary=model,
            fallback=None,
            policy=policy,
            client=http,
            opener=opener,
            history=budget.history.paid,
            calls=calls,
        )
        return (await metered.ask(question, call_for=CallFor(purpose=Purpose.CHECK))).response

    try:
        return run_metered({"question": job}, reservations=budget, concurrency=1)["question"]
    finally:
        record_calls(calls=calls)
        budget.release()


def reserve_question(
    budget: BudgetReservations, question: LLMRequest, specs: list[ModelSpec], *, rounds: int = 1
) -> None:
    """Hold what this question may cost at most, asked `rounds` times with the answers behind it. Raises Conflict."""
    budget.history.load(specs)
    cost = max_cost(
        specs,
        input_tokens=rounds * (request_tokens(question) + question.max_output_tokens),
        output_tokens=rounds * question.max_output_tokens,
        history=budget.history.paid,
    )
    request = ReservationRequest(id=uuid.uuid4(), usd=cost.usd, price=cost.price, unpriced=cost.unpriced)
    for refused in budget.reserve([request]).values():
        raise Conflict(refused.sentence, code=SPENT_CODE)


def provider_models(spec: ModelSpec, *, timeout_s: float) -> list[str]:
    """The models that the provider lists; empty where it lists none. One request, which costs nothing."""

    async def ask() -> list[str]:
        async with outbound_client(model_policy()) as client:
            return await listed_models(spec, client=client, timeout_s=timeout_s)

    return asyncio.run(ask())
