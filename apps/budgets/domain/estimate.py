"""What a call may cost at most, before it is made.

The rule (docs/adr/0062): one token for every two bytes of text in, which no current tokenizer reaches for English,
Swahili or Italian prose, JSON included; out, all output tokens that the request allows, thinking included; the dearer
of the model and its fallback. A price nobody knows counts as nothing: it is not invented, and pages say so.
"""

from collections.abc import Iterable
from decimal import Decimal

from apps.connectors.llms.base import ModelSpec
from apps.connectors.llms.pricing import cost_usd
from apps.core.usage import Usage

BYTES_PER_TOKEN = 2


def tokens_at_most(text_bytes: int) -> int:
    """Tokens that a text of so many UTF-8 bytes may have."""
    return -(-max(0, text_bytes) // BYTES_PER_TOKEN)


def cost_at_most(spec: ModelSpec, *, input_tokens: int, output_tokens: int) -> Decimal | None:
    """Dollars of one call to one model; 0 for the offline rules, None where its price is not known."""
    if spec.provider == "offline":
        return Decimal(0)
    provider = spec.provider
    if provider == "openai":  # and whoever speaks like it: see connectors/llms/openai.py
        provider = str(spec.options.get("price_provider", "openai"))
    return cost_usd(provider, spec.model, Usage(input_tokens=input_tokens, output_tokens=output_tokens))


def dearest(specs: Iterable[ModelSpec], *, input_tokens: int, output_tokens: int) -> Decimal:
    """The most that any of these models would cost; unknown prices count as nothing."""
    costs = (cost_at_most(spec, input_tokens=input_tokens, output_tokens=output_tokens) for spec in specs)
    return max((cost for cost in costs if cost is not None), default=Decimal(0))
