"""`generate_personas --wait` with a real worker: written, rated, played against the scripted agent, judged."""

import json
from dataclasses import replace

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Agent, Persona
from apps.tenants.context import in_public, in_tenant
from apps.tenants.services import update_workflow_config
from ratiba_eval import programs
from tests.journey.conftest import Machine
from tests.personas.persona_model import PersonaModel, persona

ROLES = ("persona_generator", "validator", "simulator")


def test_a_set_of_personas_is_written_and_validated_while_the_command_waits(machine: Machine, fresh_tenant: str):
    faults = {1: "CARICATURE", 2: "PLAYS BADLY"}
    with PersonaModel(lambda slot, tries: persona(slot, fault=faults.get(slot, ""))) as model:
        with in_tenant(fresh_tenant):
            Agent.objects.create(name="booking", kind="scripted")
            url = model.base_url("openai")
            prices = {"prices": {"stub-model": {"input": 1.0, "output": 2.0}}}
            save_model_provider(name="stub", kind="openai", base_url=url, api_key="not-a-key", options=prices)
        with in_public():
            choice = {"provider": "stub", "model": "stub-model"}
            update_workflow_config(slug=fresh_tenant, changes={"models": dict.fromkeys(ROLES, choice)})
        program = programs.worker("all", concurrency=2)
        machine.supervisor.start(replace(program, env={**program.env, **machine.env}), restart=False)
        done = machine.command(
            "generate_personas", "--tenant", fresh_tenant, "--agent", "booking", "--languages", "en,sw", "--goals",
            "book a haircut", "--tempers", "calm,impatient", "--wait", "--timeout", "100", "--json", timeout_s=120,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {name: n for name, n in answer["counts"].items() if n} == {"validated": 2, "rejected": 2}
    why = {one["name"]: one["why"] for one in answer["personas"]}
    assert "naturalness" in why["Persona 1"]
    assert "did not behave as written" in why["Persona 2"]
    with in_tenant(fresh_tenant):
        assert not Persona.objects.filter(may_play=True).exists(), "a curator has released none yet"
