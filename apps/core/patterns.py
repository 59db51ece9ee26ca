"""Regular expressions that people write: compiled when they are saved, and run with a bound on time.

They are Python's (`re`). They are run by `regex`, which reads the same language and can be stopped: `(a+)+$` would hold
a process for ever otherwise, and nobody sees that in a pattern before it happens.
"""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

import regex

from apps.core.errors import BadInput
from apps.core.pattern_size import size_problem

MAX_PATTERN_CHARS = 1_000
MAX_TEXT_CHARS = 100_000  # what stands behind is not looked at: no reply is longer, and time grows with it
MAX_MATCHES = 1_000
TIMEOUT_S = 0.25  # an ordinary pattern takes under a millisecond on 100,000 characters


class PatternProblem(BadInput):
    """A pattern that does not compile, or that took too long on a text."""

    code = "pattern"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern of users; made by `compile_pattern`."""

    text: str
    _compiled: Any

    def found_in(self, text: str) -> bool:
        """Tell whether the pattern is anywhere in the text's first MAX_TEXT_CHARS characters.

        Raises PatternProblem after TIMEOUT_S.
        """
        try:
            return self._compiled.search(text[:MAX_TEXT_CHARS], timeout=TIMEOUT_S) is not None
        except TimeoutError:
            raise self._too_slow(text) from None

    def matches_in(self, text: str) -> list[str]:
        """The first MAX_MATCHES texts it matches, in the bounds of `found_in`. Raises PatternProblem."""
        try:
            matches = self._compiled.finditer(text[:MAX_TEXT_CHARS], timeout=TIMEOUT_S)
            return [match[0] for match in islice(matches, MAX_MATCHES)]
        except TimeoutError:
            raise self._too_slow(text) from None

    def _too_slow(self, text: str) -> PatternProblem:
        return PatternProblem(
            f"the pattern {self.text[:100]!r} took longer than {TIMEOUT_S:g} s on a text of {len(text):,} "
            "characters: write it without a repeat inside a repeat"
        )

    def group_in(self, text: str, name: str) -> str:
        """The text of the named group at the first match; "" where there is no match, or no group of this name."""
        try:
            match = self._compiled.search(text[:MAX_TEXT_CHARS], timeout=TIMEOUT_S)
        except TimeoutError:
            return ""
        return str(match.groupdict().get(name) or "") if match else ""

    def answers_within(self, text: str, seconds: float) -> bool:
        """Tell whether a search of this text ends within so many seconds."""
        try:
            self._compiled.search(text, timeout=seconds)
        except TimeoutError:
            return False
        return True


def compile_pattern(text: str, pointer: str = "", *, ignore_case: bool = False) -> Pattern:
    """The pattern, checked. Raises PatternProblem, with `pointer`, for what Python's `re` cannot read, and before
    anything is written out for what would fill the memory (`pattern_size`): under 50 MB and a second, whatever is
    asked."""
    at = f"{pointer}: " if pointer else ""
    if len(text) > MAX_PATTERN_CHARS:
        raise PatternProblem(f"{at}{len(text):,} characters, a pattern may have {MAX_PATTERN_CHARS:,}", pointer=pointer)
    try:
        re.compile(text, re.IGNORECASE if ignore_case else 0)
        too_large = size_problem(text)
        if too_large:
            raise PatternProblem(f"{at}{too_large}", pointer=pointer)
        compiled = regex.compile(text, regex.V0 | (regex.IGNORECASE if ignore_case else 0))
    except (re.error, regex.error, OverflowError, RecursionError, ValueError) as error:
        raise PatternProblem(f"{at}not a regular expression: {error}", pointer=pointer) from error
    return Pattern(text, compiled)
