"""Starting battle and replay runs: the plan is frozen here, workers play it later."""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from itertools import chain, product
from types import MappingProxyType
from typing import Any

from apps.budgets.domain.scopes import pull_request_name
from apps.catalog.configs.queries.judges import OFFLINE, model_in_force
from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.goldens.queries.versions import current_goldens
from apps.catalog.models import Persona, Scenario
from apps.catalog.personas.domain.spec import played_words, read_persona_spec
from apps.catalog.scenarios.domain.assertions import frozen_assertions
from apps.catalog.scenarios.queries.default_personas import default_persona_of, give_default_personas
from apps.core.errors import BadInput
from apps.core.subject import UNNAMED, Subject
from apps.runs.agents.domain.run_connection import RunConnection
from apps.runs.agents.domain.transports import AUTO, chosen_transport
from apps.runs.agents.services.run_agent import RunAgent, agent_of_run
from apps.runs.domain.run_plan import RunPlan
from apps.runs.domain.states import Kind
from apps.runs.domain.synthetic_values import FILLS
from apps.runs.goldens.domain.sent_golden import SentGoldenFiles
from apps.runs.goldens.services.plan import golden_spec
from apps.runs.playing.services.run_catalog import catalog_of_run, goldens_of_run
from apps.runs.playing.services.run_choices import (
    check_counts,
    numbered,
    personas_named,
    refuse_other_languages,
    refuse_unfit,
    refuse_unknown,
    refuse_unknown_goldens,
    sharing_a_language,
    store_planned,
)
from apps.runs.sealed_scenarios import refuse_sealed_scenarios, sealed_scenarios

NO_FILES: Mapping[str, str] = MappingProxyType({})


def start_battles(
    *,
    agent: str,
    scenarios: Sequence[str] | str,
    connection: RunConnection | None = None,
    catalog: Mapping[str, str] = NO_FILES,
    simulator: Mapping[str, Any],
    stagger_s: tuple[float, float],
    now: datetime,
    personas: Sequence[str] | str | None = None,
    repeats: int = 1,
    max_turns: int | None = None,
    triggered_by: str = "",
    pull_request: str = "",
    seed: int = 0,
    simulator_review: Mapping[str, Any] | None = None,
    subject: Subject = UNNAMED,
    prompt: str = "",
    of: Kind | None = None,
) -> uuid.UUID:
    """Freeze a battle run: every scenario with its own persona, or with each of the personas named.

    Of "all" scenarios those play whose own persona may; the others stand in the plan as `left_out`. `connection` and
    `prompt` are of `agent_of_run`; `catalog` are YAML files that count for this run alone. `simulator` is {"provider",
    "model", "fallback"?}; `simulator_review` {"mode": on, rules or off, "share": 0-1, "model"?}, None: not at all.
    `of`: the run's kind where it is another. Raises BadInput (`unknown_…`, `persona_not_eligible`). Six queries.
    """
    check_counts(repeats, max_turns)
    row, conversations = agent_of_run(agent, connection, prompt=prompt), []
    with catalog_of_run(catalog, now=now) as brought:
        pairs, left_out = _chosen_pairs(scenarios, personas, _sealed(prompt, subject, of), leave_out=of is not None)
    for repeat, (scenario, persona) in product(range(repeats), pairs):
        name = numbered(scenario.slug if personas is None else f"{scenario.slug}×{persona.name}", repeat, repeats)
        spec = _battle_spec(scenario, persona, max_turns=max_turns, seed=seed, repeat=repeat)
        conversations.append((name, spec | _persona_of_run(persona, brought.personas)))
    ids = {one.name: one.pk for _, one in pairs if one.name not in brought.personas}
    plan = RunPlan(kind=Kind.BATTLE, simulator=simulator, repeats=repeats, seed=seed, left_out=tuple(left_out),
                   simulator_review=simulator_review or {}, pull_request=pull_request_name(pull_request),
                   checks_judge=_judge_of_checks(conversations))  # fmt: skip
    return store_planned(Kind.BATTLE, row, plan, conversations, stagger_s, triggered_by, subject, now, ids, of=of)


def _sealed(prompt: str, subject: Subject, of: Kind | None) -> Collection[str]:
    """The scenarios of the played or tested prompts that only a trial may play."""
    return sealed_scenarios(prompt, subject.prompt_version) if of is None else ()


def _persona_of_run(persona: Persona, brought: Collection[str]) -> dict[str, Any]:
    return {"persona_of_run": True} if persona.name in brought else {}


def _chosen_pairs(
    scenarios: Sequence[str] | str,
    personas: Sequence[str] | str | None,
    sealed: Collection[str],
    *,
    leave_out: bool,
) -> tuple[list[tuple[Scenario, Persona]], list[dict[str, str]]]:
    """The pairs of scenario and persona, and the scenarios of "all" that are left out, each with its reason.
    `leave_out`: pairs without a common language are left out too, where a program chose the scenarios."""
    if not isinstance(scenarios, str):
        scenarios = _matched(scenarios, sealed)
        refuse_sealed_scenarios(scenarios, sealed)
    chosen, left_out = (
        [scenario for scenario in _scenarios(scenarios) if scenario.slug not in sealed],
        list[dict[str, str]](),
    )
    if personas is None:
        give_default_personas(chosen)
    if scenarios == "all" and personas is None:
        chosen, left_out = _playable(chosen)
    pairs = _pairs(chosen, personas)
    if leave_out or scenarios == "all" or personas == "eligible":
        pairs, others = sharing_a_language(pairs, lambda one: (one.slug, one.language))
        left_out += others
    else:
        refuse_other_languages([(scenario.slug, scenario.language, persona) for scenario, persona in pairs])
    return pairs, left_out


def _judge_of_checks(conversations: Sequence[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The judge for assertions, frozen like the rest; empty where no scenario asserts anything."""
    asserted = any("assertions" in spec for _, spec in conversations)
    return model_in_force("judge").as_json() if asserted else {}


def _battle_spec(scenario: Any, persona: Any, *, max_turns: int | None, seed: int, repeat: int) -> dict[str, Any]:
    """The frozen definition of one battle."""
    spec = {
        "scenario": scenario.slug,
        "persona_name": persona.name,
        "persona": played_words(persona.text, persona.spec),
        "goal": scenario.goal or read_persona_spec(persona.spec).goal.text,
        "opening": scenario.opening,
        "language": scenario.language or persona.language,
        "max_turns": max_turns or scenario.max_turns,
        "seed": seed + repeat,
        "repeat": repeat,
    }
    spec |= {"persona_spec": persona.spec} if persona.spec else {}
    more = {"script": scenario.script, "must_not": scenario.must_not, "family": scenario.family}
    more |= {FILLS: "conversation_id" in scenario.provenance}  # what was masked there is filled when it is played
    return spec | {name: value for name, value in more.items() if value} | frozen_assertions(scenario.assertions)


def start_replays(
    *,
    agent: str,
    golden_sessions: Sequence[str],
    connection: RunConnection | None = None,
    goldens: Sequence[SentGoldenFiles] = (),
    stagger_s: tuple[float, float],
    now: datetime,
    transport: str = "",
    repeats: int = 1,
    judge_gates: bool = True,
    triggered_by: str = "",
    pull_request: str = "",
    subject: Subject = UNNAMED,
    prompt: str = "",
) -> uuid.UUID:
    """Freeze a replay run: each golden session's current version, whole, its variables filled from identity and `now`.

    `connection` as of `start_battles`; `goldens` are golden sessions that came with the run and count for it alone.
    `transport` is agentx, a2a, http or auto; "" the agent's own way, agentx where it has that. `judge_gates`: where a
    model judges, it is asked once about a reply that does not open its gate, before the agent is nudged.

    Raises BadInput: `unknown_agent`, `unknown_transport` (none of its connections serves it), `unknown_golden_sessions`
    (also where no version is approved), `no_user_turns`, `missing_identity`. Costs seven queries.
    """
    check_counts(repeats, None)
    if not golden_sessions:
        raise BadInput("Name at least one golden session.", pointer="/golden_sessions")
    row = agent_of_run(agent, connection, prompt=prompt)
    transport = _transport_of(row, connection, transport, agent=agent)
    by_name = current_goldens(golden_sessions) | goldens_of_run(goldens, now=now)
    refuse_unknown_goldens([golden_session for golden_session in golden_sessions if golden_session not in by_name])
    profile = row.snapshot["profile"]
    specs = {name: golden_spec(golden, agent_profile=profile, now=now) for name, golden in by_name.items()}
    played = product(range(repeats), dict.fromkeys(golden_sessions))
    conversations = [(numbered(name, at, repeats), {**specs[name], "repeat": at}) for at, name in played]
    judges = _judges_of_replays(judge_gates=judge_gates)
    pull_request = pull_request_name(pull_request)
    plan = RunPlan(kind=Kind.REPLAY, repeats=repeats, transport=transport, pull_request=pull_request, **judges)
    return store_planned(Kind.REPLAY, row, plan, conversations, stagger_s, triggered_by, subject, now)


def _judges_of_replays(*, judge_gates: bool) -> dict[str, Any]:
    """The judges of replays, frozen like the rest. Rules cannot say whether two replies do the same. Two queries."""
    judge = model_in_force("judge")
    plan_fields = {"gate_judge": judge.as_json()} if judge_gates and judge.provider != OFFLINE.provider else {}
    return {"checks_judge": judge.as_json(), **plan_fields}


def _transport_of(row: RunAgent, connection: RunConnection | None, transport: str, *, agent: str) -> str:
    if row.row_id is None and connection is not None and transport in (AUTO, connection.kind):
        transport = ""  # there is one way, and it came with the run
    return chosen_transport(transport or row.transport, row.kinds, agent=agent)


def _matched(ids: Sequence[str], sealed: Collection[str]) -> list[str]:
    """Return the ids, with those that match in the place of a pattern (`attack_*_sw`).

    They are all that may play, but for the sealed, as "all" leaves them out. A pattern of nothing stays, and is
    unknown. One query where one holds a `*`.
    """
    if not any("*" in pk for pk in ids):
        return list(ids)
    slugs = Scenario.objects.playable().exclude(slug__in=list(sealed)).order_by("slug").values_list("slug", flat=True)
    playable = list(slugs)
    matched = ([slug for slug in playable if "*" in pk and fnmatchcase(slug, pk)] or [pk] for pk in ids)
    return list(dict.fromkeys(chain.from_iterable(matched)))


def _scenarios(ids: Sequence[str] | str) -> list[Scenario]:
    every = Scenario.objects.select_related("persona").order_by("slug")
    if ids == "all":
        scenarios = list(every.playable())
        if not scenarios:
            raise BadInput("There are no scenarios yet.", code="unknown_scenarios", pointer="/scenarios")
        return scenarios
    if isinstance(ids, str) or not ids:
        raise BadInput('Name scenarios in a list, or say "all".', pointer="/scenarios")
    by_slug = {scenario.slug: scenario for scenario in every.filter(slug__in=list(ids))}
    refuse_unknown("scenarios", "scenario", [slug for slug in ids if slug not in by_slug])
    _refuse_unreleased(by_slug[slug] for slug in ids)
    return [by_slug[slug] for slug in dict.fromkeys(ids)]


def _refuse_unreleased(scenarios: Iterable[Scenario]) -> None:
    waiting = [scenario for scenario in scenarios if scenario.status != ScenarioStatus.RELEASED]
    if waiting:
        named = ", ".join(f"{scenario.slug} is {scenario.status}" for scenario in waiting[:5])
        raise BadInput(
            f"Only released scenarios are played: {named}. A person releases them on their page.",
            code="scenario_not_released",
            pointer="/scenarios",
            scenario=waiting[0].slug,
            status_now=waiting[0].status,
        )


def _playable(scenarios: Sequence[Scenario]) -> tuple[list[Scenario], list[dict[str, str]]]:
    """Scenarios whose own persona may play, and why the others are left out. Raises BadInput where none may."""
    playable, left_out = list[Scenario](), list[dict[str, str]]()
    for scenario in scenarios:
        persona = scenario.persona
        if persona is not None and persona.may_play:
            playable.append(scenario)
            continue
        why = _no_persona(scenario) if persona is None else f"persona {persona.name} is {persona.why_not()}"
        left_out.append({"scenario": scenario.slug, "persona": persona.name if persona else "", "why": why})
    if not playable:
        reasons = "; ".join(f"{one['scenario']}: {one['why']}" for one in left_out[:5])
        unfit = next((one.persona for one in scenarios if one.persona is not None), None)
        raise BadInput(
            f"No scenario has a persona that may play ({reasons}).",
            code="persona_not_eligible",
            pointer="/personas",
            persona=unfit.name if unfit else "",
            status_now=unfit.status if unfit else "",
        )
    return playable, left_out


def _no_persona(scenario: Scenario) -> str:
    default = default_persona_of(scenario.language)
    return f"has no persona of its own, and there is no {default}" if default else "has no persona of its own"


def _pairs(scenarios: Sequence[Scenario], personas: Sequence[str] | str | None) -> list[tuple[Scenario, Persona]]:
    if personas is None:
        pairs = []
        for scenario in scenarios:
            if scenario.persona is None:
                raise BadInput(
                    f"Scenario {scenario.slug!r} {_no_persona(scenario)}: name one in it, or personas for the run.",
                    pointer="/scenarios",
                )
            pairs.append((scenario, scenario.persona))
    else:
        pairs = list(product(scenarios, personas_named(personas)))
    refuse_unfit(persona for _scenario, persona in pairs)
    return pairs
