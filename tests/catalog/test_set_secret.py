"""`set_secret`: a pipeline enters secrets, and no secret stands in a command line, an output or an error."""

import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.models import Agent, AgentConnection, ModelProvider
from apps.runs.agents.services.checking_agent import Outcome, check_agent
from tests.catalog.samples import NOW
from tests.loopback.http_server import Answer, LoopbackServer

VALUE = "s3cret-t0ken-of-a-pipeline"
HEADERS = {"headers": {"authorization": "Bearer {{ secret.token }}"}}


@pytest.fixture
def entered(tenant: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*words: str, stdin: str = f"{VALUE}\n") -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        out = io.StringIO()
        try:
            call_command("set_secret", "--tenant", tenant, *words, stdout=out)
            said = out.getvalue()
        except CommandError as error:
            said = f"refused, exit {error.returncode}: {error}"
        assert VALUE not in said + "".join(capsys.readouterr())
        return said

    return call


def test_an_agents_secret_comes_from_standard_input_beside_those_it_has(entered: Any) -> None:
    save_agent(name="bot", kind="http", address="https://agent.example/", options=HEADERS, secrets={"other": "kept"})
    assert entered("--agent", "bot", "token") == "stored: the secret token of agent bot\n"
    assert dict(Agent.objects.get().secrets) == {"other": "kept", "token": VALUE}
    assert json.loads(entered("--agent", "bot", "token", "--json"))["secrets"] == ["other", "token"]
    with connection.cursor() as cursor:
        cursor.execute("SELECT secrets FROM catalog_agent")
        assert VALUE not in cursor.fetchone()[0], "encrypted"


def test_a_providers_key_and_a_connections_secret_come_from_the_environment(
    entered: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model_provider(name="own", kind="openai", base_url="https://models.example/v1")
    save_agent(name="bot", kind="a2a", address="https://agent.example/")
    connect_agent(agent="bot", kind="http", address="https://agent.example/chat")
    monkeypatch.setenv("PIPELINE_KEY", VALUE)
    assert entered("--provider", "own", "--env", "PIPELINE_KEY", stdin="") == "stored: the key of model provider own\n"
    entered("--agent", "bot", "token", "--connection", "http", "--env", "PIPELINE_KEY", stdin="")
    assert ModelProvider.objects.get().api_key.reveal() == VALUE
    assert dict(AgentConnection.objects.get().secrets) == {"token": VALUE}
    assert dict(Agent.objects.get().secrets) == {}


def test_a_staging_connections_secret_is_entered_apart_from_that_of_production(entered: Any) -> None:
    save_agent(name="bot", kind="a2a", address="https://agent.example/", secrets={"token": "production"})
    assert "has no staging connection" in entered("--agent", "bot", "token", "--connection", "a2a", "--staging")
    connect_agent(agent="bot", kind="a2a", address="https://staging.example/", purpose="staging", prompt_field="prompt")
    assert "which staging connection?" in entered("--agent", "bot", "token", "--staging")
    entered("--agent", "bot", "token", "--connection", "a2a", "--staging")
    assert dict(AgentConnection.objects.get().secrets) == {"token": VALUE}
    assert dict(Agent.objects.get().secrets) == {"token": "production"}


@pytest.mark.parametrize(
    "words, stdin, said",
    [
        (("--agent", "nobody", "token"), VALUE, "there is no agent named 'nobody'"),
        (("--provider", "nobody"), VALUE, "there is no model provider named 'nobody'"),
        (("--agent", "bot"), VALUE, "which secret?"),
        (("--agent", "bot", "to ken"), VALUE, "is no name of a secret"),
        (("--agent", "bot", "token"), "\n", "the secret is empty: nothing was stored"),
        (("--agent", "bot", "token", "--env", "NOT_THERE"), VALUE, "the variable NOT_THERE is not set"),
        (("--agent", "bot", "token", "--connection", "a2a"), VALUE, "has no connection of the kind 'a2a'"),
        (("--provider", "own", "token"), VALUE, "has one key"),
    ],
)
def test_wrong_use_is_exit_2_with_a_sentence(entered: Any, words: tuple[str, ...], stdin: str, said: str) -> None:
    save_agent(name="bot", kind="http", address="https://agent.example/")
    answer = entered(*words, stdin=stdin)
    assert said in answer
    assert answer.startswith("refused, exit 2: ") or "there is no" in said or "has no" in said
    assert dict(Agent.objects.get().secrets) == {}


def test_a_secret_that_is_not_entered_is_named_by_the_import_and_by_the_agents_test(tenant: str, entered: Any) -> None:
    with LoopbackServer(lambda request: Answer(body=b'{"reply": "Hello"}')) as server:
        text = json.dumps({"agents": [{"name": "bot", "kind": "http", "address": server.url, "options": HEADERS}]})
        notes = import_catalog_text(text=text, file="c.yaml", at=NOW).notes
        remedy = "the secret 'token' is not entered: set_secret --agent {} token"
        assert [note for note in notes if remedy.format("bot") in note]
        agent = Agent.objects.get()
        checked = check_agent(agent_id=agent.pk, conversation=agent.pk)
        assert checked.outcome is Outcome.MISCONFIGURED
        assert checked.error.startswith(remedy.format("NAME"))
        entered("--agent", "bot", "token")
        assert check_agent(agent_id=agent.pk, conversation=agent.pk).outcome is Outcome.ANSWERED
        assert import_catalog_text(text=text, file="c.yaml", at=NOW).notes == []
