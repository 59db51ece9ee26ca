"""One question to a model: what it may cost at most, asked until its answer can be read, and what came of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Generic, Protocol, TypeVar

from apps.budgets.domain.estimate import Estimate, History, max_cost, request_tokens, until_readable
from apps.budgets.services.ledger import CallFor, LedgerCall
from apps.budgets.services.metered_model import MeteredModel, Opener
from apps.budgets.services.reserving import Refusal
from apps.connectors.errors import ConnectorError, RateLimited
from apps.connectors.llms.answers import NoAnswer, ParseError, read_answer
from apps.connectors.llms.base import LLM, LLMRequest, LLMResponse, ModelSpec
from apps.connectors.retry import RetryPolicy

T = TypeVar("T")
LIMITED = "the model limits us"
UNREAD = "the answer could not be read: "


@dataclass(slots=True, kw_only=True)
class PaidReply(Generic[T]):
    """The reply to a paid question: `value`, or why there is none. `refused`: nobody was asked, the money is not there.
    `wait_s`: the model limits us. `asked`: the name of the model that is asked first, where a question says it.
    `response` is the last answer a model gave; `unusable`: that is all there is, and it could not be read or was no
    answer."""

    value: T | None = None
    error: str = ""
    response: LLMResponse | None = None
    unusable: bool = False
    wait_s: float | None = None
    asked: str = ""
    refused: Refusal | None = None
    calls: list[LedgerCall] = field(default_factory=list)

    @property
    def model(self) -> str:
        """The one that answered, by its own name."""
        return self.response.model if self.response else ""

    @property
    def cost_usd(self) -> Decimal | None:
        """The cost of all calls together; None where one of them has no known cost, or no model was asked."""
        costs = [call.attempt.cost_usd for call in self.calls]
        known = [cost for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if known and len(known) == len(costs) else None

    def limited_until(self, now: datetime) -> datetime | None:
        """Return when a model that limits us may be asked again; None where it does not."""
        return None if self.wait_s is None else now + timedelta(seconds=self.wait_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The things that a coroutine needs to ask: a connection, the ledger, and the list that every call is noted in.
    Plain data."""

    client: Any
    opener: Opener
    policy: RetryPolicy
    history: History
    calls: list[LedgerCall]

    def model(self, primary: LLM, fallback: LLM | None) -> MeteredModel:
        """Return this model with its fallback, metered: what it is asked is paid for."""
        return MeteredModel(
            primary=primary,
            fallback=fallback,
            policy=self.policy,
            client=self.client,
            opener=self.opener,
            history=self.history,
            calls=self.calls,
        )


class Payable(Protocol):
    """One question, or several that belong together, for which money is reserved as a whole."""

    @property
    def call_for(self) -> CallFor: ...

    @property
    def specs(self) -> Sequence[ModelSpec]:
        """The models it may be asked of."""
        ...

    def at_most(self, history: History) -> Estimate:
        """The highest cost of the question, its repeats included."""
        ...

    async def ask(self, asking: Asking) -> PaidReply[Any]:
        """Ask the models. Uses no database; never raises for a fault of a model or a network."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidQuestion(Generic[T]):
    """One question to a model, and how its answer is read.

    `requests` are its wordings: each is asked once, until an answer can be read. To ask one wording twice, use
    `twice(request)`. `read` is pure and raises ParseError.
    """

    requests: Sequence[LLMRequest]
    read: Callable[[str], T]
    models: tuple[LLM, LLM | None]
    call_for: CallFor

    @property
    def specs(self) -> Sequence[ModelSpec]:
        return [llm.spec for llm in self.models if llm is not None]

    def at_most(self, history: History) -> Estimate:
        return until_readable([request_at_most(request, self.specs, history) for request in self.requests])

    async def ask(self, asking: Asking) -> PaidReply[T]:
        return await first_readable(asking.model(*self.models), self.requests, read=self.read, call_for=self.call_for)


def twice(request: LLMRequest) -> tuple[LLMRequest, LLMRequest]:
    """A reply that cannot be read is asked for once more."""
    return request, request


def request_at_most(request: LLMRequest, specs: Sequence[ModelSpec], history: History) -> Estimate:
    """The highest cost of one call with this question, whichever of the models answers it."""
    tokens = {"input_tokens": request_tokens(request), "output_tokens": request.max_output_tokens}
    return max_cost(specs, **tokens, history=history)


async def first_readable(
    metered: MeteredModel, requests: Sequence[LLMRequest], *, read: Callable[[str], T], call_for: CallFor
) -> PaidReply[T]:
    """Ask until one answer can be read: each request once, in their order. A refusal, a limit or a model that is down
    ends it. Never raises for what a model or a network does; knows no database."""
    reply: PaidReply[T] = PaidReply(calls=metered.calls, asked=metered.primary.spec.model)
    for request in requests:
        try:
            reply.response = (await metered.ask(request, call_for=call_for)).response
            reply.value, reply.error, reply.unusable = read_answer(reply.response, read), "", False
        except RateLimited as error:
            reply.wait_s, reply.error, reply.unusable = error.retry_after, f"the model {error.does}", False
        except NoAnswer as error:  # asking again would not help
            reply.error, reply.unusable = str(error), True
        except ParseError as error:
            reply.error, reply.unusable = f"{UNREAD}{error}", True
            continue
        except ConnectorError as error:
            reply.error, reply.unusable = str(error), False
        break
    return reply
