"""promptfoo's templates: the part of nunjucks that fills a text with a test's variables. Whatever else is refused by
name: a text with a template left in it would be said to the agent as it stands."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from apps.core.errors import BadInput

_PLACE = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_BLOCK = re.compile(r"\{%.*?%\}", re.DOTALL)
_EXPRESSION = re.compile(r"([A-Za-z_][\w-]*)((?:\s*\|\s*\w+)*)")
_DEEPEST = 5  # variables in variables
_FILTERS: Mapping[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "trim": str.strip,
    "title": str.title,
    "capitalize": str.capitalize,
    "safe": str,
    "string": str,
}
Values = Mapping[str, str]


def filled(text: str, values: Values) -> str:
    """The text with its variables, and theirs. Raises BadInput naming what is not known."""
    for _ in range(_DEEPEST):
        if block := _BLOCK.search(text):
            raise BadInput(f"the template {block[0][:60]!r} is not read: write the text out")
        if not _PLACE.search(text):
            return text
        text = _PLACE.sub(lambda found: _value(found[1], values), text)
    raise BadInput("its variables stand in each other without an end")


def filled_value(value: Any, values: Values) -> Any:
    """A text, or the texts of a list, filled; anything else as it is. Raises as `filled`."""
    if isinstance(value, str):
        return filled(value, values)
    return [filled_value(one, values) for one in value] if isinstance(value, list) else value


def named_in(value: Any) -> set[str]:
    """The variables that stand in a text, in the texts of a list or of an object."""
    if isinstance(value, str):
        return {match[1] for place in _PLACE.finditer(value) if (match := _EXPRESSION.match(place[1]))}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return {name for part in parts for name in named_in(part)}


def _value(expression: str, values: Values) -> str:
    match = _EXPRESSION.fullmatch(expression)
    if match is None or match[1] not in values:
        known = ", ".join(sorted(values)) or "none"
        raise BadInput(f"{{{{ {expression[:60]} }}}} cannot be filled: the test's variables are {known}")
    text = values[match[1]]
    for name in re.findall(r"\w+", match[2]):
        if name not in _FILTERS:
            raise BadInput(f"the filter {name!r} of {{{{ {expression[:60]} }}}} is not known: write the text out")
        text = _FILTERS[name](text)
    return text
