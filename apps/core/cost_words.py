"""The cost of calls to models, in words: an unknown price is named, never shown as nothing."""

from apps.core.plurals import many


def dollars(value: float) -> str:
    """Write dollars as `$41.20`; below a dollar with four decimals, `$0.0110`."""
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def cost_parts(cost: float, *, calls: int, unpriced: int) -> tuple[str, str]:
    """Return `$4.10`, `at least $4.10` or `unknown`, and a phrase about the calls without a price."""
    if not unpriced:
        return dollars(cost), ""
    counted = f"{unpriced:,} of {many(calls, 'call')} {'has' if calls == 1 else 'have'} no price"
    return f"at least {dollars(cost)}" if cost else "unknown", counted
