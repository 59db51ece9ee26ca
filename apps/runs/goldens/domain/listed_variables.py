"""The variables that a golden document uses, checked where it is saved. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from apps.core.errors import BadInput
from apps.runs.goldens.domain.dates import SHAPES
from apps.runs.goldens.domain.people import FIRST_NAME, LAST_NAME
from apps.runs.goldens.domain.variables import DEFAULT_IDENTITY, NUMBER, VARIABLE, day_parts

UNKNOWN = (
    "{found} is no variable. There are {{{{ day+3 }}}} (also day-3; behind it one of {shapes}) and "
    "{{{{ customer.KIND }}}} with KIND one of {kinds}, a second one as in phone_2, or one that the document lists "
    "under variables"
)
# What reads like one of ours. Other templates are the session's own words.
_LIKE_VARIABLE = re.compile(r"\{\{\s{0,9}(?:customer\b|day\b)[^{}]{0,80}\}\}")
_KINDS = (*DEFAULT_IDENTITY, NUMBER, FIRST_NAME, LAST_NAME)
_SHAPES_SHOWN = (
    "long, short, week, weekshort, comma, commashort, slash, us, usshort, and sw or it behind the first six; th, of, "
    "thshort, ofshort, usth and usthshort with an ordinal"
)
_PLACEHOLDER = re.compile(r"\{\{\s{0,9}([A-Za-z_][\w.-]{0,80})\s{0,9}\}\}")


def listed_turns(document: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return the key under which a file has its turns, and the value there; nothing where that is no list.

    The key is "turns", or "messages" as OpenAI writes them.
    """
    key = "messages" if document.get("messages") is not None else "turns"
    turns = document.get(key)
    return key, turns if isinstance(turns, list) else []


def with_listed_variables(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with every variable that its texts use in `variables`, so that it is filled.

    Raises BadInput (`unknown_variable`) with the turn's pointer for one that nobody can fill: it would be sent to the
    agent as it is written."""
    listed = dict(document.get("variables") or {})
    where, turns = listed_turns(document)
    for index, turn in enumerate(turns):
        for key in ("content", "tool_calls", "expected_tools"):
            for text in _texts(turn.get(key)) if isinstance(turn, Mapping) else ():
                for placeholder in _LIKE_VARIABLE.findall(text):
                    name = _known_variable(placeholder, listed)
                    if not name:
                        raise _unknown(placeholder, f"/{where}/{index}/{key}")
                    by_day = name.startswith("day")
                    kind = "date" if by_day else re.sub(r"_\d+$", "", name.removeprefix("customer."))
                    listed.setdefault(name, {"fill": "now" if by_day else "identity", "kind": kind})
    return {**document, "variables": listed} if listed else dict(document)


def refuse_placeholders(document: Mapping[str, Any]) -> None:
    """Refuse a `{{ name }}` that is no variable of a golden session.

    In a file it is somebody's placeholder, and the agent would be sent it as it is written. Raises BadInput
    (`unknown_variable`) with the turn's pointer.
    """
    where, turns = listed_turns(document)
    for index, turn in enumerate(turns):
        for key in ("content", "tool_calls", "expected_tools"):
            for text in _texts(turn.get(key)) if isinstance(turn, Mapping) else ():
                for match in _PLACEHOLDER.finditer(text):
                    if not VARIABLE.fullmatch(match[0]):
                        raise _unknown(match[0], f"/{where}/{index}/{key}")


def _unknown(found: str, at: str) -> BadInput:
    what = UNKNOWN.format(found=found, kinds=", ".join(_KINDS), shapes=_SHAPES_SHOWN)
    return BadInput(f"{at}: {what}", code="unknown_variable", pointer=at)


def _known_variable(found: str, listed: Mapping[str, Any]) -> str:
    match = VARIABLE.fullmatch(found)
    name = match[1] if match else ""
    kind = re.sub(r"_\d+$", "", name.removeprefix("customer."))
    known = day_parts(name)[2] in SHAPES if name.startswith("day") else kind in _KINDS
    return name if name in listed or known else ""


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (Mapping, list)):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
