"""The changes between two versions of an evaluator config: criteria, weights, template, models, parameters."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from apps.catalog.configs.domain.content import VersionContent
from apps.catalog.configs.domain.snapshots import RoleModel


class FieldChange(StrEnum):
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One compared thing: `what` is its name, `old` and `new` are texts ("" where it is not there)."""

    what: str
    old: str
    new: str

    @property
    def change(self) -> FieldChange:
        if self.old == self.new:
            return FieldChange.SAME
        if not self.old:
            return FieldChange.ADDED
        return FieldChange.CHANGED if self.new else FieldChange.REMOVED


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiff:
    """Side by side, unchanged lines included; `template` is a unified diff's lines, empty where nothing changed."""

    criteria: tuple[DiffLine, ...]
    models: tuple[DiffLine, ...]
    parameters: tuple[DiffLine, ...]
    template: tuple[str, ...]

    @property
    def changed(self) -> bool:
        lines = (*self.criteria, *self.models, *self.parameters)
        return bool(self.template) or any(line.change is not FieldChange.SAME for line in lines)


def diff(old: VersionContent, new: VersionContent) -> VersionDiff:
    """Compare two contents. Pure, cheap; the order is the newer version's, what it lost comes last."""
    return VersionDiff(
        criteria=_lines(_criteria(old), _criteria(new)),
        models=_lines(_models(old), _models(new)),
        parameters=_lines(_texts(old.settings()), _texts(new.settings())),
        template=tuple(
            difflib.unified_diff(
                old.system_prompt_template.splitlines(),
                new.system_prompt_template.splitlines(),
                fromfile="old",
                tofile="new",
                lineterm="",
            )
        ),
    )


def describe_model(model: RoleModel) -> str:
    """A role's model in words: `google/gemini-2.5-flash, then google/gemini-2.0-flash`."""
    first = f"{model.provider}/{model.model}"
    options = f" {dict(model.options)}" if model.options else ""
    return f"{first}{options}, then {describe_model(model.fallback)}" if model.fallback else f"{first}{options}"


def _lines(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[DiffLine, ...]:
    names = [*new, *(name for name in old if name not in new)]
    return tuple(DiffLine(name, old.get(name, ""), new.get(name, "")) for name in names)


def _criteria(content: VersionContent) -> dict[str, str]:
    return {
        name: f"weight {content.weight(name):g}, pass mark {content.pass_mark(name):g}"
        + (", blocking" if content.blocks(name) else "")
        for name in content.names
    }


def _models(content: VersionContent) -> dict[str, str]:
    return {role: describe_model(model) for role, model in sorted(content.models().items())}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in sorted(values.items())}
