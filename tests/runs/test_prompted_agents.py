"""Runs against an agent that is a prompt: the version that was frozen is played, and every call of it is paid for."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from apps.budgets.domain.purpose import Purpose
from apps.budgets.models import ModelCall
from apps.catalog.connections.services.storing import save_agent, save_model_provider
from apps.catalog.models import Agent
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.errors import BadInput
from apps.core.subject import Subject
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.models import TestRun
from apps.runs.playing.services import control
from apps.runs.playing.services.participants import participants_for
from apps.runs.playing.services.reservations import cost_at_most
from tests.evaluations.bench import make_config
from tests.evaluations.test_commands import run_command
from tests.loopback import formats
from tests.loopback.providers import ModelProvider
from tests.runs.stage import (
    NOW,
    at,
    battles,
    make_agent,
    make_golden,
    make_scenarios,
    of,
    only,
    play,
    replays,
    said,
    status,
)

TOOLS = [{"name": "free_slots", "answers": [{"result": {"slots": ["10:00"]}}]}]


@pytest.fixture
def speaker(tenant: str) -> Iterator[ModelProvider]:
    """The agent's model; the agent `booker` is prompt `greeting` spoken by it."""
    with ModelProvider("Friday at ten is free.") as server:
        save_model_provider(
            name="speaker", kind="openai", base_url=server.base_url("openai"), api_key="k",
            options={"prices": {"*": {"input": 1, "output": 2}}},
        )  # fmt: skip
        record_prompt_text(name="greeting", text="You book haircuts.", revision="aaa1111")
        save_agent(name="booker", kind="prompted", address="", options=settings())
        yield server


def settings(**more: Any) -> dict[str, Any]:
    return {"prompt": "greeting", "provider": "speaker", "model": "m-1", "tools": TOOLS, **more}


def battle(**more: Any) -> Any:
    make_scenarios()
    return battles(agent="booker", max_turns=2, **more)


def test_it_is_played_with_nothing_deployed(speaker: ModelProvider) -> None:
    speaker.script(formats.tool_answer("openai", ("free_slots", {"day": "friday"}), model="m-1"))
    run = battle()
    play()
    control.finish_runs(now=NOW)
    assert status(run) == "completed"
    assert said(only(run)) == [
        ("user", "Hi, a haircut please."),
        ("assistant", ""),
        ("tool", '{"slots": ["10:00"]}'),
        ("assistant", "Friday at ten is free."),
    ]
    assert speaker.last_body["messages"][0] == {"role": "system", "content": "You book haircuts."}


def test_every_call_of_it_stands_in_the_ledger(speaker: ModelProvider) -> None:
    speaker.script(formats.tool_answer("openai", ("free_slots", {"day": "friday"}), model="m-1"))
    run = battle()
    play()
    calls = ModelCall.objects.filter(run_id=run, purpose=Purpose.AGENT)
    assert [(one.outcome, one.conversation_id) for one in calls] == [("ok", only(run).pk)] * 2
    assert all(one.cost_usd for one in calls)


def test_the_reservation_counts_the_agent_with_its_tool_rounds(speaker: ModelProvider) -> None:
    run = TestRun.objects.get(pk=battle())
    participants = participants_for(run)
    one = cost_at_most(participants, spec=only(run.pk).spec, history={})
    assert one.usd > Decimal("0.002") * 6  # one reply of six calls at most, 1,024 tokens each at 2 dollars a million
    Agent.objects.filter(name="booker").update(options=settings(max_tool_rounds=0))
    other = TestRun.objects.get(pk=battles(agent="booker", max_turns=2))
    assert cost_at_most(participants_for(other), spec=only(other.pk).spec, history={}).usd < one.usd / 3


def test_the_text_is_frozen_in_the_plan(speaker: ModelProvider) -> None:
    run = battle()
    record_prompt_text(name="greeting", text="You sell cars.", revision="bbb2222")
    play()
    assert TestRun.objects.get(pk=run).plan["prompt_version"] == "greeting@aaa1111"
    assert speaker.last_body["messages"][0]["content"] == "You book haircuts."
    again = battles(agent="booker", max_turns=2)
    play()
    assert TestRun.objects.get(pk=again).subject["prompt_version"] == "greeting@bbb2222"
    assert speaker.last_body["messages"][0]["content"] == "You sell cars."


def test_another_version_is_played_where_the_run_names_it(speaker: ModelProvider) -> None:
    draft = record_prompt_text(name="greeting-draft", text="You book haircuts politely.")
    battle(subject=Subject(prompt_version=draft))
    play()
    assert speaker.last_body["messages"][0]["content"] == "You book haircuts politely."


def test_a_draft_is_played_where_the_run_names_it_and_the_subject_says_who_is_tested(speaker: ModelProvider) -> None:
    draft = record_prompt_text(name="greeting", text="You book haircuts politely.", revision="bbb2222", draft=True)
    assert TestRun.objects.get(pk=battle()).plan["prompt_version"] == "greeting@aaa1111"
    run = TestRun.objects.get(pk=battles(agent="booker", max_turns=2, prompt=draft, subject=Subject(label="PR 12")))
    assert (run.plan["prompt_version"], run.subject["prompt_version"]) == (draft, draft)
    told = Subject(prompt_version="greeting@merge")
    run = TestRun.objects.get(pk=battles(agent="booker", max_turns=2, prompt=draft, subject=told))
    assert (run.plan["prompt_version"], run.subject["prompt_version"]) == (draft, "greeting@merge")
    assert run.plan["prompt_text"] == "You book haircuts politely."


def test_a_prompt_that_is_not_live_is_refused_for_an_agent_that_is_none_and_has_no_staging(tenant: str) -> None:
    make_agent()
    make_scenarios()
    with pytest.raises(BadInput) as raised:
        battles(prompt="greeting@aaa1111")
    assert (raised.value.code, raised.value.pointer) == ("no_staging_connection", "/prompt")
    assert not TestRun.objects.exists()


@pytest.mark.parametrize(
    "prompt, version, pointer", [("farewell", "", "/agent"), ("greeting", "greeting@nope", "/prompt_version")]
)
def test_a_prompt_that_is_not_recorded_starts_nothing(
    speaker: ModelProvider, prompt: str, version: str, pointer: str
) -> None:
    Agent.objects.filter(name="booker").update(options=settings(prompt=prompt))
    with pytest.raises(BadInput) as raised:
        battle(subject=Subject(prompt_version=version))
    assert (raised.value.code, raised.value.pointer) == ("unknown_prompt", pointer)
    assert not TestRun.objects.exists()


def test_its_model_down_is_no_fault_of_its_quality(speaker: ModelProvider) -> None:
    speaker.script(*["500"] * 3)
    run = battle()
    play()
    row = only(run)
    assert (row.status, row.blame, row.error_code) == ("failed", "agent_transport", "model_error")


def test_its_rate_limit_is_waited_for_in_the_same_conversation(speaker: ModelProvider) -> None:
    speaker.script("rate_limit")
    run = battle()
    play()
    row = only(run)
    assert (row.status, row.waiting_for) == ("pending", "model m-1 limits us")
    assert said(row) == [("user", "Hi, a haircut please.")]
    play(at(30))
    assert said(only(run))[-1] == ("assistant", "Friday at ten is free.")
    assert only(run).attempt == 1


def test_a_judge_of_the_same_model_is_refused(speaker: ModelProvider) -> None:
    run = battle()
    play()
    control.finish_runs(now=NOW)
    with pytest.raises(BadInput) as raised:
        request_evaluation(run_id=run, config=make_config(url=speaker.base_url("openai"), model="m-1"), now=NOW)
    assert raised.value.code == "judge_is_generator"


def test_a_golden_session_is_replayed_against_it(speaker: ModelProvider) -> None:
    make_golden("short", "A haircut please.", "Which day?", "Friday.", "At ten?")
    run = replays("short", agent="booker")
    play()
    (row,) = of(run)
    assert row.status == "ended", row.error_message
    assert [text for _, text in said(row, "user")] == ["A haircut please.", "Friday."]
    assert ModelCall.objects.filter(run_id=run, purpose=Purpose.AGENT).count() == 2


def test_a_hello_to_it_is_answered_and_paid(speaker: ModelProvider, tenant: str) -> None:
    speaker.script(formats.tool_answer("openai", ("free_slots", {}), model="m-1"))
    code, found, _ = run_command("check_agent", "booker", tenant=tenant)
    assert (code, found["outcome"], found["reply"]) == (0, "answered", "Friday at ten is free.")
    assert found["tool_calls"] == ["free_slots"]
    assert list(ModelCall.objects.values_list("purpose", "outcome")) == [("agent", "ok")] * 2


def test_a_hello_says_that_its_model_is_down(speaker: ModelProvider, tenant: str) -> None:
    speaker.script(*["500"] * 3)
    code, found, _ = run_command("check_agent", "booker", tenant=tenant)
    assert (code, found["outcome"], found["error"]["code"]) == (3, "down", "model_error")
