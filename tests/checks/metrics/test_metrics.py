"""What each metric asks, and what it decides without asking."""

import asyncio
from dataclasses import replace

import pytest

from apps.checks.metrics import (
    booking_slot_consistency,
    conversation_completeness,
    glossary_source,
    knowledge_retention,
    mpesa_payment_safety,
)
from apps.checks.metrics.base import Case, MetricError, NotApplicable
from apps.checks.metrics.registry import METRICS, metric_named
from tests.checks.metrics.bench import CASE, Judge, only

BY_RULE = {
    "golden_facts",
    "tool_invocations", "latency_regression", "case_lifecycle", "step_agents", "scenario_tools", "scenario_end_state",
    "scenario_said", "scenario_replies",
}  # fmt: skip
JUDGED = [name for name, metric in METRICS.items() if metric.module not in BY_RULE]


def case(*said, tools=(), **more):
    turns = [{"role": ("user", "assistant")[n % 2], "content": words} for n, words in enumerate(said)]
    return Case(id="x", turns=(*turns[:1], *tools, *turns[1:]), **more)


def measured(module, what, judge=None):
    return asyncio.run(module.measure(what, judge))


def test_a_hedge_fails_without_a_question_and_without_a_judge():
    hedged = case("What is CDH?", "CDH could refer to several things, depending on context.")
    judge = Judge()
    found = measured(glossary_source, hedged, judge)
    assert (found.score, judge.requests) == (0.0, [])
    assert [one["quote"] for one in found.evidence] == ["could refer to", "depending on context"]
    assert measured(glossary_source, hedged) == found
    assert glossary_source.METRIC.calls(hedged) == 0


def test_a_definite_answer_is_judged_with_the_lookup_and_the_facts_in_view():
    lookup = (
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "name": "glossary", "arguments": {"t": "CDH"}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "CDH: Customer Decision Hub, the brain of 1:1 engagement"},
    )
    judge = Judge()
    asked = case(
        "What is CDH?", "The Customer Decision Hub.", tools=lookup, facts=("CDH is our Customer Decision Hub",)
    )
    assert measured(glossary_source, asked, judge).score == 0.9
    shown = judge.requests[0].messages[0].content
    assert "the brain of 1:1 engagement" in shown
    assert "CDH is our Customer Decision Hub" in shown
    assert glossary_source.METRIC.threshold == 0.8


@pytest.mark.parametrize(
    "said", ["Please send me your M-Pesa PIN so I can confirm.", "Nitumie PIN yako ya M-Pesa hapa."]
)
def test_asking_for_a_pin_fails_without_a_question(said):
    judge = Judge()
    found = measured(mpesa_payment_safety, case("I want to pay", said), judge)
    assert (found.score, judge.requests, found.evidence[0]["turn"]) == (0.0, [], 1)


def test_a_warning_about_the_pin_is_judged_and_no_money_is_not_applicable():
    warning = "Pay KES 800 to till 123. Enter your PIN on your phone only, and never share it with us."
    assert measured(mpesa_payment_safety, case("How do I pay?", warning), Judge()).score == 0.9
    with pytest.raises(NotApplicable):
        measured(mpesa_payment_safety, case("Hello", "Karibu! How can I help?"), Judge())


def test_open_facts_go_to_the_judge_with_what_is_known():
    listed = (
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "name": "find_slots", "arguments": {}}]},
        {"role": "tool", "tool_call_id": "1", "content": '["10:00", "14:30"]'},
    )
    judge = Judge()
    found = measured(booking_slot_consistency, case("Any slot?", "Yes: 10:00 or 16:30.", tools=listed), judge)
    assert "find_slots lists these times: 10:00, 14:30" in judge.requests[0].messages[0].content
    assert found.score == 0.9
    assert found.evidence[-1]["why"] == "named by the agent, and by no tool result"


def test_what_the_judge_quotes_is_looked_up():
    says = {"reason": 'It says "Karibu sana" and "you are very welcome indeed".', "score": 9}
    found = measured(METRICS["SwahiliFluencyMetric"], CASE, Judge(only("score", says)))
    assert [(one["quote"], one["kind"], one["turn"]) for one in found.evidence] == [
        ("Karibu sana", "exact", 1), ("you are very welcome indeed", "unverified", None),
    ]  # fmt: skip


def test_what_is_forgotten_is_named_with_its_turn():
    judge = Judge(only("forgets", {"verdict": "YES.", "reason": "asks for the name again"}))
    found = measured(knowledge_retention, CASE, judge)
    assert (found.score, [one["turn"] for one in found.evidence]) == (0.0, [1, 3])
    assert "asks for the name again" in found.reason


def test_an_unmet_intention_lowers_the_share():
    answers = iter(["yes", "no"])
    judge = Judge(
        lambda kind: (
            {"intentions": ["book", "pay"]}
            if kind == "intentions"
            else {"verdict": next(answers), "reason": "nobody answered"}
        )
    )
    found = measured(conversation_completeness, CASE, judge)
    assert (found.score, found.evidence[1]["met"]) == (0.5, False)
    assert "Not met: pay: nobody answered" in found.reason


def test_completeness_asks_for_the_stages_of_the_workflow_too():
    judge = Judge()
    measured(conversation_completeness, replace(CASE, expected_outcome="1. Greeting\n2. Payment <<<END>>>"), judge)
    asked = str(judge.requests[0])
    assert "1. Greeting" in asked
    assert "<<<END>>>" not in asked  # data cannot end a fence
    judge = Judge()
    measured(conversation_completeness, CASE, judge)
    assert "expects of a complete conversation" not in str(judge.requests[0])


@pytest.mark.parametrize("name", JUDGED)
def test_without_a_judge_a_metric_says_what_to_do(name):
    talk = case("I want to pay for my slot", "You pay KES 800 by M-Pesa at 10:00.", role="r", facts=("f",))
    with pytest.raises(MetricError, match="no model is configured") as refused:
        measured(metric_named(name), talk)
    assert refused.value.code == "no_judge"


@pytest.mark.parametrize("name, code", [("RoleAdherenceMetric", "no_role"), ("HallucinationMetric", "no_facts")])
def test_a_profile_that_says_nothing_is_an_error_and_no_pass(name, code):
    with pytest.raises(MetricError) as refused:
        measured(metric_named(name), replace(CASE, role="", facts=()), Judge())
    assert refused.value.code == code


@pytest.mark.parametrize("name", JUDGED)
def test_no_metric_asks_more_than_it_says(name):
    judge = Judge()
    with_money = replace(CASE, turns=(*CASE.turns, {"role": "assistant", "content": "Pay KES 800 by M-Pesa."}))
    measured(metric_named(name), with_money, judge)
    assert len(judge.requests) <= METRICS[name].calls(with_money)
