"""Criteria in a sentence of ours as its reader calls them. Pure."""

import re
from collections.abc import Mapping

from apps.gates.domain.must_not import MUST_NOT

_MUST_NOT = f"{MUST_NOT}/"


def with_titles(sentence: str, titles: Mapping[str, str]) -> str:
    """The sentence with each criterion's title in place of its name, as a whole word."""
    names = "|".join(re.escape(title) for title in sorted(titles, key=len, reverse=True))
    pattern = rf"(?P<must>{re.escape(_MUST_NOT)})?(?<![\w-])(?P<name>{names})(?![\w-])"

    def called(found: re.Match[str]) -> str:
        return f"{'must not happen again: ' if found['must'] else ''}{titles[found['name']]}"

    return re.sub(pattern, called, sentence) if names else sentence
