"""Find the place of a reason in a draft: for people a line and a section, for programs the characters. Pure."""

from collections.abc import Sequence
from typing import Any

from apps.improvement.domain.prompt_sections import parse


def place_in(text: str, span: Sequence[int] | None) -> dict[str, Any] | None:
    """The characters, the line they begin on (from 1) and the title of their section; None where nothing is named."""
    if not span:
        return None
    start, end = span
    return {"start": start, "end": end, "line": text.count("\n", 0, start) + 1, "section": section_at(text, start)}


def section_at(text: str, position: int) -> str:
    """The title of the section that holds this character; "" where it has none."""
    at = 0
    for section in parse(text):
        at += len(section.text)
        if position < at:
            return section.title
    return ""
