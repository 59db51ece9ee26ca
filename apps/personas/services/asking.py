"""Questions about personas and simulated customers: money reserved, asked beside the database, read strictly, booked
with what came of them."""

import uuid
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar

from apps.budgets.domain.estimate import Estimate, History, max_cost, request_tokens
from apps.budgets.services import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.budgets.services.metered_run import MeteredJob, run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.budgets.services.reserving import Refusal, ReservationRequest
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.base import LLM, LLMRequest, LLMResponse
from apps.connectors.retry import RetryPolicy
from apps.evaluations.domain.parsing import NoAnswer, ParseError, answer_text
from apps.runs.services.model_roles import retry_policy

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
AT_ONCE = 4  # questions in flight
TRIES = 2  # a reply that cannot be read is asked for once more


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaQuestion(Generic[T]):
    """One question and how its answer is read. `read` is pure and raises ParseError."""

    request: LLMRequest
    read: Callable[[str], T]
    models: tuple[LLM, LLM | None]
    call_for: CallFor


@dataclass(slots=True, kw_only=True)
class PersonaReply(Generic[T]):
    """What came: `value`, or why there is none. `refused`: nobody was asked, the money is not there. `wait_s`: the
    model limits us. `response` is the last answer a model gave; `unusable`: that is all there is, and it could not be
    read or was no answer."""

    value: T | None = None
    error: str = ""
    response: LLMResponse | None = None
    unusable: bool = False
    wait_s: float | None = None
    refused: Refusal | None = None
    calls: list[LedgerCall] = field(default_factory=list)

    @property
    def model(self) -> str:
        """The one that answered, by its own name."""
        return self.response.model if self.response else ""

    @property
    def cost_usd(self) -> Decimal | None:
        """What the calls cost together; None where one of them has no known cost, or nobody was asked."""
        costs = [call.attempt.cost_usd for call in self.calls]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if known and len(known) == len(costs) else None


def ask_all(
    questions: Mapping[K, PersonaQuestion[T]],
    *,
    reservations: BudgetReservations,
    store: Callable[[K, PersonaReply[T]], None],
) -> None:
    """Ask everything, AT_ONCE at a time. `store` gets each reply once, in the calling thread, and writes down what came
    of it and its calls in one transaction. Never raises for what a model or a network does.

    Costs a reservation for all, and one to two calls for each question (more where the retry policy repeats).
    """
    reservations.history.load(llm.spec for one in questions.values() for llm in one.models if llm is not None)
    history = reservations.history.paid
    ids = {key: uuid.uuid4() for key in questions}
    refused = reservations.reserve([_reservation(ids[key], one, history) for key, one in questions.items()])
    for key, id in ids.items():
        if id in refused:
            store(key, PersonaReply(refused=refused[id], error=refused[id].sentence))
    retries = retry_policy()  # read here: the loop sees no database
    jobs = {key: _job(key, one, history, retries) for key, one in questions.items() if ids[key] not in refused}

    def store_each(ended: Sequence[tuple[K, PersonaReply[T]]]) -> None:
        for key, reply in ended:
            store(key, reply)

    run_metered(jobs, reservations=reservations, concurrency=AT_ONCE, store=store_each)


def _reservation(id: uuid.UUID, question: PersonaQuestion[Any], history: History) -> ReservationRequest:
    request = question.request
    worst: Estimate = max_cost(
        [llm.spec for llm in question.models if llm is not None],
        input_tokens=request_tokens(request),
        output_tokens=request.max_output_tokens,
        history=history,
    ).times(TRIES)
    return ReservationRequest(
        id=id, usd=worst.usd, run_id=question.call_for.run_id, price=worst.price, unpriced=worst.unpriced
    )


def _job(
    key: K, question: PersonaQuestion[T], history: History, retries: RetryPolicy
) -> MeteredJob[tuple[K, PersonaReply[T]]]:
    async def job(client: Any, opener: Opener) -> tuple[K, PersonaReply[T]]:
        primary, fallback = question.models
        metered = MeteredModel(
            primary=primary, fallback=fallback, policy=retries, client=client, opener=opener, history=history
        )
        requests = (question.request,) * TRIES
        return key, await first_readable(metered, requests, read=question.read, call_for=question.call_for)

    return job


async def first_readable(
    metered: MeteredModel, requests: Sequence[LLMRequest], *, read: Callable[[str], T], call_for: CallFor
) -> PersonaReply[T]:
    """Ask until one answer can be read: each request once, in their order. A refusal, a limit or a model that is down
    ends it. Never raises for what a model or a network does; knows no database."""
    reply: PersonaReply[T] = PersonaReply(calls=metered.calls)
    for request in requests:
        try:
            reply.response = (await metered.ask(request, call_for=call_for)).response
            reply.value, reply.error, reply.unusable = read(answer_text(reply.response)), "", False
        except RateLimited as error:
            reply.wait_s, reply.error, reply.unusable = error.retry_after, "the model limits us", False
        except NoAnswer as error:  # asking again would not help
            reply.error, reply.unusable = str(error), True
        except ParseError as error:
            reply.error, reply.unusable = f"the answer could not be read: {error}", True
            continue
        except ConnectorError as error:
            reply.error, reply.unusable = str(error), False
        break
    return reply
