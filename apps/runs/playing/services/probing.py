"""Starting the probe dialogues of a persona: frozen here, played by the same workers as battles."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from apps.runs.domain.run_plan import PlannedAgent, RunPlan
from apps.runs.domain.states import Kind
from apps.runs.playing.services.run_rows import store_run

# The plan's agent has no row: each dialogue brings its own script (services.players.probe).
SCRIPTED_AGENT: Mapping[str, Any] = {"id": None, "name": "probe script", "kind": "scripted", "address": ""}


def start_probes(
    *,
    persona: Mapping[str, Any],
    scripts: Mapping[str, Mapping[str, Any]],
    simulator: Mapping[str, Any],
    max_turns: int,
    now: datetime,
) -> uuid.UUID:
    """Start a run of kind `probe` with one dialogue for each script; return the run's id."""
    agent = PlannedAgent.read(SCRIPTED_AGENT)
    plan = RunPlan(kind=Kind.PROBE, simulator=simulator, repeats=1, seed=0, stagger_s=(0.0, 0.0), agent=agent)
    return store_run(
        kind=Kind.PROBE,
        name=f"probe of {persona['persona_name']}",
        plan=plan.as_json(),
        conversations=[
            (probe, {**persona, "script": dict(script), "opening": "", "max_turns": max_turns, "seed": position})
            for position, (probe, script) in enumerate(scripts.items())
        ],
        triggered_by="persona validation",
        now=now,
    )
