"""The shape of each kind of assertion. One that says nothing (null, an empty text, NaN) could not fail: it is refused.

A shape answers what a value must be, "" where it is that.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pytest_ratiba.assertions.outcome import AssertionSetupError

Shape = Callable[[Any], str]
MOVES = ("from", "event", "to")


def problem_of(assertion: Any, *, local_only: bool = False) -> str:
    """Return the fault in the way an assertion is written, by key; "" where it can be checked.

    Kinds that the server checks are its own business; with `local_only` they are refused, since nobody would look.
    """
    if not isinstance(assertion, Mapping):
        return f": must be a mapping, for example {{contains: M-Pesa}}, not {assertion!r}"
    named = [kind for kind in KINDS if kind in assertion]
    if not named:
        what = f"{', '.join(map(str, assertion)) or 'nothing'} is not checked here; here are {', '.join(KINDS)}"
        return f": {what}" if local_only else ""
    if len(named) > 1:
        return f": has one of {' and '.join(named)}, not both"
    (kind,) = named
    shapes = KINDS[kind]
    for key, value in assertion.items():
        if key not in shapes:
            return f"/{key}: {kind} may have {', '.join(one for one in shapes if one != kind) or 'nothing'} beside it"
        if must := shapes[key](value):
            return f"/{key}: must be {must}, not {value!r}"
    if kind == "sql" and ("equals" in assertion) == ("rows" in assertion):
        return ": sql needs `equals:` (one value) or `rows:` (a list of lists)"
    return ""


def refuse_shapeless(assertion: Any, position: int, *, local_only: bool = False) -> None:
    """Raises AssertionSetupError, with the pointer, for an assertion that cannot be checked as it is written."""
    if problem := problem_of(assertion, local_only=local_only):
        raise AssertionSetupError(f"assertions/{position}{problem}")


def _text(value: Any) -> str:
    """A number is one, too: a variable of a scenario may fill it in."""
    if isinstance(value, bool):
        return "a text: YAML reads this one as yes or no, put it into quotes"
    right = bool(value.strip()) if isinstance(value, str) else isinstance(value, int | float) and math.isfinite(value)
    return "" if right else "a text that says something"


def _texts(value: Any) -> str:
    if not isinstance(value, list):
        return _text(value)
    return next(filter(None, map(_text, value)), "") if value else "a text or a list of texts that is not empty"


def _patterns(value: Any) -> str:
    for pattern in value if isinstance(value, list) else [value]:
        try:
            re.compile(str(pattern))
        except re.error as error:
            return f"a regular expression ({error})"
    return _texts(value)


def _schema(value: Any) -> str:
    return (
        ""
        if (isinstance(value, Mapping) and value) or (isinstance(value, str) and value)
        else ("a JSON Schema that says something, or the name of its file")
    )


def _number(value: Any) -> str:
    right = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0
    return "" if right else "a number from 0 on"


def _seconds(value: Any) -> str:
    return "" if value is True or (not _number(value) and value > 0) else "seconds above 0, or true for 30"


def _whole(value: Any, least: int) -> str:
    return (
        ""
        if isinstance(value, int) and not isinstance(value, bool) and value >= least
        else (f"a whole number from {least} on")
    )


def _turn(value: Any) -> str:
    return "" if value in ("last", "all") or not _whole(value, 1) else "the number of a reply from 1, `last` or `all`"


def _move(value: Any) -> str:
    right = isinstance(value, Mapping) and value and set(value) <= set(MOVES) and not any(map(_text, value.values()))
    return "" if right else f"some of {', '.join(MOVES)}, each with a text"


def _mapping(value: Any) -> str:
    return "" if isinstance(value, Mapping) and value else "a mapping that is not empty"


def _rows(value: Any) -> str:
    return "" if isinstance(value, list) and all(isinstance(row, list) for row in value) else "a list of lists"


def _code(value: Any) -> str:
    return "" if isinstance(value, str) and all(value.partition(":")) else "package.module:name"


def _anything(value: Any) -> str:
    return ""


def _times(value: Any) -> str:
    return _whole(value, 0)


# The first key names the kind; the others may stand beside it.
KINDS: Mapping[str, Mapping[str, Shape]] = {
    "contains": {"contains": _texts, "turn": _turn},
    "not_contains": {"not_contains": _texts, "turn": _turn},
    "regex": {"regex": _patterns, "turn": _turn},
    "json_schema": {"json_schema": _schema, "turn": _turn},
    "max_words": {"max_words": _number, "turn": _turn},
    "latency": {"latency": _seconds, "turn": _turn},
    "fsm_state": {"fsm_state": _texts},
    "fsm_transition": {"fsm_transition": _move, "times": _times},
    "event_type": {"event_type": _text, "with": _mapping, "times": _times},
    "sql": {"sql": _text, "equals": _anything, "rows": _rows},
    "briefing_card": {"briefing_card": _schema, "from": _text},
    "python": {"python": _code},
}
OF_REPLIES = frozenset(kind for kind, shapes in KINDS.items() if "turn" in shapes)
