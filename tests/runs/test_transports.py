"""By which of its connections a replay reaches an agent: chosen when the run starts, refused where it cannot be."""

from typing import Any

import pytest

from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.models import Agent, AgentConnection
from apps.connectors.agents.agentx import AgentXAgent
from apps.connectors.agents.auto import AutoAgent
from apps.core.errors import BadInput, Conflict
from apps.runs.agents.domain.transports import chosen_transport
from apps.runs.models import TestRun
from apps.runs.playing.services.participants import participants_for
from tests.runs.stage import make_agent, make_golden, only, play, replays, said

PEGA = {"agent_name": "@BASECLASS!HelpAgent", "client_id": "ci"}


@pytest.fixture
def golden(tenant: Any) -> str:
    return make_golden("hello", "Hi", "Hello, which day?", "Friday", "Which hour?")


def by(transport: str, **more: Any) -> TestRun:
    return TestRun.objects.get(pk=replays("hello", transport=transport, **more))


@pytest.mark.parametrize(
    "asked, kinds, found",
    [
        ("", ("a2a",), "a2a"),
        ("", ("a2a", "agentx"), "agentx"),  # the brief's default for Pega
        ("", ("scripted", "http"), "scripted"),
        ("a2a", ("agentx", "a2a"), "a2a"),
        ("auto", ("agentx", "a2a"), "auto"),
    ],
)
def test_which_transport_it_is(asked: str, kinds: tuple[str, ...], found: str) -> None:
    assert chosen_transport(asked, kinds, agent="bot") == found


@pytest.mark.parametrize(
    "asked, kinds, words",
    [
        ("agentx", ("a2a",), "is none of its connections"),
        ("auto", ("a2a",), "needs a connection of kind agentx"),
        ("auto", ("agentx", "http"), "needs a connection of kind a2a"),
        ("pigeon", ("a2a",), "is none of its connections"),
    ],
)
def test_what_cannot_be_served_is_refused(asked: str, kinds: tuple[str, ...], words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        chosen_transport(asked, kinds, agent="bot")
    assert (refused.value.code, refused.value.pointer) == ("unknown_transport", "/transport")
    assert refused.value.extra["connections"] == list(kinds)


def test_a_refused_transport_stores_nothing(golden: str) -> None:
    make_agent()
    with pytest.raises(BadInput):
        by("auto")
    assert not TestRun.objects.exists()


def test_a_run_without_a_choice_goes_as_it_always_did(golden: str) -> None:
    make_agent()
    run = by("")
    assert run.plan["transport"] == "scripted"
    play()
    assert said(only(run.pk))[1] == ("assistant", "Hello, which day?")


def test_the_connection_of_the_plan_is_built_with_the_secrets_of_today(golden: str) -> None:
    Agent.objects.create(name="bot", kind="a2a", address="https://a.example.org", timeout_s=60.0)
    connect_agent(agent="bot", kind="agentx", address="https://p.example.org/dx/api/application/v2", options=PEGA,
                  secrets={"client_secret": "old"})  # fmt: skip
    run, auto = by(""), by("auto")
    AgentConnection.objects.update(secrets={"client_secret": "new"})
    agent = participants_for(run).agent
    assert isinstance(agent, AgentXAgent)
    assert (agent.spec.address, agent.spec.secrets) == (
        "https://p.example.org/dx/api/application/v2", {"client_secret": "new"},
    )  # fmt: skip
    assert "new" not in str(run.plan)
    both = participants_for(auto).agent
    assert isinstance(both, AutoAgent)
    assert set(both.spec.connections) == {"agentx", "a2a"}
    assert "new" in both.spec.secrets.values()  # so that error messages can blot it out


def test_secrets_of_another_path_of_the_server_are_not_sent_to_the_plans(golden: str) -> None:
    Agent.objects.create(name="bot", kind="a2a", address="https://a.example.org", timeout_s=60.0)
    connect_agent(agent="bot", kind="agentx", address="https://p.example.org/dx/api/application/v2", options=PEGA,
                  secrets={"client_secret": "old"})  # fmt: skip
    run = by("")
    AgentConnection.objects.update(address="https://p.example.org/moved", secrets={"client_secret": "new"})
    with pytest.raises(Conflict, match="another address"):
        participants_for(run)
