"""Filling `{{ name }}` into plain data: no expressions, no loops, nothing that could run.

A template is any JSON value. In a text every `{{ name }}` is replaced by its value as text; a text that is nothing but
one placeholder becomes the value itself (a list, a number, null); as an item of a list, a list is spliced into it:
`[{"role": "system", …}, "{{ messages }}"]`. `{{ secret.NAME }}` reads one of the secrets, and
`{{ name | json }}` writes the value as JSON, for bodies that are texts.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from apps.core.errors import BadInput

MAX_DEPTH = 64
MAX_PLACES = 100  # each may bring in a whole transcript
_PLACE = re.compile(r"\{\{\s*([A-Za-z_]\w*)(?:\.([A-Za-z_][\w-]*))?\s*(?:\|\s*(\w+)\s*)?\}\}")


class Template:
    """A JSON value with placeholders. Raises BadInput at `pointer` for a name that will not be there."""

    def __init__(self, value: Any, pointer: str, *, names: tuple[str, ...]) -> None:
        self._value = value
        places = _check(value, pointer, names)
        if len(places) > MAX_PLACES:
            raise BadInput(f"{len(places):,} placeholders, {MAX_PLACES} are allowed", pointer=pointer)
        self.uses = frozenset(place[1] for place in places)
        self.secret_names = frozenset(place[2] or "" for place in places if place[1] == "secret")

    def render(self, values: Mapping[str, Any]) -> Any:
        """The value with everything filled in. What is missing under a dotted name becomes an empty text."""
        return _render(self._value, values)


def _check(value: Any, pointer: str, names: tuple[str, ...], depth: int = 0) -> list[re.Match[str]]:
    if depth > MAX_DEPTH:
        raise BadInput(f"nested deeper than {MAX_DEPTH} levels", pointer=pointer[:200])
    used: list[re.Match[str]] = []
    if isinstance(value, Mapping):
        for key, item in value.items():
            used += _check(item, f"{pointer}/{key}", names, depth + 1)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            used += _check(item, f"{pointer}/{index}", names, depth + 1)
    elif isinstance(value, str):
        for place in _PLACE.finditer(value):
            dotted = place[2] is not None and place[1] != "secret"
            if place[1] not in names or dotted or place[3] not in (None, "json"):
                known = ", ".join(names)
                raise BadInput(f"{place[0]} cannot be filled in: there is {known}", pointer=pointer)
            used.append(place)
        rest = _PLACE.sub("", value)
        if "{{" in rest:
            raise BadInput("a placeholder is not closed or not a plain name", pointer=pointer)
        if "{%" in rest:
            raise BadInput("there are no {% … %} here, only {{ names }} to be filled in", pointer=pointer)
    return used


def _render(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {key: _render(item, values) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [part for item in value for part in _spliced(item, values)]
    if not isinstance(value, str):
        return value
    alone = _PLACE.fullmatch(value)
    if alone and alone[3] is None:
        return _look_up(alone, values)
    return _PLACE.sub(lambda place: _as_text(place, values), value)


def _spliced(item: Any, values: Mapping[str, Any]) -> list[Any]:
    rendered = _render(item, values)
    alone = isinstance(item, str) and _PLACE.fullmatch(item)
    return rendered if alone and isinstance(rendered, list) else [rendered]


def _look_up(place: re.Match[str], values: Mapping[str, Any]) -> Any:
    value = values.get(place[1])
    if place[2] is None:
        return value
    return value.get(place[2], "") if isinstance(value, Mapping) else ""


def _as_text(place: re.Match[str], values: Mapping[str, Any]) -> str:
    value = _look_up(place, values)
    if place[3] == "json":
        return json.dumps(value, ensure_ascii=False)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
