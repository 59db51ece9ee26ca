"""Why a conversation is over, as its player knows it; and one player for each kind."""

import json

import pytest

from apps.budgets.models import ModelCall
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation
from apps.runs.playing.services import control
from apps.runs.playing.services.players import PLAYERS, player_of
from tests.evaluations.bench import imported
from tests.loopback import formats
from tests.runs.stage import (
    NOW,
    battles,
    customer,
    make_agent,
    make_golden,
    make_scenarios,
    of,
    only,
    play,
    replays,
    said,
)

STUB = {"provider": "stub", "model": "stub-model"}


def test_every_kind_has_its_own_player():
    # Nothing is left to play of what was brought in; the conversations of a trial are battles.
    assert set(PLAYERS) == set(Kind) - {Kind.IMPORTED, Kind.PRODUCTION, Kind.TRIAL, Kind.ANCHOR}
    assert len(set(PLAYERS.values())) == len(PLAYERS)
    with pytest.raises(ValueError, match="opera"):
        player_of("opera")


def test_the_agent_closed_it(tenant):
    make_agent()
    make_scenarios()
    run = battles()
    assert only(run).end_reason == ""
    play()
    assert only(run).end_reason == "agent_closed"


def test_the_customer_left(tenant, simulator):
    make_agent("One?", "Goodbye.")
    make_scenarios()
    simulator.script(*[formats.answer("openai", text, model="stub-model") for text in customer(("Bye", True))])
    run = battles(simulator=STUB)
    play()
    assert only(run).end_reason == "customer_left"


def test_the_most_turns_were_said(tenant, simulator):
    make_agent(*["Yes?"] * 9)
    make_scenarios()
    run = battles(simulator=STUB, max_turns=4)
    play()
    assert only(run).end_reason == "max_turns"


@pytest.mark.parametrize("reason", ["goal_met", "gave_up"])
def test_the_customer_said_why_they_leave(tenant, simulator, reason):
    make_agent("One?", "Goodbye.")
    make_scenarios()
    last = json.dumps({"message": "Bye", "done": True, "reason": reason})
    simulator.script(formats.answer("openai", last, model="stub-model"))
    run = battles(simulator=STUB)
    play()
    assert only(run).end_reason == reason


def test_it_went_round_in_circles(tenant, simulator):
    make_agent(*["Yes?"] * 20)
    make_scenarios(opening="And then?")
    run = battles(simulator=STUB)
    play()
    row = only(run)
    assert (row.status, row.end_reason, row.turns.count()) == ("ended", "loop", 6)


def test_the_models_account_was_empty(tenant, simulator):
    make_agent(*["Yes?"] * 20)
    make_scenarios()
    simulator.script(*[formats.error("openai", 429, "You exceeded your quota", code="insufficient_quota")] * 3)
    run = battles(simulator=STUB)
    play()
    row = only(run)
    assert (row.status, row.blame, row.end_reason) == ("failed", "budget", "budget")


def test_a_customers_answer_that_is_no_message_is_asked_for_once_more(tenant, simulator):
    make_agent("Which day?", {"text": "Goodbye.", "ended": True})
    make_scenarios()
    fine = formats.answer("openai", '{"message": "Friday.", "done": false}', model="stub-model")
    simulator.script(formats.answer("openai", "I cannot do that.", model="stub-model"), fine)
    run = battles(simulator=STUB)
    play()
    row = only(run)
    assert (row.status, row.end_reason) == ("ended", "agent_closed")
    assert ("user", "Friday.") in said(row)
    assert ModelCall.objects.count() == 2, "both calls stand in the ledger"


def test_a_customer_who_twice_answers_no_message_ends_the_battle(tenant, simulator):
    make_agent("Which day?")
    make_scenarios()
    simulator.script(*[formats.answer("openai", "I cannot do that.", model="stub-model")] * 2)
    run = battles(simulator=STUB)
    play()
    row = only(run)
    assert (row.status, row.blame, row.error_code) == ("failed", "simulator", "simulator_reply")
    assert ModelCall.objects.count() == 2


def test_an_agents_answers_without_words_count_against_the_most_messages(tenant):
    make_agent(*[""] * 20)
    make_scenarios()
    run = battles(max_turns=6)
    play()
    row = only(run)
    assert (row.end_reason, row.turns.count()) == ("max_turns", 6)


def test_under_one_seed_the_offline_customer_says_the_same_again(tenant):
    make_agent("Which day?", "What time?", "Your name?", "How do you pay?", "Anything else?", "Hm.", "Hm!", "Hm?")
    make_scenarios(3, opening="")
    runs = [battles(seed=seed, repeats=2) for seed in (5, 5, 6)]
    play()
    first, again, other = ([said(row) for row in of(run)] for run in runs)
    assert first == again
    assert first != other


def test_a_replays_script_came_to_its_end(tenant):
    make_agent("x", "y", "z")
    run = replays(make_golden("g", "One", "x", "Two", "y"))
    play()
    assert only(run).end_reason == "script_ended"


def test_it_failed_timed_out_or_was_cancelled(tenant):
    make_agent(kind="http", address="http://127.0.0.1:10/")
    make_scenarios(2)
    run = battles()
    play(concurrency=1)
    assert {row.end_reason for row in of(run)} == {"failed"}
    Conversation.objects.update(status="pending", end_reason="")
    control.cancel_run(run_id=run, now=NOW)
    assert {row.end_reason for row in of(run)} == {"cancelled"}


def test_the_watchdogs_word_is_taken_back_with_its_verdict(tenant):
    make_agent()
    make_scenarios()
    run = battles()
    Conversation.objects.update(status="timeout", blame="platform", end_reason="timeout")
    control.reconcile_run(run_id=run, now=NOW)
    assert only(run).end_reason == ""


def test_it_was_brought_in(tenant):
    assert only(imported("c-1")).end_reason == "imported"
