"""Model prices declared by a tenant: `prices` among a model provider's options.

    prices: {my-model: {input: 0.5, output: 1.5}, "*": {input: 0, output: 0}}

US dollars for a million tokens, by the model's name; `*` is every other model of this provider. For servers that no
price list knows: without a price, no budget can be held for them.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.connectors.llms.base import TokenPrice

OPTION = "prices"
ANY_MODEL = "*"
_MOST = 1_000_000.0  # dollars for a million tokens: a dollar a token


def declared_prices(options: Mapping[str, Any], pointer: str = "/options") -> dict[str, TokenPrice]:
    """Read the declared prices by model; {} without any. Raises BadInput at a field that is no price."""
    raw = checks.mapping(options.get(OPTION), f"{pointer}/{OPTION}")
    return {model: _price(price, checks.step(f"{pointer}/{OPTION}", model)) for model, price in raw.items()}


def price_for(options: Mapping[str, Any], model: str) -> TokenPrice | None:
    """The price declared for this model, by its name or for all of the provider's. Raises as `declared_prices`."""
    prices = declared_prices(options)
    return prices.get(model, prices.get(ANY_MODEL))


def without_prices(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that say how a model is asked: a price makes no other judge."""
    return {name: value for name, value in options.items() if name != OPTION}


def _price(raw: Any, pointer: str) -> TokenPrice:
    fields = checks.mapping(raw, pointer)
    checks.only(fields, ("input", "output"), pointer)
    return TokenPrice(input=_dollars(fields, "input", pointer), output=_dollars(fields, "output", pointer))


def _dollars(fields: Mapping[str, Any], name: str, pointer: str) -> Decimal:
    return Decimal(str(checks.number(fields.get(name), f"{pointer}/{name}", low=0, high=_MOST)))
