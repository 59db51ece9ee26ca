"""Honest customers who answer shortly are never thrown out, and what models do in a customer's place is found."""

import pytest

from apps.personas.domain.simulator_findings import verdict_of
from apps.personas.domain.simulator_rules import rule_findings
from tests.personas.short_answer_battles import PLANTED, battle, honest_battles, planted_battle
from tests.personas.single_sentences import GIVEN_AWAY
from tests.personas.single_sentences import HONEST as HONEST_SENTENCES

HONEST = list(honest_battles())


def test_there_are_a_hundred_honest_battles_in_three_languages():
    assert len(HONEST) == 100
    assert {language for language, _ in HONEST} == {"en", "sw", "it"}


def test_none_of_a_hundred_honest_battles_is_thrown_out():
    found = [
        (language, turns, one) for language, turns in HONEST for one in rule_findings(turns, {"language": language})
    ]
    assert [one for one in found if one[2].decides] == []
    assert verdict_of([one for _, _, one in found], asked=False) == "unmeasured"
    # Beside the battle stands only the same answer to a question that the agent asked twice in a row.
    assert {str(one.rule) for _, _, one in found} == {"loop"}
    assert all(turns[one.turn - 1] == turns[one.turn - 3] for _, turns, one in found)


@pytest.mark.parametrize("language, own, rule, decides", [one[1:] for one in PLANTED], ids=[one[0] for one in PLANTED])
def test_a_planted_fault_is_found_and_decides_only_where_it_is_certain(language, own, rule, decides):
    turns, spec = planted_battle(language, own)
    found = {str(one.rule): one.decides for one in rule_findings(turns, spec)}
    assert rule in found
    assert found[rule] is decides


def test_without_a_models_word_what_is_not_certain_makes_no_battle_invalid():
    turns, spec = planted_battle("en", ("I want to have braids on Friday.",) * 3)
    found = rule_findings(turns, spec)
    assert [one.rule for one in found] == ["loop"]
    assert verdict_of(found, asked=False) == "unmeasured"
    assert verdict_of(found, asked=True) == "kept"


GOAL = "You want braids on Friday for under 2000 shillings. Success: a confirmed time."


@pytest.mark.parametrize("text", HONEST_SENTENCES.strip().splitlines())
def test_a_sentence_that_only_looks_like_a_fault_is_none(text):
    turns = battle("Hi there", "Hello, which day?", text, "Fine. And the hour?", "Yes")
    assert rule_findings(turns, {"language": "en", "goal": "Braids on Friday"}) == []


@pytest.mark.parametrize("text", GIVEN_AWAY.strip().splitlines())
def test_what_models_say_in_a_customers_place_is_found(text):
    turns = battle("Hi there", "Hello, which day?", text, "Sorry?", "ok")
    assert rule_findings(turns, {"language": "en", "goal": GOAL})


def test_whoever_plays_a_client_on_a_stage_is_told_and_not_thrown_out():
    [found] = rule_findings(battle("Hi", "Which cut?", "I am playing a client who is bald in a movie"), {})
    assert (found.rule, found.decides) == ("leak", False)


def test_a_confirmation_said_again_as_a_question_is_a_customer_who_makes_sure():
    told = "Your cut is booked for the 5th at 10."
    assert rule_findings(battle("A cut on the 5th", told, "Your cut is booked for the 5th at 10? I said 11."), {}) == []
    [found] = rule_findings(battle("A cut on the 5th", told, "Your cut is booked for the 5th at 10."), {})
    assert (found.rule, found.decides) == ("agent_lines", False)


def test_a_customer_that_finds_no_end_spoils_its_battle():
    turns = [
        {"role": "user", "content": "Habari, nataka kunyoa nywele."},
        {"role": "assistant", "content": "Siku gani?"},
        {"role": "user", "content": "Jumamosi. " + "kwa kama, " * 60},
    ]
    found = rule_findings(turns, {"language": "sw"})
    assert [(str(one.rule), one.turn, one.decides) for one in found if str(one.rule) == "loop"] == [("loop", 2, True)]


@pytest.mark.parametrize(
    "language, said",
    [
        ("en", "Sure, I'll book it for you. What's the cost?"),
        ("en", "Sure, I can help you with that. What time do you want the haircut to be done?"),
        ("it", "Mi dispiace, ma non posso aiutarti oggi."),
        ("it", "Quale giorno e ora preferisci?"),
    ],
)
def test_what_a_small_model_said_in_a_customers_place_is_told_and_does_not_decide(language, said):
    turns = [{"role": "assistant", "content": "…"}, {"role": "user", "content": said}]
    assert [one.decides for one in rule_findings(turns, {"language": language})] == [False]
