"""The part of JSONPath (RFC 9535) that names places: `$`, `.name`, `['name']`, `[2]`, `[*]`, `.*` and `..name`."""

import re
from typing import Any

_STEP = re.compile(
    r"(?P<deep>\.\.)?(?:\.?(?P<name>[A-Za-z_][\w-]*|\*)|\[(?:(?P<index>-?\d+)|(?P<any>\*)|'(?P<q>[^']*)'|\"(?P<d>[^\"]*)\")\])"
)
Step = tuple[bool, str | int | None]  # in depth or not, and a key, an index or None for each


class PathSyntaxError(ValueError):
    """A text that is no JSONPath of ours."""


def parse_path(text: str) -> tuple[Step, ...]:
    """The steps of a path. Raises PathSyntaxError; filters and slices are not part of it."""
    if not text.startswith("$") or len(text) > 500:
        raise PathSyntaxError(f"{text[:60]!r} is no JSONPath: it starts with $, for example $.metadata.session")
    steps: list[Step] = []
    at = 1
    while at < len(text):
        match = _STEP.match(text, at)
        bare = match is not None and match["name"] is not None and match["deep"] is None and text[at] != "."
        if match is None or bare:
            raise PathSyntaxError(
                f"{text[:60]!r} cannot be read from character {at + 1}: names, [n], [*] and ..name only"
            )
        key: str | int | None = match["name"] or match["q"] or match["d"]
        if match["index"] is not None:
            key = int(match["index"])
        steps.append((match["deep"] is not None, None if match["any"] or key == "*" else key))
        at = match.end()
    if not steps:
        raise PathSyntaxError("'$' alone would leave out the whole request")
    return tuple(steps)


def without(value: Any, path: tuple[Step, ...]) -> Any:
    """The value without what the path names; the value itself stays as it is."""
    (deep, key), rest = path[0], path[1:]
    if isinstance(value, dict):
        kept: dict[str, Any] = {}
        for name, item in value.items():
            if key is None or key == name:
                if not rest:
                    continue
                item = without(item, rest)
            kept[name] = without(item, path) if deep else item
        return kept
    if isinstance(value, list):
        items = []
        for number, item in enumerate(value):
            if key is None or key == number or (isinstance(key, int) and key < 0 and key + len(value) == number):
                if not rest:
                    continue
                item = without(item, rest)
            items.append(without(item, path) if deep else item)
        return items
    return value
