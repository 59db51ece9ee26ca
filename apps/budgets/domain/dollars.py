"""A sum of money as a person writes it."""

from decimal import Decimal, InvalidOperation

from apps.core.errors import BadInput


def read_dollars(text: str) -> Decimal:
    """Read dollars from text, `12.50`.

    Raises BadInput for a text that is no finite number; callers decide on negative ones.
    """
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite():
        raise BadInput(f"“{text}” is not a sum of dollars.", pointer="/usd")
    return amount
