"""Patterns of paths in a repository, as the matrix writes them."""

import re
from collections.abc import Iterable
from functools import lru_cache


def fits(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns describes the path: `*` and `?` within a folder, `**/` any folders, `/**` all below.
    Case counts."""
    return any(_compiled(pattern).fullmatch(path) for pattern in patterns)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    out, at = "", 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out, at = out + "(?:[^/]+/)*", at + 3
        elif pattern.startswith("**", at):
            out, at = out + ".*", at + 2
        elif pattern[at] in "*?":
            out, at = out + ("[^/]*" if pattern[at] == "*" else "[^/]"), at + 1
        else:
            out, at = out + re.escape(pattern[at]), at + 1
    return re.compile(out, re.DOTALL)
