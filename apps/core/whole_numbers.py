"""Whole numbers as forms and query strings send them. Pure."""

from apps.core.errors import BadInput


def whole_number(
    text: str, refusal: str, *, pointer: str, least: int = 0, most: int = 999_999, code: str | None = None
) -> int:
    """The number from `least` to `most` that the text is. Raises BadInput with `refusal` for anything else."""
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20 and least <= int(digits) <= most):
        raise BadInput(refusal, code=code, pointer=pointer)
    return int(digits)
