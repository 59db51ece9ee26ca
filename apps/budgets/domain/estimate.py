"""Estimate the highest cost of a call before it is made.

The rule (docs/adr/0062): one token for every two bytes of text in, which no current tokenizer reaches for English,
Swahili or Italian prose, JSON included; out, all output tokens that the request allows, thinking included; the dearer
of the model and its fallback. A price is the one the tenant declared, else the listed one. A model of neither costs
what its newest calls cost in fact (a proxy may report costs that no list knows): nineteen of twenty calls keep within
what is reserved, and a limit is passed by no more than the calls in flight. Where no call told its cost, the price is
unknown, and is not invented.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum

from apps.connectors.llms.base import LLMRequest, ModelSpec
from apps.connectors.llms.pricing import call_cost
from apps.core.usage import Usage

BYTES_PER_TOKEN = 2


class PriceState(IntEnum):
    """State of a price, worse is higher.

    UNTRIED: no list has it, and the model was never asked. UNTOLD: it was asked, and nobody said what it cost.
    """

    KNOWN = 0
    UNTRIED = 1
    UNTOLD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidSoFar:
    """The ledger's sums for one model, over calls whose cost was reported, and how many reported none. `usual`:
    nineteen of twenty of them cost no more; of fewer than twenty, the dearest."""

    usd: Decimal = Decimal(0)
    input_tokens: int = 0
    output_tokens: int = 0
    reported: int = 0
    silent: int = 0
    usual: Decimal = Decimal(0)

    def next_cost(self, *, input_tokens: int, output_tokens: int) -> Decimal | None:
        """Return the highest likely cost of the next call; None where no cost was ever reported.

        It is the usual cost, or less for a short question. Where a price is linear in tokens, a call costs at most what
        all calls so far paid for each input token and for each output token, times the tokens of this one.
        """
        if not self.reported:
            return None
        bound = Decimal(0)
        if self.input_tokens:
            bound += self.usd * input_tokens / self.input_tokens
        if self.output_tokens:
            bound += self.usd * output_tokens / self.output_tokens
        return min(bound, self.usual) if bound else self.usual


ModelKey = tuple[str, str]  # provider and model as the ledger names them
History = Mapping[ModelKey, PaidSoFar]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Dollars at most, as far as prices are known. `unpriced` names the model with the least known price; `learned`
    says of one call that its dollars are those of earlier calls."""

    usd: Decimal = Decimal(0)
    price: PriceState = PriceState.KNOWN
    unpriced: str = ""
    learned: bool = False

    def __add__(self, other: "Estimate") -> "Estimate":
        worse = max(self, other, key=lambda one: one.price)
        return Estimate(usd=self.usd + other.usd, price=worse.price, unpriced=worse.unpriced)

    def times(self, count: int) -> "Estimate":
        """The estimate for this many of the same calls."""
        return Estimate(usd=self.usd * count, price=self.price, unpriced=self.unpriced)


def until_readable(wordings: Sequence[Estimate]) -> Estimate:
    """Return the estimate of wordings that are asked one after the other until an answer can be read.

    It is the sum of all of them, unless their price was learned: then it is the dearest one. Most answers can be read
    at once, and a repeat that nothing was reserved for is settled like any call.
    """
    if wordings and all(wording.learned for wording in wordings):
        return max(wordings, key=lambda wording: wording.usd)
    return sum(wordings, Estimate())


def key_of(spec: ModelSpec) -> ModelKey:
    """The model as ledger rows name it."""
    return spec.label, spec.model


def has_listed_price(spec: ModelSpec) -> bool:
    """Tell whether the tenant or a list says what this model costs."""
    return call_cost(spec, Usage(input_tokens=1, output_tokens=1)) is not None


def tokens_at_most(text_bytes: int) -> int:
    """Tokens that a text of so many UTF-8 bytes may have."""
    return -(-max(0, text_bytes) // BYTES_PER_TOKEN)


def request_tokens(request: LLMRequest) -> int:
    """Estimate the tokens of a question, with its tools and earlier calls."""
    calls = (call for message in request.messages for call in message.tool_calls)
    texts = (
        request.system,
        *(message.content for message in request.messages),
        *(f"{tool.name}{tool.description}{json.dumps(dict(tool.parameters))}" for tool in request.tools),
        *(f"{call.name}{json.dumps(dict(call.arguments))}" for call in calls),
    )
    return tokens_at_most(sum(len(text.encode("utf-8", "replace")) for text in texts))


def cost_at_most(spec: ModelSpec, *, input_tokens: int, output_tokens: int, history: History | None = None) -> Estimate:
    """The highest cost of one call to one model; nothing for the offline rules. Microseconds."""
    listed = call_cost(spec, Usage(input_tokens=input_tokens, output_tokens=output_tokens))
    if listed is not None:
        return Estimate(usd=listed)
    paid = (history or {}).get(key_of(spec), PaidSoFar())
    learned = paid.next_cost(input_tokens=input_tokens, output_tokens=output_tokens)
    if learned is not None:
        return Estimate(usd=learned, learned=True)
    state = PriceState.UNTOLD if paid.silent else PriceState.UNTRIED
    return Estimate(price=state, unpriced=f"{spec.label}/{spec.model}")


def max_cost(
    specs: Iterable[ModelSpec], *, input_tokens: int, output_tokens: int, history: History | None = None
) -> Estimate:
    """The most that any of these models would cost; the least known price decides what is said of the price."""
    costs = [
        cost_at_most(spec, input_tokens=input_tokens, output_tokens=output_tokens, history=history) for spec in specs
    ]
    worst = max(costs, key=lambda cost: cost.price, default=Estimate())
    dearest = max(costs, key=lambda estimate: estimate.usd, default=Estimate())
    return Estimate(usd=dearest.usd, price=worst.price, unpriced=worst.unpriced, learned=dearest.learned)
