"""Frozen copies of the catalog for a run or an evaluation: plain data, the same after any later edit.

`as_json()` and `from_json()` are exact inverses, so a stored snapshot and a fresh one have the same digest.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionSnapshot:
    """One criterion as a judge is shown it, in the rubric language; `scoring_guide` has "0", "3", "5", "7", "10".

    `blocking`: a conversation below its pass mark fails whatever the mean. It is in the JSON only where it holds.
    """

    name: str
    weight: float
    pass_mark: float
    kind: str
    description: str
    scoring_guide: Mapping[str, str]
    offline_rule: str = ""
    offline_parameters: Mapping[str, Any] = field(default_factory=dict)
    blocking: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "weight": self.weight,
            "pass_mark": self.pass_mark,
            "kind": self.kind,
            "description": self.description,
            "scoring_guide": dict(self.scoring_guide),
            "offline_rule": self.offline_rule,
            "offline_parameters": dict(self.offline_parameters),
            **({"blocking": True} if self.blocking else {}),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "CriterionSnapshot":
        named = {key: raw[key] for key in cls.__dataclass_fields__ if key != "blocking"}
        return cls(**named, blocking=bool(raw.get("blocking")))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleModel:
    """The model of one role (judge, analyzer …) and what answers where it does not. Options are the provider's."""

    provider: str
    model: str
    fallback: "RoleModel | None" = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "provider": self.provider,
            "model": self.model,
            "fallback": self.fallback.as_json() if self.fallback else None,
            "options": dict(self.options),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "RoleModel":
        fallback = raw.get("fallback")
        return cls(
            provider=raw["provider"],
            model=raw["model"],
            fallback=cls.from_json(fallback) if fallback else None,
            options=raw.get("options") or {},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSnapshot:
    """An evaluator config version with everything its scores depend on. `criteria` keeps the version's order."""

    config: str
    version: int
    version_id: UUID
    criteria: tuple[CriterionSnapshot, ...]
    system_prompt_template: str
    llm_config: Mapping[str, RoleModel]
    parameters: Mapping[str, Any]

    @property
    def ref(self) -> str:
        """The version as people and scripts call it: `name@number`."""
        return f"{self.config}@{self.version}"

    def as_json(self) -> dict[str, Any]:
        return {
            "config": self.config,
            "version": self.version,
            "version_id": str(self.version_id),
            "criteria": [criterion.as_json() for criterion in self.criteria],
            "system_prompt_template": self.system_prompt_template,
            "llm_config": {role: model.as_json() for role, model in self.llm_config.items()},
            "parameters": dict(self.parameters),
        }

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "ConfigSnapshot":
        return cls(
            config=raw["config"],
            version=raw["version"],
            version_id=UUID(raw["version_id"]),
            criteria=tuple(CriterionSnapshot.from_json(item) for item in raw["criteria"]),
            system_prompt_template=raw["system_prompt_template"],
            llm_config={role: RoleModel.from_json(model) for role, model in raw["llm_config"].items()},
            parameters=raw["parameters"],
        )
