"""Assertions of the agent's own side: what holds, what is found, what cannot be checked."""

import json

import psycopg
import pytest

from pytest_ratiba.assertions.checking import check_assertions, findings
from pytest_ratiba.assertions.outcome import AssertionSetupError, ScenarioOutcome
from tests.plugin.environment.conftest import scratch_database  # noqa: F401 - a fixture

CARD = {"type": "object", "required": ["summary", "phone"], "properties": {"summary": {"type": "string"}}}
OUTCOME = ScenarioOutcome(
    turns=[
        {"role": "user", "content": "Nataka kunyoa"},
        {"role": "assistant", "content": "Karibu Amani! Saa ngapi?", "latency_ms": 900},
        {"role": "assistant", "content": "", "tool_calls": [{"name": "book", "arguments": {}}]},
        {"role": "assistant", "content": '{"price": 800}', "latency_ms": 31_000},
    ],
    transitions=[("greeting", "asked", "offering"), ("offering", "confirmed", "paid")],
    state="paid",
    log=[{"event_type": "payment_confirmed", "rail": "mpesa"}, {"event_type": "payment_confirmed", "rail": "pesapal"}],
)


def says_something_else(outcome):
    return "the second reply is in JSON" if outcome.replies[1]["content"].startswith("{") else None


def raises(outcome):
    assert outcome.state == "gone", "it did not go"


@pytest.mark.parametrize(
    "assertion, why",
    [
        ({"contains": ["karibu", "AMANI"]}, None),
        ({"contains": "Karibu", "turn": "last"}, "no reply contains 'Karibu'"),
        ({"not_contains": "refund"}, None),
        ({"not_contains": ["saa"]}, "reply 1 contains 'saa'"),
        ({"regex": r"\d{3}", "turn": 2}, None),
        ({"regex": r"^\d{3}"}, "no reply matches"),
        ({"json_schema": {"properties": {"price": {"maximum": 900}}}, "turn": "last"}, None),
        ({"json_schema": {"properties": {"price": {"maximum": 500}}}, "turn": 2}, "reply 2, $.price: 800 is greater"),
        ({"json_schema": {"type": "object"}, "turn": 1}, "reply 1 is not JSON"),
        ({"json_schema": {"type": "object"}, "turn": 9}, "there is no reply 9: the agent said something 2 times"),
        ({"not_contains": "Karibu", "turn": 3}, "there is no reply 3"),
        ({"max_words": 1, "turn": 99}, "there is no reply 99"),
        ({"max_words": 4}, None),
        ({"max_words": 3}, "reply 1 has 4 words"),
        ({"latency": True}, "reply 2 took 31.0 s, at most 30 s"),
        ({"latency": 31}, None),
        ({"fsm_state": ["paid", "gone"]}, None),
        ({"fsm_state": "gone"}, "it ended in paid"),
        ({"fsm_transition": {"event": "confirmed", "to": "paid"}, "times": 1}, None),
        ({"fsm_transition": {"event": "cancelled"}}, "there was never a transition"),
        ({"event_type": "payment_confirmed", "times": 2}, None),
        ({"event_type": "payment_confirmed", "with": {"rail": "mpesa"}, "times": 2}, "1 times, wanted 2"),
        ({"event_type": "payment_reversed", "times": 0}, None),
        ({"python": f"{__name__}:says_something_else"}, "the second reply is in JSON"),
        ({"python": f"{__name__}:raises"}, "it did not go"),
        ({"python": "builtins:bool"}, None),
    ],
)
def test_what_holds_and_what_is_found(assertion, why):
    found = findings([{"metric": "of the server's"}, assertion], OUTCOME)
    assert [one.position for one in found] == ([1] if why else [])
    assert not why or why in found[0].why


@pytest.mark.parametrize(
    "assertion, says",
    [
        ({"contains": "a", "regex": "b"}, "assertions/0: has one of contains and regex, not both"),
        ({"contains": "a", "times": 1}, "assertions/0/times: contains may have turn beside it"),
        ({"contains": "a", "turn": "first"}, "/turn: must be the number of a reply"),
        ({"regex": "("}, "/regex: must be a regular expression"),
        ({"max_words": "many"}, "/max_words: must be a number from 0 on, not 'many'"),
        ({"json_schema": {"type": "thing"}, "turn": 2}, "the JSON Schema is none"),
        ({"json_schema": "none.json"}, "the JSON Schema none.json"),
        ({"fsm_transition": {"form": "a"}}, "must be some of from, event, to"),
        ({"sql": "SELECT 1", "equals": 1}, "this scenario has no schema"),
        ({"python": "nowhere:check"}, "is not package.module:name"),
    ],
)
def test_what_cannot_be_checked_is_an_error_and_no_finding(assertion, says):
    with pytest.raises(AssertionSetupError) as caught:
        findings([assertion], OUTCOME)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "assertion",
    [
        None, "x", [], {}, {"metric": "X"}, {"contains": ""}, {"contains": []}, {"contains": ["KES", None]},
        {"not_contains": None}, {"not_contains": [" "]}, {"not_contains": False}, {"regex": ""}, {"json_schema": {}},
        {"latency": float("nan")}, {"latency": None}, {"latency": 0}, {"max_words": True}, {"turn": 1},
        {"contains": "a", "turn": 0}, {"fsm_state": None}, {"fsm_transition": {"event": None}}, {"event_type": None},
        {"event_type": "paid", "with": "x"}, {"event_type": "paid", "times": "2"}, {"event_type": "paid", "times": -1},
        {"event_type": "paid", "times": None}, {"sql": "SELECT 1"}, {"sql": "SELECT 1", "rows": 3}, {"python": None},
    ],
)  # fmt: skip
def test_an_assertion_that_says_nothing_is_refused(assertion):
    with pytest.raises(AssertionSetupError, match="assertions/1"):
        check_assertions([{"contains": "Karibu"}, assertion], OUTCOME)


@pytest.mark.parametrize("assertions", ["x", {}, []])
def test_a_list_that_asserts_nothing_is_refused(assertions):
    with pytest.raises(AssertionSetupError, match="must be a list of mappings that is not empty"):
        check_assertions(assertions, OUTCOME)


def test_where_the_agent_said_nothing_no_assertion_of_replies_holds():
    silent = ScenarioOutcome(turns=[{"role": "user", "content": "Habari"}])
    asserted = [{"not_contains": "x"}, {"max_words": 3}, {"latency": 3}]
    assert [one.position for one in findings(asserted, silent)] == [0, 1, 2]


def test_rows_and_briefing_cards_are_read_in_the_scenarios_schema(scratch_database, tmp_path):  # noqa: F811
    scratch_database.run(
        "CREATE TABLE payments (status text, amount numeric(8, 2));"
        "INSERT INTO payments VALUES ('PAYMENT_CANCELLED_BY_CUSTOMER', 800);"
        "CREATE TABLE handoff_log (briefing_card jsonb);"
    )
    (tmp_path / "card.json").write_text(json.dumps(CARD))
    outcome = ScenarioOutcome(connect=lambda: psycopg.connect(scratch_database.url, autocommit=True), folder=tmp_path)
    right = [
        {"sql": "SELECT count(*) FROM payments", "equals": 1},
        {"sql": "SELECT status, amount FROM payments", "rows": [["PAYMENT_CANCELLED_BY_CUSTOMER", 800]]},
    ]
    check_assertions(right, outcome)
    assert "there is no briefing card" in findings([{"briefing_card": "card.json"}], outcome)[0].why
    scratch_database.run("""INSERT INTO handoff_log VALUES ('{"summary": 3}')""")
    with pytest.raises(AssertionError) as caught:
        check_assertions([{"briefing_card": "card.json"}, {"sql": "SELECT amount FROM payments", "equals": 5}], outcome)
    assert str(caught.value).splitlines() == [
        "assertions/0 (briefing_card): card 1, $: 'phone' is a required property",
        "assertions/0 (briefing_card): card 1, $.summary: 3 is not of type 'string'",
        "assertions/1 (sql): it is 800, wanted 5",
    ]
    with pytest.raises(AssertionSetupError, match="read-only transaction"):
        findings([{"sql": "DELETE FROM payments RETURNING 1", "equals": 1}], outcome)
