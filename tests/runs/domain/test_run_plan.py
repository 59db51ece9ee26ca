"""A frozen plan comes back as it was stored, whatever version of the house wrote it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from apps.catalog.domain.states import ConnectionPurpose
from apps.runs.domain.run_plan import PlannedAgent, RunPlan

AGENT = {
    "id": "5f0c1f4e-0000-4000-8000-000000000001", "name": "salon", "kind": "a2a", "address": "https://salon.example",
    "options": {"dialect": "1.0"}, "timeout_s": 30.0, "stagger_s": None, "profile": {"chatbot_role": "books"},
    "connections": [{"kind": "http", "address": "https://salon.example/chat", "options": {}, "timeout_s": None}],
}  # fmt: skip
STAGING = {**AGENT, "purpose": "staging", "prompt_field": "prompt", "prompt_header": "", "prompt_form": "text"}
ROLE = {"provider": "offline", "model": "offline-rules"}
PLANS: dict[str, dict[str, Any]] = {
    "battle": {
        "kind": "battle", "simulator": ROLE, "repeats": 2, "seed": 0, "checks_judge": ROLE, "agent": AGENT,
        "left_out": [{"scenario": "s", "persona": "", "why": "no"}], "pull_request": "owner/repo#1",
        "simulator_review": {"mode": "on", "share": 0.5, "model": ROLE}, "stagger_s": [0.0, 2.5],
        "prompt_version": "salon@aaa1111", "prompt_text": "You book haircuts.", "transport": "http",
    },
    "replay": {
        "kind": "replay", "repeats": 1, "transport": "auto", "gate_judge": ROLE, "checks_judge": ROLE, "agent": AGENT,
        "stagger_s": [0, 0],
    },
    "resimulation": {
        "kind": "battle", "simulator": ROLE, "repeats": 1, "seed": 7, "agent": STAGING, "stagger_s": [0, 0],
        "resimulates": [{"name": "g", "number": 1, "version_id": "v", "digest": "d"}],
    },
    "again": {"kind": "battle", "agent": AGENT, "from": "an earlier run", "only": "errored"},
    "import": {"kind": "imported", "name": "", "conversations": 0},
    "probe": {
        "kind": "probe", "simulator": ROLE, "repeats": 1, "seed": 0, "stagger_s": [0.0, 0.0],
        "agent": {"id": None, "name": "probe script", "kind": "scripted", "address": ""},
    },
    "of before": {"agent": {"name": "bot", "kind": "scripted"}, "simulator": ROLE},
    "of a later version": {"kind": "battle", "agent": AGENT, "weather": {"rain": True}, "repeats": 1},
    "empty": {},
}  # fmt: skip


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_comes_back_as_it_was_stored(name: str) -> None:
    stored = PLANS[name]
    again = RunPlan.read(stored).as_json()
    assert json.dumps(again, sort_keys=True) == json.dumps(stored, sort_keys=True)
    assert RunPlan.read(again) == RunPlan.read(stored)


def test_what_is_not_there_is_read_as_nothing() -> None:
    plan = RunPlan.read({"agent": None, "simulator": None, "left_out": None})
    assert (plan.agent, plan.agent_name, plan.agent_profile, plan.reached_by) == (None, "", {}, "")
    assert (plan.simulator, plan.left_out, plan.repeats, plan.seed, plan.stagger_s) == ({}, (), None, None, None)


def test_the_agent_and_the_ways_to_it() -> None:
    plan = RunPlan.read(PLANS["battle"])
    assert (plan.agent_name, plan.agent_profile, plan.reached_by) == ("salon", {"chatbot_role": "books"}, "http")
    assert plan.agent is not None
    assert [(way.kind, way.timeout_s, way.purpose) for way in plan.agent.ways] == [
        ("a2a", 30.0, ConnectionPurpose.PRODUCTION), ("http", None, ConnectionPurpose.PRODUCTION),
    ]  # fmt: skip
    assert RunPlan.read(PLANS["replay"]).reached_by == "auto"
    assert RunPlan.read(PLANS["probe"]).reached_by == "scripted"


def test_only_a_staging_connection_is_sent_the_prompt() -> None:
    given = {"version": "salon@1", "text": "Hello"}
    production = PlannedAgent.read({**STAGING, "purpose": "production"}).own
    assert production.delivery(**given) is None
    assert PlannedAgent.read(AGENT).own.delivery(**given) is None
    sent = PlannedAgent.read(STAGING).own.delivery(**given)
    assert sent is not None
    assert (sent.field, sent.version, sent.text) == ("prompt", "salon@1", "Hello")


def test_part_of_a_run_is_played_under_its_own_plan_and_names_it() -> None:
    stored = PLANS["of a later version"]
    again = replace(RunPlan.read(stored), earlier_run="one", only="failed").as_json()
    assert again == {**stored, "from": "one", "only": "failed"}
