"""The price of a call, from genai-prices' table. An unknown price is None, never 0.

genai-prices is exact but slow per call (about 0.2 ms) and slow to import (about 0.8 s with its table). A price is
linear in the token counts inside one tier, so its slopes are asked for once per model, tier and day, and a call costs
microseconds after that.
"""

import time
from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from apps.connectors.llms.base import ModelSpec
from apps.connectors.llms.registry import price_list
from apps.core.usage import Usage

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice

_PROBE = 1_000_000


@dataclass(frozen=True, slots=True)
class _Slopes:
    """USD per token of each kind, and per request, inside one tier of the input size."""

    request: Decimal
    uncached: Decimal
    cached: Decimal
    cache_write: Decimal
    output: Decimal


def cost_usd(provider: str, model: str, usage: Usage) -> Decimal | None:
    """The price of one call in USD, or None when the model's price is not known. Cost: microseconds; the first call of
    a process imports the price table (see `warm`)."""
    price_tiers = _tiers(price_list(provider), model, int(time.time() // 86400))
    if price_tiers is None:
        return None
    starts, tiers = price_tiers
    slopes = tiers[bisect_left(starts, usage.input_tokens)]
    # A proxy that miscounts its cached part must not make the rest negative.
    uncached = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
    return (
        slopes.request
        + slopes.uncached * uncached
        + slopes.cached * usage.cached_tokens
        + slopes.cache_write * usage.cache_write_tokens
        + slopes.output * usage.output_tokens
    )


def call_cost(spec: ModelSpec, usage: Usage, *, model: str = "") -> Decimal | None:
    """Dollars of one call to this model: by the price declared for it, else by the list; None where neither knows it.

    A server that speaks like OpenAI is not OpenAI: a model of the same name there has no list price, unless the option
    `price_provider` names whose list it is.

    `model` is the model as it answered, where it has. The offline rules cost nothing. Microseconds.
    """
    if spec.price is not None:
        return (spec.price.input * usage.input_tokens + spec.price.output * usage.output_tokens) / 1_000_000
    if spec.provider == "offline":
        return Decimal(0)
    listed = spec.provider
    if listed == "openai":  # and whoever speaks like it
        if not spec.options.get("price_provider") and not _is_openai(spec.base_url):
            return None
        listed = str(spec.options.get("price_provider") or listed)
    return cost_usd(listed, model or spec.model, usage)


def _is_openai(base_url: str | None) -> bool:
    host = urlsplit(base_url or "").hostname or ""
    return not base_url or host == "openai.com" or host.endswith((".openai.com", ".openai.azure.com"))


def warm() -> None:
    """Import the price table now (0.8 s), so that no conversation waits for it. Safe to repeat."""
    _tiers("openai", "gpt-4o", int(time.time() // 86400))


@lru_cache(maxsize=512)
def _tiers(provider: str, model: str, day: int) -> tuple[list[int], list[_Slopes]] | None:
    """Return where tiers start (exclusive, in input tokens) and the slopes of each.

    `day` since 1970 renews dated prices.
    """
    # Lazy: 0.8 s and 20 MB that a web process, a command or a run without a priced model never needs.
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415
    from genai_prices.types import TieredPrices  # noqa: PLC0415

    try:
        _, info = get_snapshot().find_provider_model(model, None, provider, None)
    except LookupError:
        return None
    price = info.get_prices(datetime.fromtimestamp(day * 86400, UTC))
    values = [value for value in vars(price).values() if value is not None]
    if not values:
        return None
    starts = sorted({tier.start for value in values if isinstance(value, TieredPrices) for tier in value.tiers})
    return starts, [_slopes(price, size) for size in [starts[0] if starts else _PROBE, *(s + _PROBE for s in starts)]]


def _slopes(price: "ModelPrice", size: int) -> _Slopes:
    """Slopes inside the tier that an input of `size` tokens falls in; `size` must not be 0 unless there is one tier."""
    from genai_prices import Usage as Priced  # noqa: PLC0415 - see _tiers

    def total(**tokens: int) -> Decimal:
        return price.calc_price(Priced(**tokens))["total_price"]

    size = max(size, 1)
    request = total(input_tokens=0, output_tokens=0)
    plain = total(input_tokens=size, output_tokens=0)
    uncached = (plain - request) / size
    return _Slopes(
        request=request,
        uncached=uncached,
        cached=uncached + (total(input_tokens=size, cache_read_tokens=size, output_tokens=0) - plain) / size,
        cache_write=uncached + (total(input_tokens=size, cache_write_tokens=size, output_tokens=0) - plain) / size,
        output=(total(input_tokens=size, output_tokens=_PROBE) - plain) / _PROBE,
    )
