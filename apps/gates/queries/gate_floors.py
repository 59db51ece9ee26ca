"""The floor of an agent's gates."""

from collections.abc import Mapping
from typing import Any

from apps.catalog.configs.queries.versions import find_version
from apps.core.errors import BadInput, Conflict
from apps.gates.domain.gate_floor import NO_FLOOR, HeldFloor
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import GateFloor


def floor_of(agent: str) -> HeldFloor:
    """The floor as it holds now, its config as name@version; NO_FLOOR where nobody set one. Two queries at most. Raises
    Conflict (`floor_unusable`) where its config has no version that judges."""
    row = GateFloor.objects.filter(agent=agent).first()
    return NO_FLOOR if row is None else _read(row)


def gate_floors(*, agent: str = "") -> list[dict[str, Any]]:
    """The floors as the API shows them, by agent; one query, and one for each config."""
    rows = GateFloor.objects.all()
    return [_line(row) for row in (rows.filter(agent=agent) if agent else rows)]


def held_floor(floor: HeldFloor, kind: GateKind) -> dict[str, Any]:
    """Return the minimum policy as a gate stores it; {} without one."""
    if not floor.is_set:
        return {}
    return {
        "evaluator_config": floor.evaluator_config,
        "policy": floor.policy.as_json(kind),
        "budget_usd": floor.budget_usd,
    }


def _read(row: GateFloor) -> HeldFloor:
    config = ""
    if row.evaluator_config:
        try:
            version = find_version(row.evaluator_config)
        except BadInput as error:
            message = f"The floor of {row.agent} names a config that cannot judge: {error.message}. Set another one."
            raise Conflict(message, code="floor_unusable") from error
        config = f"{version.config.name}@{version.number}"
    return HeldFloor(evaluator_config=config, written=row.policy, budget_usd=_usd(row))


def _line(row: GateFloor) -> dict[str, Any]:
    try:
        floor, problem = _read(row), ""
    except Conflict as error:
        floor, problem = HeldFloor(written=row.policy, budget_usd=_usd(row)), error.message
    return {
        "agent": row.agent,
        "evaluator_config": row.evaluator_config,
        "evaluator_config_version": floor.evaluator_config,
        "policy": whole(floor.policy),
        "budget_usd": floor.budget_usd,
        "problem": problem,
    }


def whole(policy: GatePolicy) -> Mapping[str, Any]:
    """Every field; `undecided` is null where it follows from the kind of gate."""
    fields = policy.as_json(GateKind.BLOCKING)
    return {**fields, "undecided": policy.undecided.value if policy.undecided else None}


def _usd(row: GateFloor) -> float | None:
    return None if row.budget_usd is None else float(row.budget_usd)
