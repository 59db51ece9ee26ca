"""A model is asked once whether other words do the golden session's step, before the agent is nudged."""

from collections.abc import Iterator
from typing import Any

import pytest

from apps.budgets.domain.purpose import Purpose
from apps.budgets.models import ModelCall
from apps.catalog.connections.services.storing import save_model_provider
from apps.checks.domain.divergence import divergences
from apps.runs.models import TestRun
from tests.evaluations.doubt.three_judges import tenant_settings
from tests.loopback.providers import THE_KEY, ModelProvider
from tests.runs.stage import make_agent, only, play, replays, said
from tests.runs.test_replays import gated, golden, replay_of

CHOSEN = {"models": {"judge": {"provider": "judge", "model": "m-1"}}}
STEPS = (("Hi", "Which day suits you?", "day"), ("Friday", "It is booked for 100 KES.", "booked"))


@pytest.fixture
def judge(tenant: str) -> Iterator[ModelProvider]:
    """The tenant's judge: a model on this machine that answers "the same step"."""
    with ModelProvider(answering("true")) as server:
        save_model_provider(
            name="judge", kind="openai", base_url=server.base_url("openai"), api_key="k",
            options={"prices": {"*": {"input": 1, "output": 2}}},
        )  # fmt: skip
        tenant_settings(tenant)(**CHOSEN)
        yield server
        tenant_settings(tenant)()


def answering(same: str) -> str:
    return f'{{"why": "It asks for the day.", "{THE_KEY}": {same}}}'


def gates_of(run: Any) -> list[str]:
    return [turn.gate for turn in replay_of(run).turns]


def test_other_words_for_the_same_step_go_on_without_a_nudge(judge: ModelProvider) -> None:
    make_agent("When would you like to come?", "Fine, 100 KES, booked.")
    run = replays(golden("g", list(gated(*STEPS))))
    play()
    row = only(run)
    assert (row.status, gates_of(run)) == ("ended", ["judged", "matched"])
    assert said(row, "user") == [("user", "Hi"), ("user", "Friday")]
    (call,) = ModelCall.objects.all()
    assert (call.purpose, call.outcome, call.run_id, call.conversation_id) == (Purpose.GATE, "ok", run, row.pk)
    assert call.cost_usd
    (asked,) = judge.last_body["messages"][1:]
    assert "Which day suits you?" in asked["content"]
    assert "When would you like to come?" in asked["content"]
    assert row.extra["replay"]["lines"]["0"]["judged"] == {"same": True, "model": "m-1"}
    told = [one for one in divergences(replay_of(run).turns)[0].differences if one.kind == "gate_judged"]
    assert [(one.matters, one.why) for one in told] == [
        (False, "Its gate stayed shut, and the model m-1 found that the reply does what the golden session's did.")
    ]


def test_another_step_is_nudged_and_then_lost_after_one_question(judge: ModelProvider) -> None:
    judge.text = answering("false")
    make_agent(*["One moment, please."] * 4)
    run = replays(golden("g", list(gated(*STEPS))))
    play()
    row = only(run)
    assert (row.status, row.error_code, row.blame) == ("failed", "desync", None)
    assert row.error_message.endswith("The model m-1 finds that it does another step.")
    assert len(judge.requests) == 1
    assert [text for _, text in said(row, "user")] == ["Hi", *["Please continue."] * 3]


def test_a_missing_figure_is_no_question_for_a_model(judge: ModelProvider) -> None:
    make_agent("Which day suits you?", *["All arranged for 90 KES."] * 4)
    run = replays(golden("g", list(gated(*STEPS))))
    play()
    row = only(run)
    assert (row.blame, row.error_code, judge.requests) == ("agent_quality", "desync", [])
    assert "It does not say 100 KES." in row.error_message


@pytest.mark.parametrize("fault", ["prose", "refusal", "html", "quota"])
def test_a_model_that_gives_no_answer_changes_nothing(judge: ModelProvider, fault: str) -> None:
    judge.script(*[fault] * 5)
    make_agent("When would you like to come?", "Which day?", "100 KES, booked.")
    run = replays(golden("g", list(gated(*STEPS))))
    play()
    row = only(run)
    assert (row.status, gates_of(run)) == ("ended", ["nudged", "matched"])
    assert row.extra["replay"]["lines"]["0"]["judged"]["same"] is None


def test_a_budget_that_is_spent_stops_no_replay(judge: ModelProvider) -> None:
    tenant_settings("acme")(**CHOSEN, budget_run_usd=0.000001)
    make_agent("When would you like to come?", "Which day?", "100 KES, booked.")
    run = replays(golden("g", list(gated(*STEPS))))
    play()
    assert (only(run).status, gates_of(run), judge.requests) == ("ended", ["nudged", "matched"], [])


def test_without_a_model_or_where_the_run_says_so_nobody_is_asked(tenant: str, judge: ModelProvider) -> None:
    make_agent("When would you like to come?", "Which day?", "100 KES, booked.")
    run = replays(golden("g", list(gated(*STEPS))), judge_gates=False)
    assert "gate_judge" not in TestRun.objects.get(pk=run).plan
    play()
    assert (gates_of(run), judge.requests) == (["nudged", "matched"], [])
    tenant_settings(tenant)()
    assert "gate_judge" not in TestRun.objects.get(pk=replays("g")).plan
