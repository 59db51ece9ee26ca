"""A sum of money as a person writes it."""

from decimal import Decimal, InvalidOperation

from apps.core.errors import BadInput


def read_dollars(text: str) -> Decimal:
    """From text, `12.50`. Raises BadInput for what is no finite number; whether it may be negative others decide."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise BadInput(f"“{text}” is not a sum of dollars.", pointer="/usd")
    return amount
