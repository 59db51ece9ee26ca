"""Starting re-simulations: battles whose goal, opening and language a golden session gives, and a persona plays."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.budgets.domain.scopes import pull_request_name
from apps.catalog.configs.queries.judges import model_in_force
from apps.catalog.goldens.domain.session import GoldenSnapshot
from apps.catalog.goldens.queries.versions import current_goldens
from apps.catalog.models import Persona
from apps.catalog.personas.domain.spec import played_words
from apps.core.errors import BadInput
from apps.core.subject import UNNAMED, Subject
from apps.runs.agents.domain.run_connection import RunConnection
from apps.runs.agents.services.run_agent import agent_of_run
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import Kind
from apps.runs.goldens.domain.checks import JUDGED_CHECKS
from apps.runs.goldens.services.plan import golden_spec
from apps.runs.playing.domain.resimulation import goal_of, most_messages_of, opening_of
from apps.runs.playing.services.run_choices import (
    check_counts,
    numbered,
    personas_named,
    refuse_other_languages,
    refuse_unfit,
    refuse_unknown_goldens,
    sharing_a_language,
    store_planned,
)


def start_resimulations(
    *,
    agent: str,
    connection: RunConnection | None = None,
    golden_sessions: Sequence[str],
    personas: Sequence[str] | str,
    simulator: Mapping[str, Any],
    stagger_s: tuple[float, float],
    now: datetime,
    repeats: int = 1,
    max_turns: int | None = None,
    triggered_by: str = "",
    pull_request: str = "",
    seed: int = 0,
    simulator_review: Mapping[str, Any] | None = None,
    subject: Subject = UNNAMED,
    prompt: str = "",
) -> uuid.UUID:
    """Freeze a battle run: each golden session is pursued freely by each persona, `repeats` times.

    The current version gives goal, opening and language, its variables filled as in a replay; the plan names it under
    `resimulates`, and each conversation keeps it whole for the report. The four judged checks are asked. Raises
    BadInput as `start_battles` and `start_replays`; nothing is stored then. Eight queries. Every call makes a run.
    """
    check_counts(repeats, max_turns)
    row, goldens = agent_of_run(agent, connection, prompt=prompt), _goldens(golden_sessions)
    pairs, left_out = _pairs(goldens, personas_named(personas), leave_out=personas == "eligible")
    specs = {golden.name: golden_spec(golden, agent_profile=row.snapshot["profile"], now=now) for golden in goldens}
    conversations = [
        (numbered(f"{golden.name}×{persona.name}", repeat, repeats),
         _spec(specs[golden.name], persona, max_turns) | {"seed": seed + repeat, "repeat": repeat})
        for repeat in range(repeats) for golden, persona in pairs
    ]  # fmt: skip
    plan = RunPlan(kind=Kind.BATTLE, simulator=simulator, repeats=repeats, seed=seed, resimulates=_named(goldens),
                   simulator_review=simulator_review or {}, pull_request=pull_request_name(pull_request),
                   checks_judge=model_in_force("judge").as_json(), left_out=tuple(left_out))  # fmt: skip
    title = f"re-simulation of {', '.join(golden.name for golden in goldens)} with {row.name}"
    ids = {persona.name: persona.pk for _, persona in pairs}
    return store_planned(Kind.BATTLE, row, plan, conversations, stagger_s, triggered_by, subject, now, ids, title)


def _pairs(
    goldens: Sequence[GoldenSnapshot], personas: Sequence[Persona], *, leave_out: bool
) -> tuple[list[tuple[GoldenSnapshot, Persona]], list[dict[str, str]]]:
    """The pairs of golden session and persona. Pairs without a common language are left out with `leave_out`, else
    refused."""
    refuse_unfit(personas)
    pairs = [(golden, persona) for golden in goldens for persona in personas]
    if leave_out:
        return sharing_a_language(pairs, _named_with_language)
    refuse_other_languages([(*_named_with_language(golden), persona) for golden, persona in pairs])
    return pairs, []


def _named_with_language(golden: GoldenSnapshot) -> tuple[str, str]:
    return golden.name, str(golden.document.get("language") or "")


def _goldens(names: Sequence[str]) -> list[GoldenSnapshot]:
    """The current version of each, once. Raises BadInput."""
    if not names:
        raise BadInput("Name at least one golden session.", pointer="/golden_sessions")
    by_name = current_goldens(names)
    missing = [name for name in names if name not in by_name]
    refuse_unknown_goldens(missing)
    return [by_name[name] for name in dict.fromkeys(names)]


def _named(goldens: Sequence[GoldenSnapshot]) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"name": golden.name, "number": golden.number, "version_id": golden.version_id, "digest": golden.digest}
        for golden in goldens
    )


def _spec(golden: Mapping[str, Any], persona: Persona, max_turns: int | None) -> dict[str, Any]:
    """The frozen definition of one battle: `golden` holds the expectations that a replay of the session would have."""
    document = golden["golden"]["document"]
    spec = {
        **golden,
        "persona_name": persona.name,
        "persona": played_words(persona.text, persona.spec),
        "goal": goal_of(document),
        "opening": opening_of(document),
        "language": golden["language"] or persona.language,
        "max_turns": max_turns or most_messages_of(document),
        "assertions": [{"metric": name} for name in JUDGED_CHECKS],
    }
    return spec | ({"persona_spec": persona.spec} if persona.spec else {})
