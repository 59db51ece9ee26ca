"""Check a model provider's options: which it may have, their values, and which make another judge.

An option that only says how the server is used (how long to wait, whose prices count) is an operating option: it stays
out of a model's identity, so that tuning voids no certificate. Rows that had such options when this rule came keep what
they were known by (`ModelSpec.known_by`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from apps.core.errors import BadInput

MAX_TIMEOUT_S = 300  # a worker's task lasts for 15 minutes, and takes calls for eight
OPERATING = frozenset({"timeout_s", "price_provider", "prices"})

Rule = tuple[str, Callable[[Any], bool]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TEXT: Rule = ("a text", lambda value: isinstance(value, str) and bool(value.strip()))
_SWITCH: Rule = ("true or false", lambda value: isinstance(value, bool))
_MAPPING: Rule = ("a mapping", lambda value: isinstance(value, Mapping))
_COUNT: Rule = ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool))
_SECONDS: Rule = (
    f"a number of seconds, more than 0 and up to {MAX_TIMEOUT_S}",
    lambda value: _is_number(value) and 0 < value <= MAX_TIMEOUT_S,
)

_ALL: Mapping[str, Rule] = {"timeout_s": _SECONDS, "price_provider": _TEXT, "prices": _MAPPING}
_ASKING: Mapping[str, Rule] = {
    "supports_json_schema": _SWITCH,
    "supports_temperature": _SWITCH,
    "extra_body": _MAPPING,
}
_GOOGLE: Mapping[str, Rule] = {**_ASKING, "supports_seed": _SWITCH, "thinking_budget": _COUNT}
OPTIONS: Mapping[str, Mapping[str, Rule]] = {
    "anthropic": {**_ASKING, "api_version": _TEXT, "effort": _TEXT, "cache_system": _SWITCH},
    "openai": {
        **_ASKING,
        "supports_json_object": _SWITCH,
        "schema_bounds": _SWITCH,
        "supports_seed": _SWITCH,
        "auth_header": _TEXT,
        "max_tokens_field": _TEXT,
    },
    "google": _GOOGLE,
    "vertex": {**_GOOGLE, "location": _TEXT, "project": _TEXT},
    "offline": {},
}


def check_options(kind: str, options: Mapping[str, Any], pointer: str = "/options") -> None:
    """Raise BadInput with the pointer of the first option that this kind does not have, or that is not of its type.

    A kind that is not listed in OPTIONS (a provider of one's own) has options of its own: those are left alone.
    """
    own = OPTIONS.get(kind)
    for name, value in options.items():
        rule = _ALL.get(name) or (own or {}).get(name)
        if rule is None:
            if own is not None:
                raise _unknown(kind, name, pointer)
        elif not rule[1](value):
            text = f"{pointer}/{name}: the option {name!r} must be {rule[0]}, not {value!r}"
            raise BadInput(text[:300], pointer=f"{pointer}/{name}")


def check_role_options(kind: str, options: Mapping[str, Any], pointer: str) -> None:
    """Check the options of a role of a version, which are part of the judge.

    Operating options belong to the model provider: they are refused here. Raises as `check_options`.
    """
    for name in options:
        if name in OPERATING:
            raise BadInput(
                f"{pointer}/{name}: the option {name!r} says how the server is used, not what is asked: it belongs to "
                "the options of the model provider",
                pointer=f"{pointer}/{name}",
            )
    check_options(kind, options, pointer)


def identifying(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that belong to a judge's identity: all but timeout and prices."""
    return {name: value for name, value in options.items() if name not in OPERATING}


def known_by(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the further options that identify a row stored before options were checked.

    They are its operating options (prices never counted) and those that no kind has.
    """
    known = {*OPTIONS.get(kind, options), *(_ALL.keys() - OPERATING)}
    return {name: value for name, value in options.items() if name != "prices" and name not in known}


def _unknown(kind: str, name: str, pointer: str) -> BadInput:
    there = ", ".join(sorted({*_ALL, *OPTIONS[kind]}))
    hint = "max_concurrent stands beside the options, not among them; " if name == "max_concurrent" else ""
    text = f"{pointer}/{name}: {name!r} is no option of the kind {kind}: {hint}there are {there}"
    return BadInput(text, pointer=f"{pointer}/{name}")
