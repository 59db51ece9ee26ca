"""The parts that the questions about personas share: fences and names of languages."""

from collections.abc import Mapping
from typing import Any

from apps.evaluations.domain.transcript import neutralised

LANGUAGES_IN_WORDS: Mapping[str, str] = {
    "en": "English as spoken in Kenya",
    "sw": "Swahili",
    "mixed": "Swahili and English mixed in one sentence, as in Nairobi",
    "it": "Italian",
}


def fenced(title: str, text: str, nonce: str) -> str:
    """Data between two fences that only this question has. The text must be neutralised already."""
    return f"<<<{title} {nonce}>>>\n{text}\n<<<END {title.partition(':')[0]} {nonce}>>>"


def text_or_list(section: Any, *, nonce: str, most_chars: int, name: str = "") -> list[str]:
    """Nested data as indented lines, cut at `most_chars` in all, with a line that says so."""
    lines = list(_lines(section, name, 0))
    text = neutralised("\n".join(lines), nonce=nonce)
    if len(text) <= most_chars:
        return text.splitlines()
    return [*text[:most_chars].splitlines(), f"[… {len(text) - most_chars} more characters]"]


def _lines(value: Any, name: str, depth: int) -> Any:
    indent = "  " * depth
    if isinstance(value, Mapping):
        if name:
            yield f"{indent}{name}:"
        for key, inner in value.items():
            yield from _lines(inner, str(key), depth + bool(name))
    elif isinstance(value, list | tuple):
        yield f"{indent}{name}:"
        for inner in value:
            yield from _lines(inner, "-", depth + 1)
    elif value not in (None, ""):
        yield f"{indent}{name}: {value}"
