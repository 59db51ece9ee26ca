"""The project's configuration: `ratiba.yaml`, else `[tool.ratiba]` in pyproject.toml.

This module finds the file, refuses keys nobody knows and hands each section to whoever reads it. What a section may
hold is said by its reader, which raises `project.error(pointer, message)` for what it does not understand.
"""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_ratiba.documents import read_value
from pytest_ratiba.errors import ProjectError

FILE = "ratiba.yaml"
SECTIONS = (
    "agent",
    "agents",
    "scenarios",
    "from_production",
    "evaluator_config",
    "metrics",
    "deepeval",
    "recordings",
    "environment",
    "snapshots",
    "gate",
)


@dataclass(frozen=True, kw_only=True)
class Project:
    """The folder of the user's agent and what its configuration says, section by section, as written."""

    folder: Path
    source: Path | None = None  # None: there is no configuration, every section is empty
    sections: Mapping[str, Any] = field(default_factory=dict)

    def mapping(self, name: str) -> dict[str, Any]:
        """A section that holds keys; {} where it is missing."""
        value = self.sections.get(name)
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
            raise self.error(f"/{name}", "must be a mapping of names to values")
        return value

    def folder_of(self, name: str, default: str) -> Path:
        """A section that names a folder, relative to the project."""
        value = self.sections.get(name, default)
        if not isinstance(value, str) or not value:
            raise self.error(f"/{name}", f"must name a folder, for example {default}")
        return self.folder / value

    def refuse_unknown(self, pointer: str, value: Mapping[str, Any], known: tuple[str, ...]) -> None:
        """Raises `ProjectError` for the first key of `value` that is not one of `known`; a likely typo is named."""
        for key in value:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, n=1)
                hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"
                raise self.error(f"{pointer}/{key}", f"unknown key{hint}")

    def error(self, pointer: str, message: str) -> ProjectError:
        """The error to raise about one key; pointers in pyproject.toml start at /tool/ratiba."""
        inside = "/tool/ratiba" if self.source is not None and self.source.name == "pyproject.toml" else ""
        return ProjectError(message, where=str(self.source or self.folder / FILE), pointer=inside + pointer)


def read_project(folder: Path) -> Project:
    """The project whose configuration stands in `folder` or in the nearest folder above it that has one.

    The search ends at the first folder with a `.git`. Raises `ProjectError` for a file that cannot be read as YAML or
    TOML and for a section nobody knows. Cost: reads one file.
    """
    folder = folder.resolve()
    for candidate in (folder, *folder.parents):
        read = _read_yaml(candidate / FILE) or _read_toml(candidate / "pyproject.toml")
        if read is not None:
            read.refuse_unknown("", read.sections, SECTIONS)
            return read
        if (candidate / ".git").exists():
            break
    return Project(folder=folder)


def _read_yaml(path: Path) -> Project | None:
    return _of_yaml(_text(path), path) if path.is_file() else None


def _read_toml(path: Path) -> Project | None:
    return _of_toml(_text(path), path) if path.is_file() else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProjectError(f"is not UTF-8: {error}", where=str(path)) from error


def _of_yaml(text: str, path: Path) -> Project:
    value = read_value(text, path)
    if value is not None and not isinstance(value, dict):
        raise ProjectError("must hold a mapping of sections", where=str(path))
    return Project(folder=path.parent, source=path, sections=value or {})


def _of_toml(text: str, path: Path) -> Project | None:
    try:
        value = tomllib.loads(text).get("tool", {}).get("ratiba")
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"is not TOML: {error}", where=str(path)) from error
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ProjectError("must be a table", where=str(path), pointer="/tool/ratiba")
    return Project(folder=path.parent, source=path, sections=value)
