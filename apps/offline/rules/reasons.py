"""The rules' reasons in English, Swahili and Italian: one template per situation, filled with counts."""

import re

from apps.offline.rules.reasons_text import TEXTS

LANGUAGES = ("en", "sw", "it")


class _Said:
    """A value of a reason. `{n:word|words}` says the number with the noun it takes; other formats are Python's."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return format(self.value, spec)
        one, many = spec.split("|")
        return f"{self.value} {one if self.value == 1 else many}"


_NOTHING = re.compile(r"\b0 (?:of|kati ya|su) 0\b")


def reason(rule: str, situation: str, language: str, **counts: object) -> str:
    """The sentence for `rule`.`situation` in `language` (English where that is not one of ours)."""
    tongue = language if language in LANGUAGES else "en"
    text = TEXTS[f"{rule}.{situation}"][LANGUAGES.index(tongue)].format(
        **{name: _Said(value) for name, value in counts.items()}
    )
    return _without_nothing_of_nothing(text)


def _without_nothing_of_nothing(text: str) -> str:
    """Parts such as `0 of 0 moods or worries were met` say nothing: they are left out where another part remains."""
    parts = text.split("; ")
    parts_left = [part for part in parts if not _NOTHING.search(part)]
    return text if not parts_left or len(parts_left) == len(parts) else "; ".join(parts_left).rstrip(".") + "."
