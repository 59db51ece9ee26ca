"""A prompt that is not live is played by a staging connection of its agent, and never sent to a production address."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from apps.catalog.connections.services.agent_connections import connect_agent
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.models import Agent, PromptLine, PromptVersion
from apps.catalog.prompts.services.recording import make_live, record_prompt_text
from apps.core.errors import BadInput
from apps.core.subject import Subject
from apps.runs.agents.domain.run_connection import RunConnection
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.services.participants import participants_for
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import battles, make_golden, make_scenarios, of, only, play, replays, said

LIVE, DRAFT = "You book haircuts.", "You book haircuts, and say the price first."


@dataclass
class Salon:
    """An A2A agent; keeps the metadata and headers of what it is asked. `echo` is what it says it played."""

    asked: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    echo: str = ""

    def __call__(self, request: Request) -> Answer:
        call = json.loads(request.body)
        self.asked.append(call["params"]["message"].get("metadata"))
        self.headers.append(request.headers)
        message: dict[str, Any] = {"parts": [{"text": "Booked. Goodbye!"}], "metadata": {"conversationEnded": True}}
        if self.echo:
            message["metadata"] = {**message["metadata"], "ratiba_prompt": self.echo}
        return Answer(body=json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": message}).encode())


@dataclass
class Town:
    """The agent `salon` with a production server and a staging one, a live prompt and a draft."""

    production: Salon
    staging: Salon
    production_url: str
    staging_url: str
    live: str
    draft: str

    def connect(self, **more: Any) -> None:
        given = {"prompt_field": "prompt", "prompt_header": "x-prompt", **more}
        url = given.pop("address", self.staging_url)
        connect_agent(agent="salon", kind="a2a", address=url, options={"endpoint": url}, purpose="staging", **given)


@pytest.fixture
def town(tenant: Any) -> Iterator[Town]:
    production, staging = Salon(), Salon()
    with LoopbackServer(production) as one, LoopbackServer(staging) as other:
        save_agent(
            name="salon", kind="a2a", address=one.url, options={"endpoint": one.url}, secrets={"bearer_token": "prod"}
        )
        live = record_prompt_text(name="salon", text=LIVE)
        draft = record_prompt_text(name="salon", text=DRAFT, draft=True)
        make_scenarios()
        yield Town(production, staging, one.url, other.url, live, draft)


def refused(**more: Any) -> BadInput:
    with pytest.raises(BadInput) as error:
        battles(agent="salon", max_turns=2, **more)
    assert not TestRun.objects.exists()
    return error.value


def test_without_a_staging_connection_a_draft_is_refused_and_nothing_is_sent(town: Town) -> None:
    error = refused(prompt=town.draft)
    assert (error.code, error.pointer) == ("no_staging_connection", "/prompt")
    assert "staging" in error.message
    assert town.live in error.message
    assert error.extra == {"agent": "salon", "live": [town.live]}
    make_golden("hello", "Hi", "Hello")
    with pytest.raises(BadInput) as again:
        replays("hello", agent="salon", prompt=town.draft)
    assert again.value.code == "no_staging_connection"
    play()
    assert not town.production.asked


@pytest.mark.parametrize("form", ["text", "version"])
def test_a_draft_reaches_the_staging_server_and_no_other(town: Town, form: str) -> None:
    town.connect(prompt_form=form, secrets={"bearer_token": "test"})
    run = battles(agent="salon", max_turns=2, prompt=town.draft)
    play()
    assert said(only(run), "assistant") == [("assistant", "Booked. Goodbye!")]
    assert town.staging.asked == [{"prompt": DRAFT if form == "text" else town.draft}]
    assert town.staging.headers[0]["x-prompt"] == town.draft
    assert town.staging.headers[0]["authorization"] == "Bearer test"
    assert not town.production.asked
    plan = TestRun.objects.get(pk=run).plan
    assert (plan["prompt_version"], plan["prompt_text"]) == (town.draft, DRAFT)
    assert plan["agent"]["purpose"] == "staging"
    assert town.production_url not in json.dumps(plan)


def test_a_replay_and_a_run_of_the_live_prompt_go_the_same_way(town: Town) -> None:
    town.connect()
    replay = replays(make_golden("hello", "Hi", "Hello"), agent="salon", prompt=town.draft)
    live = battles(agent="salon", max_turns=2, prompt=town.live)
    play()
    assert TestRun.objects.get(pk=replay).plan["transport"] == "a2a"
    assert sorted(one["prompt"] for one in town.staging.asked) == sorted([DRAFT, LIVE])
    assert not town.production.asked
    assert TestRun.objects.get(pk=live).plan["prompt_version"] == town.live


def test_a_run_without_a_prompt_goes_to_production_as_ever_and_holds_no_prompt(town: Town) -> None:
    town.connect()
    run = battles(agent="salon", max_turns=2, subject=Subject(prompt_version=town.draft))
    play()
    assert town.production.asked == [None]
    assert not town.staging.asked
    assert TestRun.objects.get(pk=run).plan["agent"]["connections"] == []


def test_the_live_prompt_needs_no_staging_connection_until_another_is_live(town: Town) -> None:
    run = battles(agent="salon", max_turns=2, prompt=town.live)
    play()
    assert town.production.asked == [None]
    assert TestRun.objects.get(pk=run).plan["prompt_version"] == town.live
    make_live(version=town.draft, by="amina")
    with pytest.raises(BadInput, match="no staging connection"):
        battles(agent="salon", max_turns=2, prompt=town.live)


def test_the_live_prompt_of_another_agent_is_none_of_this_one(town: Town) -> None:
    other = Agent.objects.create(name="spa", kind="a2a", address="http://spa.example", timeout_s=5)
    text = record_prompt_text(name="spa", text="You book massages.")
    assert refused(prompt=text).code == "no_staging_connection"
    PromptLine.objects.filter(name="salon").update(agent=other)
    assert refused(prompt=town.live).code == "no_staging_connection"


def test_a_prompt_that_nobody_recorded_is_not_played(town: Town) -> None:
    town.connect()
    assert refused(prompt="salon@nope").code == "unknown_prompt"
    assert PromptVersion.objects.count() == 2


def test_a_connection_that_came_with_the_run_is_no_way_around(town: Town) -> None:
    town.connect()
    for connection in (
        RunConnection(kind="a2a", address=town.production_url), RunConnection(kind="http", address="http://new.example"),
        RunConnection(kind="pulled"), RunConnection(kind="a2a", address="http://new.example", runner=True),
    ):  # fmt: skip
        assert refused(prompt=town.draft, connection=connection).code == "no_staging_connection"
        stranger = {"agent": "stranger", "scenarios": "all", "connection": connection, "prompt": town.draft}
        with pytest.raises(BadInput, match="no staging connection"):
            battles(**stranger)
    run = battles(
        agent="salon", max_turns=2, prompt=town.draft, connection=RunConnection(kind="a2a", address=town.staging_url)
    )
    play()
    assert TestRun.objects.get(pk=run).plan["agent"]["address"] == town.staging_url
    assert not town.production.asked


def test_a_staging_connection_at_a_production_address_is_refused_when_saved_and_when_played(town: Town) -> None:
    for address in (town.production_url, town.production_url + "/", town.production_url.upper()):
        with pytest.raises(BadInput) as error:
            town.connect(address=address)
        assert error.value.code == "production_address"
    town.connect()
    Agent.objects.filter(name="salon").update(address=town.staging_url)
    assert refused(prompt=town.draft).code == "production_address"


def test_a_staging_server_that_became_production_since_the_plan_was_made_is_sent_nothing(town: Town) -> None:
    town.connect()
    run = battles(agent="salon", max_turns=2, prompt=town.draft)
    Agent.objects.filter(name="salon").update(address=town.staging_url, options={})
    play()
    assert not town.staging.asked
    assert (only(run).status, only(run).error_code) == ("failed", "production_address")


def test_an_agent_that_played_another_prompt_fails_its_conversation_and_lowers_no_score(town: Town) -> None:
    town.connect()
    town.staging.echo = town.live
    run = battles(agent="salon", max_turns=2, prompt=town.draft)
    play()
    conversation = only(run)
    assert (conversation.status, conversation.blame, conversation.error_code) == (
        "failed", "agent_transport", "other_prompt",
    )  # fmt: skip
    assert town.live in conversation.error_message
    assert not said(conversation, "assistant")
    town.staging.echo = town.draft
    again = battles(agent="salon", max_turns=2, prompt=town.draft)
    play()
    assert only(again).status == "ended"


def test_three_of_them_end_the_run(town: Town) -> None:
    town.connect()
    town.staging.echo = town.live
    run = battles(agent="salon", max_turns=2, prompt=town.draft, repeats=8)
    play(concurrency=1)
    assert {one.status for one in of(run)} == {"failed"}
    assert len(town.staging.asked) < 8
    assert not Conversation.objects.exclude(blame="agent_transport").exists()


def test_a_prompted_connection_plays_a_draft_of_an_agent_that_is_reached_otherwise(town: Town) -> None:
    save_model_provider(name="p", kind="openai", base_url=town.staging_url, api_key="k")
    connect_agent(
        agent="salon", kind="prompted", address="", options={"provider": "p", "model": "m", "prompt": "salon"}
    )
    run = TestRun.objects.get(pk=battles(agent="salon", max_turns=2, prompt=town.draft))
    assert run.plan["agent"]["kind"] == "prompted"
    assert participants_for(run).agent.spec.options["prompt_text"] == DRAFT
    town.connect()
    run = TestRun.objects.get(pk=battles(agent="salon", max_turns=2, prompt=town.draft))
    assert (run.plan["agent"]["kind"], run.plan["agent"]["purpose"]) == ("a2a", "staging")


def test_a_draft_of_an_agent_that_is_a_prompt_goes_to_none_of_its_addresses(town: Town) -> None:
    Agent.objects.create(
        name="booker", kind="prompted", options={"prompt": "salon", "provider": "p", "model": "m"}, timeout_s=5
    )
    connect_agent(agent="booker", kind="agentx", address="https://pega.example", options={"agent_name": "@A!B"})
    golden = make_golden("hello", "Hi", "Hello")
    assert TestRun.objects.get(pk=replays(golden, agent="booker")).plan["transport"] == "agentx"
    run = TestRun.objects.get(pk=replays(golden, agent="booker", prompt=town.draft))
    assert (run.plan["transport"], run.plan["agent"]["connections"]) == ("prompted", [])
    with pytest.raises(BadInput, match="none of its connections"):
        replays(golden, agent="booker", prompt=town.draft, transport="agentx")


def test_secrets_of_production_are_not_those_of_staging(town: Town) -> None:
    town.connect()
    run = TestRun.objects.get(pk=battles(agent="salon", max_turns=2, prompt=town.draft))
    assert participants_for(run).agent.spec.secrets == {}
