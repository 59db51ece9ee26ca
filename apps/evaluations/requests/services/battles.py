"""Starting runs as the tenant's settings want them: its simulator, its stagger."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Required, TypedDict, Unpack

from django.db import transaction

from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.queries.judges import model_in_force, simulator_reviewer
from apps.catalog.connections.queries.providers import model_spec
from apps.core.subject import Subject
from apps.runs.agents.domain.run_connection import RunConnection
from apps.runs.domain.states import Kind
from apps.runs.goldens.domain.sent_golden import SentGoldenFiles
from apps.runs.playing.services.resimulating import start_resimulations
from apps.runs.playing.services.starting import start_battles, start_replays
from apps.runs.services.naming import name_run
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


class RunChoices(TypedDict, total=False):
    """The choices for every kind of run; a choice left out has the default of `runs.services.starting`."""

    agent: Required[str]
    connection: RunConnection | None
    now: Required[datetime]
    repeats: int
    triggered_by: str
    pull_request: str
    subject: Subject
    prompt: str


class CustomerChoices(RunChoices, total=False):
    """The choices for a run in which simulated customers speak."""

    max_turns: int | None
    seed: int


class BattleChoices(CustomerChoices, total=False):
    """The choices for a battle run."""

    scenarios: Required[Sequence[str] | str]
    personas: Sequence[str] | str | None
    catalog: Mapping[str, str]
    of: Kind


class ResimulationChoices(CustomerChoices):
    """The choices for a run in which personas pursue golden sessions freely."""

    golden_sessions: Sequence[str]
    personas: Sequence[str] | str


class ReplayChoices(RunChoices, total=False):
    """The choices for a replay run."""

    golden_sessions: Required[Sequence[str]]
    transport: str
    judge_gates: bool
    goldens: Sequence[SentGoldenFiles]


@transaction.atomic
def battle_run(*, name: str = "", **choices: Unpack[BattleChoices]) -> uuid.UUID:
    """Start battles with the tenant's simulator model, review of its customers, and stagger.

    It does what `runs.services.starting.start_battles` does, and calls the run `name` where that is given. At most nine
    queries more. Raises BadInput (`unknown_provider`, `model_key_missing`) where that model cannot be asked.
    """
    run_id = start_battles(**choices, **_customers())
    name_run(run_id=run_id, name=name)
    return run_id


@transaction.atomic
def resimulation_run(*, name: str = "", **choices: Unpack[ResimulationChoices]) -> uuid.UUID:
    """Start resimulations as `runs.services.resimulating.start_resimulations`.

    The run gets the settings that `battle_run` adds to battles.
    """
    run_id = start_resimulations(**choices, **_customers())
    name_run(run_id=run_id, name=name)
    return run_id


@transaction.atomic
def replay_run(*, name: str = "", **choices: Unpack[ReplayChoices]) -> uuid.UUID:
    """Start replays as `runs.services.starting.start_replays`, with the tenant's stagger.

    The run is called `name` where that is given. One query more.
    """
    run_id = start_replays(**choices, stagger_s=workflow_config(current_slug()).battle_stagger_s)
    name_run(run_id=run_id, name=name)
    return run_id


def _customers() -> dict[str, Any]:
    """The tenant's choices: the model that plays customers, its reviewer, and the time between battles' starts."""
    simulator = model_in_force("simulator")
    model_spec(simulator.provider, simulator.model, simulator.options)
    config = workflow_config(current_slug())
    return {
        "simulator": simulator.as_json(),
        "simulator_review": _review_of(simulator, mode=config.simulator_review, share=config.simulator_review_share),
        "stagger_s": config.battle_stagger_s,
    }


def _review_of(simulator: RoleModel, *, mode: str, share: float) -> dict[str, Any]:
    """Return how simulated customers are reviewed, for the plan. Without another model only the rules review."""
    reviewer = simulator_reviewer(simulator) if mode == "on" and share > 0 and simulator.provider != "offline" else None
    return {"mode": mode, "share": share, **({"model": reviewer.as_json()} if reviewer else {})}
