"""Scenarios that a change takes away: both sides of a gate play those that are left, so somebody has to say it."""

from collections.abc import Iterable
from pathlib import Path

from pytest_ratiba.collecting import layer_of_file
from pytest_ratiba.config import Project
from pytest_ratiba.git import file_at

SHOWN = 5


def removed_scenarios(project: Project, changed: Iterable[str], *, root: Path, base: str) -> list[str]:
    """The ids that files of scenarios had at the commit `base` and that none of these files has now, sorted. `changed`
    are paths below `root`. Costs one question to git a file of scenarios."""
    files = [path for path in changed if layer_of_file(project, (root / path).resolve())]
    before = {one for path in files for one in _ids(file_at(project.folder, base, path))}
    now = {one for path in files for one in _ids(_text(root / path))}
    return sorted(before - now)


def removal_note(removed: list[str]) -> str:
    """As the gate says it."""
    names = ", ".join(removed[:SHOWN]) + (f" and {len(removed) - SHOWN} more" if len(removed) > SHOWN else "")
    return f"this change takes {len(removed)} scenarios away, which neither side plays: {names}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _ids(text: str) -> set[str]:
    import yaml

    try:
        documents = [one for one in yaml.safe_load_all(text) if isinstance(one, dict)]
    except yaml.YAMLError:  # it is refused, with its line, when the scenarios are read
        return set()
    entries = [*documents, *(one for part in documents for one in part.get("scenarios") or () if isinstance(one, dict))]
    return {str(one["id"]) for one in entries if "id" in one}
