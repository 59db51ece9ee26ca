"""The rule that a gate decides by, as `gate:` of ratiba.yaml declares it. The server decides; here it is only read, so
that a rule the server would refuse is refused before anything is played."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_ratiba.config import Project


def _number(least: float, most: float, *, whole: bool = False) -> tuple[Callable[[Any], bool], str]:
    kinds = (int,) if whole else (int, float)

    def holds(value: Any) -> bool:
        return isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most

    return holds, f"must be a {'whole ' if whole else ''}number from {least:g} to {most:g}"


def _one_of(*words: str) -> tuple[Callable[[Any], bool], str]:
    return lambda value: isinstance(value, str) and value in words, f"is one of {', '.join(words)}"


def _names(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= 50
        and all(isinstance(one, str) and 1 <= len(one) <= 100 for one in value)
    )


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "margin": _number(0.000001, 10),
    "alpha": _number(0.000001, 0.5),
    "latency_margin_s": _number(0.000001, 600),
    "tokens_margin": _number(0.000001, 10),
    "net_loss": _number(1, 1000, whole=True),
    "undecided": _one_of("block", "pass"),
    "advisory_loss": _one_of("block", "warn"),
    "hard": _one_of("any", "new"),
    "require_certificate": (lambda value: isinstance(value, bool), "must be true or false"),
    "soft_checks": (_names, "must be a list of at most 50 names of checks"),
    "hard_checks": (_names, "must be a list of at most 50 names of checks"),
}
POLICY = tuple(_RULES)


def read_policy(project: Project, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of the rule that are written. Raises `ProjectError` with the pointer."""
    found = {key: raw[key] for key in POLICY if key in raw}
    for key, value in found.items():
        holds, sentence = _RULES[key]
        if not holds(value):
            raise project.error(f"/gate/{key}", f"{sentence}, not {value!r}")
    return found
