"""Limit the charge for a call.

A server that reports a cost or a number of tokens no such request can have is not believed with money. Pure.

The bound is generous, so that no honest report meets it: a token for every byte of the question, what a chat template
writes around it, and every output token that was allowed. A cost that the server itself states may be TIMES that much,
as a proxy adds its own margin. Where no price is known, or it is 0, there is no bound.
"""

import json
from decimal import Decimal

from apps.budgets.domain.estimate import BYTES_PER_TOKEN, request_tokens
from apps.connectors.llms.base import Attempt, LLMRequest, ModelSpec
from apps.connectors.llms.pricing import call_cost
from apps.core.usage import Usage

AROUND_TOKENS = 1_000
TIMES = 10


def chargeable(attempt: Attempt, spec: ModelSpec, request: LLMRequest) -> Decimal | None:
    """Dollars that this attempt is charged: what it reports, or the bound where that is less; None where nobody says.
    Microseconds."""
    if not attempt.cost_usd:
        return attempt.cost_usd
    most = Usage(input_tokens=_input_at_most(request), output_tokens=request.max_output_tokens)
    bounds = [call_cost(spec, most, model=model) for model in (spec.model, attempt.model)]
    bound = max((one for one in bounds if one), default=None)
    if bound is None:
        return attempt.cost_usd
    counted = call_cost(spec, attempt.usage, model=attempt.model) == attempt.cost_usd
    return min(attempt.cost_usd, bound if counted else bound * TIMES)


def implausible_words(reported: Decimal, charged: Decimal) -> str:
    """The words about an implausible cost, for the ledger's row."""
    return (
        f"The server reports ${reported:,.2f} for this call, which can cost ${charged:.4f} at most: it is charged that."
        " Check what the server says of its tokens and costs."
    )


def _input_at_most(request: LLMRequest) -> int:
    schema = len(json.dumps(request.schema)) if request.schema else 0
    return request_tokens(request) * BYTES_PER_TOKEN + schema + AROUND_TOKENS
