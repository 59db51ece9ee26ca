"""The least that a gate of an agent asks, held by the server: a repository may ask more, and never less. Pure.

One rule says what is looser, for every field of the policy. A policy that it does not call looser can never turn a fail
by the floor's policy into a pass. Most fields have an order: a larger margin is looser. Where a change in either
direction lets something through (a smaller `alpha` shows fewer losses, a larger one excludes less; a check that is
compared is not asserted, and one that is asserted is not compared), the field must be the floor's.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from apps.core.portable.changes.looser_rules import looser_names
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.policy import MAX_LOOKS, GatePolicy, read_policy

BUDGET = "budget_usd"
CONFIG = "evaluator_config"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFloor:
    """Minimum policy that an agent's gates must keep, as stored.

    `evaluator_config` is `name@version`, "" where any may judge. `written` are the fields of the policy that a person
    set; the others are the defaults. `is_set` is False for an agent without a minimum.
    """

    evaluator_config: str = ""
    written: Mapping[str, Any] = field(default_factory=dict)
    budget_usd: float | None = None
    is_set: bool = True

    @property
    def policy(self) -> GatePolicy:
        """Whole. Two looks may be declared where nothing else was set: they share one chance of error."""
        return read_policy({"looks": MAX_LOOKS, **self.written})


NO_FLOOR = HeldFloor(is_set=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LooserField:
    """One field in which less is asked than the floor has."""

    name: str
    asked: Any
    floor: Any

    @property
    def sentence(self) -> str:
        """The violation as a sentence for people."""
        return f"{self.name} is {shown(self.asked)}, and the floor says {shown(self.floor)}"


def asked_policy(floor: HeldFloor, raw: Any, pointer: str = "/policy") -> GatePolicy:
    """Read a requested policy; the floor fills every field that was left out.
    Raises BadInput with the pointer."""
    if raw is not None and not isinstance(raw, Mapping):
        return read_policy(raw, pointer)
    return read_policy({**floor.written, **{key: one for key, one in (raw or {}).items() if one is not None}}, pointer)


def looser_fields(policy: GatePolicy, floor: GatePolicy, kind: GateKind) -> list[LooserField]:
    """Every field in which `policy` asks less than `floor`, by name; [] where it asks at least as much. Pure."""
    policy_fields, least = asdict(policy), asdict(floor)
    policy_fields["undecided"], least["undecided"] = policy.undecided_for(kind), floor.undecided_for(kind)
    return [
        LooserField(name=name, asked=policy_fields[name], floor=least[name])
        for name in looser_names(policy_fields, least)
    ]


def budget_is_looser(asked: float | None, floor: HeldFloor) -> bool:
    """Tell whether more may be spent than the floor allows; nothing asked takes the floor's."""
    return asked is not None and floor.budget_usd is not None and asked > floor.budget_usd


def shown(value: Any) -> str:
    """A value of the rule as text: compact JSON, words without quotes, 10.0 as 10."""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str):
        return str(value)
    return json.dumps(sorted(value) if isinstance(value, list | tuple) else value, ensure_ascii=False)
