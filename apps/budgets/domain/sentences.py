"""Sentences for the moment when money runs short."""

from decimal import Decimal

from apps.budgets.domain.scopes import Scope, month_span

SPENT_CODE = "budget_spent"  # the error code of work that waits for money


def dollars(usd: Decimal) -> str:
    """Write an amount in cents, with more decimal places below one cent."""
    return f"${usd:.2f}" if usd >= Decimal("0.01") or usd == 0 else f"${usd:.6f}".rstrip("0")


def spent_sentence(scope: Scope, *, limit: Decimal, spent: Decimal, held: Decimal = Decimal(0)) -> str:
    """Say which budget is spent and what to do, in the same words for all work that waits for it.

    At most 200 characters for any real name. A limit that pays for no call is called too small; one with some money
    left, too small to go on. `held` is what running calls may still cost.
    """
    wait = ""
    if scope.month:
        wait = f", or wait until {month_span(scope.month)[1]:%-d %B}"
    if held > 0 and spent < limit:
        state = f"{dollars(spent)} of {dollars(limit)} spent, {dollars(held)} held by calls in flight"
        return f"budget too small for more: {scope}, {state}. Raise it under Usage{wait}"
    if spent <= 0:
        return f"budget too small: {scope}, {dollars(limit)}, pays for no call. Raise it under Usage"
    if spent < limit:
        state = f"{dollars(spent)} of {dollars(limit)} spent"
        return f"budget too small to go on: {scope}, {state}. Raise it under Usage{wait}"
    return f"budget spent: {scope}, {dollars(limit)}. Raise it under Usage{wait}"


def held_sentence(scope: Scope, *, limit: Decimal, spent: Decimal, held: Decimal) -> str:
    """Say that money is short for the moment, and comes back by itself."""
    state = f"{dollars(spent)} of {dollars(limit)} spent, {dollars(held)} held by calls in flight"
    return f"{scope}: {state}. It goes on when they have ended"


def unpriced_sentence(scope: Scope, *, model: str) -> str:
    """Say that a limit cannot be held, and what to do. Within 200 characters for names of some 40."""
    return f"no budget can be held: the price of {model[:60]} is not known. Declare it (prices), or lift {scope}"[:200]


def unheld_sentence(scope: Scope, *, limit: Decimal) -> str:
    """Say that a limit does not count calls whose price nobody knows, and what to do."""
    return (
        f"{scope}, {dollars(limit)}, cannot be held: calls without a price count for it. Declare their price (prices)"
    )


def spent_detail(*, spent: Decimal, limit: Decimal, needed: Decimal) -> str:
    """Say how much is spent of the limit, and how much the next piece of work may need."""
    return f"{dollars(spent)} of {dollars(limit)} spent, and the next piece of work may need {dollars(needed)}"


def warning_sentence(scope: Scope, *, spent: Decimal, limit: Decimal) -> str:
    """The warning from 80 % on: cross-checks stop, while a panel goes on with its judge. A limit of 0 has a sentence of
    its own."""
    if limit <= 0:
        return f"{scope} is {dollars(limit)}: nothing may be spent. Raise it under Usage"
    return f"{dollars(spent)} of {dollars(limit)} spent of {scope}: no new conversation is cross-checked"
