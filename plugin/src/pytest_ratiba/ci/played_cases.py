"""Choose the scenarios that a gate plays, and the agent of each.
The scenarios of the merge base come first, as they stood there, then the new ones."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_ratiba.agents import read_agents
from pytest_ratiba.collecting import all_scenarios
from pytest_ratiba.config import Project, read_project
from pytest_ratiba.digests import digest_of
from pytest_ratiba.scenarios import ScenarioSource, ScenarioVariant


@dataclass(frozen=True, kw_only=True)
class GatedScenarios:
    """`scenarios` decide. `altered` are names of those that the commit has otherwise than they decide."""

    scenarios: tuple[ScenarioVariant, ...]
    altered: tuple[str, ...] = ()


def gated_scenarios(project: Project, before: Path | None, agents: Collection[str]) -> GatedScenarios:
    """Those of a project whose agents these are, held to the merge base's project in the folder `before`. Raises
    `ProjectError` for what cannot be read."""
    now = all_scenarios(project)
    if before is None:
        return GatedScenarios(scenarios=now.scenarios)
    stood = read_project(before)
    held = owned(all_scenarios(stood), read_agents(stood), agents)
    return GatedScenarios(scenarios=merged(held, now).scenarios, altered=altered_scenarios(held, now))


def altered_scenarios(before: ScenarioSource, now: ScenarioSource) -> tuple[str, ...]:
    """Names of scenarios that stand in both and are not played alike: by definition, assertions, rows, or the words of
    their persona. Whose they are (`agent:`) is no part of what is played."""
    stood, own = _played_as(before), _played_as(now)
    return tuple(name for name in stood if name in own and stood[name] != own[name])


def _played_as(source: ScenarioSource) -> dict[str, str]:
    personas = {
        entry_name(persona): persona
        for part in source.sections
        for persona in part.get("personas") or ()
        if isinstance(persona, dict)
    }
    return {
        case.id: digest_of(
            [case.document, list(case.assertions), case.context, personas.get(str(case.document.get("persona") or ""))]
        )
        for case in source.scenarios
    }


def merged(before: ScenarioSource, now: ScenarioSource) -> ScenarioSource:
    """Merge the scenarios of the merge base, as they stood there, with the new ones, as they are now.
    Of two personas with one name, that of the merge base is kept."""
    known = {case.id for case in before.scenarios}
    new = [case for case in now.scenarios if case.id not in known]
    names = {(kind, entry_name(row)) for part in before.sections for kind, rows in part.items() for row in rows or ()}
    added = [
        {kind: [row for row in rows or () if (kind, entry_name(row)) not in names] for kind, rows in part.items()}
        for part in now.sections
    ]
    kept = [{kind: entries for kind, entries in part.items() if entries} for part in added]
    return ScenarioSource(
        scenarios=(*before.scenarios, *new), sections=(*before.sections, *(part for part in kept if part))
    )


def owned(before: ScenarioSource, agents: Collection[str], now: Collection[str]) -> ScenarioSource:
    """The merge base's scenarios with its only agent's name, where they name none: a change that adds a second agent
    does not take them away from the first. `now` are the agents there are."""
    only = next(iter(agents)) if len(agents) == 1 else ""
    if only not in now:
        return before
    scenarios = tuple(case if case.agent else replace(case, agent=only) for case in before.scenarios)
    return replace(before, scenarios=scenarios)


def entry_name(entry: Any) -> str:
    """Return the name or id of an entry that stands beside the scenarios."""
    return str(entry.get("name") or entry.get("id") or "") if isinstance(entry, dict) else str(entry)
