"""The floor of an agent's gates, held before anything is played: what asks less would be refused afterwards."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_ratiba.ci.scope import ProjectChange
from pytest_ratiba.ci.settings import read_gate_settings
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.portable.changes.looser_rules import looser_names
from pytest_ratiba.portable.changes.matrix import GateNeed


def held_to_floor(change: ProjectChange, floor: Mapping[str, Any]) -> ProjectChange:
    """Judged by the floor's config, where it names one; its budget, where the project names none. Where the rule of the
    merge base asks less than the floor and the commit's own does not, the commit repairs it, and its own decides.
    Raises `ProjectError` where both ask less."""
    ref, usd, change = str(floor["evaluator_config"]), floor["budget_usd"], with_floors_budget(change, floor)
    judged, settings = {**change.judged, **({"evaluator_config": ref} if ref else {})}, change.settings
    if usd is not None and settings.budget_usd > float(usd):
        spent = f"the budget is ${settings.budget_usd:g}, and the floor of the agent's gates ${usd:g}"
        raise ProjectError(f"{spent}: {_DO}")
    looser = _looser(settings.policy, floor, change.scope.need)
    if looser:
        own = read_gate_settings(change.project, change.agents).policy
        if _looser(own, floor, change.scope.need):
            asked = ", ".join(f"{name} {settings.policy[name]}, floor {floor['policy'][name]}" for name in looser)
            raise ProjectError(f"the rule asks less than the floor of the agent's gates ({asked}): {_DO}")
        settings = replace(settings, policy=own)
    return replace(change, judged=judged, settings=settings)


def with_floors_budget(change: ProjectChange, floor: Mapping[str, Any]) -> ProjectChange:
    """The change with the floor's budget, where the project names none."""
    if floor["budget_usd"] is None or change.settings.chosen_usd is not None:
        return change
    return replace(change, settings=replace(change.settings, budget_usd=float(floor["budget_usd"])))


_DO = "ask as much in `gate:`, or have a curator change it under Results → Floors"


def _looser(policy: Mapping[str, Any], floor: Mapping[str, Any], need: GateNeed) -> list[str]:
    usual = "pass" if need is GateNeed.ADVISORY else "block"
    least = {**floor["policy"], "undecided": floor["policy"]["undecided"] or usual}
    return looser_names({**least, **policy}, least)
