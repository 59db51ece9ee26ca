"""Metrics that the project writes itself: classes of DeepEval in `tests/eval/metrics/*.py`, by name.

    deepeval:
      metrics: tests/eval/metrics                       # the folder
      by_language: {sw: SwahiliFluencyMetric}           # added to every scenario of that language

Names and versions are read without importing anything; a class is imported when a conversation is measured by it.
"""

import ast
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_ratiba.config import Project
from pytest_ratiba.errors import ProjectError

FOLDER = "tests/eval/metrics"
BY_LANGUAGE: Mapping[str, str] = MappingProxyType(
    {"sw": "SwahiliFluencyMetric", "en": "EnglishFluencyMetric", "it": "ItalianFluencyMetric"}
)


@dataclass(frozen=True, kw_only=True)
class UserMetric:
    """A class of the project. `version` is its module's `__version__`, "" where it has none."""

    name: str
    path: Path
    line: int
    version: str

    @property
    def metric_version(self) -> str:
        """As the score cache has it, `swahili_fluency:1.0.0`. Raises `ProjectError` for a module without a version."""
        if not self.version:
            raise ProjectError(
                f'{self.name} has no version: write __version__ = "1.0.0" into its module, and raise it with its text',
                where=f"{self.path}:{self.line}",
            )
        return f"{self.path.stem}:{self.version}"

    def made(self, project: Project) -> Any:
        """A fresh instance: metrics keep state. Imports the module, and DeepEval with it. Raises `ProjectError`."""
        if str(project.folder) not in sys.path:
            sys.path.insert(0, str(project.folder))
        try:
            return getattr(_module(self.path), self.name)()
        except Exception as error:  # the user's code, at import or in its constructor
            what = f"{self.name} cannot be made: {type(error).__name__}: {error}"
            raise ProjectError(what, where=f"{self.path}:{self.line}") from error


@dataclass(frozen=True, kw_only=True)
class UserMetrics:
    """All of a project, by name, and which of them each language brings."""

    classes: Mapping[str, UserMetric] = field(default_factory=dict)
    by_language: Mapping[str, str] = field(default_factory=dict)
    everywhere: tuple[Mapping[str, Any], ...] = ()  # the section `metrics:`, the server's metrics included

    @property
    def names(self) -> frozenset[str]:
        """The names that an assertion may have."""
        return frozenset(self.classes)


def read_user_metrics(project: Project) -> UserMetrics:
    """The section `deepeval:` and the classes of its folder. Imports nothing. Raises `ProjectError`."""
    section = project.mapping("deepeval")
    project.refuse_unknown("/deepeval", section, ("metrics", "by_language"))
    folder = section.get("metrics", FOLDER)
    if not isinstance(folder, str) or not folder:
        raise project.error("/deepeval/metrics", f"must name a folder, for example {FOLDER}")
    if "metrics" in section and not (project.folder / folder).is_dir():
        raise project.error("/deepeval/metrics", f"there is no folder {folder}")
    classes: dict[str, UserMetric] = {}
    for path in sorted((project.folder / folder).glob("*.py")):
        for metric in _classes(path):
            if metric.name in classes:
                other = classes[metric.name]
                raise ProjectError(f"{metric.name} is also in {other.path}:{other.line}", where=f"{path}:{metric.line}")
            classes[metric.name] = metric
    return UserMetrics(
        classes=classes,
        by_language=_by_language(project, section, classes),
        everywhere=tuple(project_metrics(project)),
    )


def project_metrics(project: Project) -> list[dict[str, Any]]:
    """The section `metrics:`, a list of names or of {metric, threshold}. Raises `ProjectError`."""
    value = project.sections.get("metrics") or []
    if not isinstance(value, list):
        raise project.error("/metrics", "must be a list of metrics")
    found = []
    for number, one in enumerate(value):
        entry = {"metric": one} if isinstance(one, str) else one
        if not isinstance(entry, dict) or not isinstance(entry.get("metric"), str):
            raise project.error(f"/metrics/{number}", "must be a metric's name, or {metric: …, threshold: …}")
        project.refuse_unknown(f"/metrics/{number}", entry, ("metric", "threshold"))
        found.append(dict(entry))
    return found


def _by_language(project: Project, section: Mapping[str, Any], classes: Mapping[str, UserMetric]) -> dict[str, str]:
    wanted = section.get("by_language")
    if wanted is None:
        return {language: name for language, name in BY_LANGUAGE.items() if name in classes}
    if not isinstance(wanted, dict) or not all(isinstance(one, str) for part in wanted.items() for one in part):
        raise project.error("/deepeval/by_language", "must be a mapping of languages to names of metrics")
    for language, name in wanted.items():
        if name not in classes:
            known = ", ".join(classes) or "none"
            raise project.error(f"/deepeval/by_language/{language}", f"there is no class {name!r}; there are: {known}")
    return dict(wanted)


def _classes(path: Path) -> list[UserMetric]:
    """Public classes with a base whose names end in Metric."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        where = f"{path}:{getattr(error, 'lineno', None) or 1}"
        raise ProjectError(f"is not Python: {error}", where=where) from error
    version = next((found for node in tree.body if (found := _version(node))), "")
    return [
        UserMetric(name=node.name, path=path, line=node.lineno, version=version)
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.bases and node.name.endswith("Metric") and node.name[0] != "_"
    ]


def _version(node: ast.stmt) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    value = getattr(node, "value", None)
    named = isinstance(target, ast.Name) and target.id == "__version__"
    return value.value if named and isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _module(path: Path) -> Any:
    name = f"ratiba_user_metrics_{path.stem}"
    loaded = sys.modules.get(name)
    if loaded is not None and loaded.__file__ == str(path):
        return loaded
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - a .py file always has both
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
