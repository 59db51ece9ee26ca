"""The rule that a gate decides by, as `gate:` of ratiba.yaml declares it. The server decides; here it is only read, so
that a rule the server would refuse is refused before anything is played."""

from collections.abc import Callable, Mapping
from typing import Any

from pytest_ratiba.config import Project, project_from
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import file_at, top_folder


def _number(least: float, most: float, *, whole: bool = False) -> tuple[Callable[[Any], bool], str]:
    kinds = (int,) if whole else (int, float)

    def holds(value: Any) -> bool:
        return isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most

    return holds, f"must be a {'whole ' if whole else ''}number from {least:g} to {most:g}"


def _one_of(*words: str) -> tuple[Callable[[Any], bool], str]:
    return lambda value: isinstance(value, str) and value in words, f"is one of {', '.join(words)}"


def _names(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 50 and all(isinstance(one, str) and one for one in value)


_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "margin": _number(0.000001, 10),
    "alpha": _number(0.000001, 0.5),
    "net_loss": _number(1, 1000, whole=True),
    "undecided": _one_of("block", "pass"),
    "hard": _one_of("any", "new"),
    "require_certificate": (lambda value: isinstance(value, bool), "must be true or false"),
    "soft_checks": (_names, "must be a list of at most 50 names of checks"),
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


def policy_at(project: Project, commit: str) -> dict[str, Any] | None:
    """The rule as the configuration declared it at a commit, which is what a change is held against: nobody loosens the
    rule for the change that loosens it. None where there was no configuration, or none that can be read."""
    if project.source is None or not commit:
        return None
    inside = project.source.resolve().relative_to(top_folder(project.folder).resolve()).as_posix()
    text = file_at(project.folder, commit, inside)
    try:
        before = project_from(text, project.source) if text else None
        return None if before is None else read_policy(before, before.mapping("gate"))
    except ProjectError:
        return None
