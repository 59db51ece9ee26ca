"""Patterns of paths in a repository, as the matrix writes them."""

import re
from collections.abc import Iterable
from functools import lru_cache


def fits(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns describes the path: `*` and `?` within a folder, `**/` any folders, `/**` all below.
    Case counts. Time grows with the path's length alone."""
    return _compiled(tuple(patterns)).fullmatch(path) is not None


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, patterns)) or r"(?!)", re.DOTALL)


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    signs = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(signs.get(part) or re.escape(part) for part in parts)
