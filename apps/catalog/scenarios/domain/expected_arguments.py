"""Compare a tool's arguments with expected ones, and check that expected patterns are patterns."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any


class ArgumentMatch(StrEnum):
    """Comparison of a tool's arguments with the expected ones.

    They are equal, or the expected ones are among them, or each expected one is a regular expression, or none is
    compared (only the name counts, wherever it is called).
    """

    EXACT = "exact"
    SUBSET = "subset"
    REGEX = "regex"
    NAME = "name"


def check_argument_patterns(value: Any, at: str, *, check: Callable[[str, str], object]) -> None:
    """Call `check(pattern, pointer)` for every text in the arguments; it raises for what is no pattern."""
    if isinstance(value, str):
        check(value, at)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            check_argument_patterns(one, f"{at}/{key}", check=check)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            check_argument_patterns(one, f"{at}/{index}", check=check)
