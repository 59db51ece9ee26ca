"""In which fields a rule of a gate asks less than another one. Pure; the server and the runner have the same answer."""

from collections.abc import Callable, Mapping
from typing import Any


def looser_names(asked: Mapping[str, Any], floor: Mapping[str, Any]) -> list[str]:
    """The fields of `asked` that ask less than `floor` does, by name. Both are whole, words as text. A field without an
    order of its own must be the floor's."""
    return [name for name in sorted(asked) if _LOOSER.get(name, _other)(asked[name], floor[name])]


def _more(asked: Any, floor: Any) -> bool:
    return bool(asked > floor)


def _other(asked: Any, floor: Any) -> bool:
    return bool(asked != floor)


def _other_names(asked: Any, floor: Any) -> bool:
    return set(asked) != set(floor)


_LOOSER: Mapping[str, Callable[[Any, Any], bool]] = {
    "margin": _more,
    "net_loss": _more,
    "latency_margin_s": _more,
    "tokens_margin": _more,
    "looks": _more,
    "undecided": lambda asked, floor: asked == "pass" and floor == "block",
    "advisory_loss": lambda asked, floor: asked == "warn" and floor == "block",
    "hard": lambda asked, floor: asked == "new" and floor == "any",
    "require_certificate": lambda asked, floor: bool(floor and not asked),
    "soft_checks": _other_names,
    "hard_checks": lambda asked, floor: not {*floor} <= {*asked},  # every failing one stops: fewer are looser
}
