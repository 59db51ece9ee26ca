"""What models answered about personas: read strictly, never a guess, and one bad entry never costs the others."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.evaluations.domain.parsing import ParseError
from apps.personas.domain.generation_reply import read_generation_reply
from apps.personas.domain.grid import slots_of_grid
from apps.personas.domain.probe_judging import BehaviourOutcome, read_probe_verdict
from apps.personas.domain.rating import read_rating

SLOTS = dict(enumerate(slots_of_grid(languages=["en", "sw"], goals=["book"], tempers=["calm"])))
SPEC = {
    "goal": {"text": "A haircut on Friday", "success": "A time is confirmed"},
    "behaviours": [{"name": "price first", "instruction": "asks the price", "violation": "accepts without a price"}],
    "patience": 2,
}


def written(slot: int, **more):
    return {"slot_n1": slot, "name": f"P{slot}", "text": "Somebody.", "spec": SPEC, **more}


def reply(*personas, nonce="n1"):
    return json.dumps({"nonce": nonce, "personas": list(personas)})


def test_good_personas_are_read_with_their_slots_temper():
    found = read_generation_reply(reply(written(0), written(1)), SLOTS, nonce="n1")
    assert [one.slot for one in found.personas] == [0, 1]
    assert found.personas[0].spec["temper"] == "calm"
    assert found.refused == {}


@pytest.mark.parametrize(
    "entry, why",
    [
        (written(1, name=""), "/name"),
        (written(1, name="x" * 101), "/name"),
        (written(1, text=7), "/text"),
        # A model of 1.5 billion parameters, asked for one persona: the rest of its answer was in form.
        (
            written(1, text="I'm sorry, but I can't assist with that. Can you please provide more information?"),
            "refusal",
        ),
        (written(1, spec=[]), "/spec"),
        (written(1, spec={**SPEC, "goal": {"text": "github.com/x", "success": "github.com/x"}}), "same words"),
        (
            written(1, spec={**SPEC, "behaviours": [{"name": "x", "instruction": "a/b", "violation": "a/b"}]}),
            "same words",
        ),
        (written(1, spec={**SPEC, "patience": 9}), "spec/patience"),
        (written(1, spec={**SPEC, "mood": "x"}), "mood"),
        (written(1, spec={**SPEC, "behaviours": []}), "/spec/behaviours"),
        (written(1, spec={**SPEC, "goal": {"text": "x"}}), "/spec/goal"),
        (written(1, colour="red"), "/colour"),
    ],
)
def test_one_that_cannot_be_read_is_refused_alone_with_the_reason(entry, why):
    found = read_generation_reply(reply(written(0), entry), SLOTS, nonce="n1")
    assert [one.slot for one in found.personas] == [0]
    assert why in found.refused[1]


def test_a_missing_slot_a_second_one_and_one_nobody_asked_for():
    found = read_generation_reply(reply(written(0), written(0), written(7)), SLOTS, nonce="n1")
    assert found.personas == ()
    assert found.refused == {0: "it was written twice", 1: "the answer has no persona for it"}


@pytest.mark.parametrize(
    "text", ["no idea", "{}", reply(written(0), nonce="other"), reply(written(0)) + reply(written(1)), reply()[:-3]]
)
def test_a_reply_that_is_no_answer_is_a_parse_error(text):
    with pytest.raises(ParseError):
        read_generation_reply(text, SLOTS, nonce="n1")


@settings(max_examples=60)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["slot_n1", "name", "text", "spec", "goal"]), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_whatever_a_model_writes_each_slot_is_filled_or_refused(item):
    try:
        found = read_generation_reply(json.dumps({"nonce": "n1", "personas": [item]}), SLOTS, nonce="n1")
    except ParseError:  # words that the model quoted may have made it
        whole = isinstance(item, dict) and "slot_n1" in item and str(item).count("slot_n1") == 1
        assert not whole or isinstance(item.get("goal"), dict | list)
        return
    assert {one.slot for one in found.personas} | set(found.refused) == set(SLOTS)


def rating(nonce="n1", **scores):
    given = {"naturalness": 8, "coherence": 7, "testability": 9, **scores}
    return json.dumps(
        {"nonce": nonce, "scores": {k: {f"score_{nonce}": v, "reason": f"{k} because"} for k, v in given.items()}}
    )


def test_a_rating_has_three_scores_with_reasons():
    found = read_rating(rating(), nonce="n1")
    assert found.scores == {"naturalness": 8.0, "coherence": 7.0, "testability": 9.0}
    assert found.reasons["coherence"] == "coherence because"


@pytest.mark.parametrize(
    "text",
    [
        rating(coherence=None),
        rating(coherence=0),
        rating(coherence=11),
        rating(coherence="high"),
        rating(nonce="other"),
        rating().replace("coherence because", ""),
        json.dumps({"nonce": "n1", "scores": {"naturalness": {"score_n1": 8, "reason": "x"}}}),
        "seven",
    ],
)
def test_an_unread_score_decides_nothing(text):
    with pytest.raises(ParseError):
        read_rating(text, nonce="n1")


TURNS = [
    {"role": "user", "content": "Hi, a haircut on Friday please."},
    {"role": "assistant", "content": "10 am for 900?"},
    {"role": "user", "content": "Yes, book it."},
]


def verdict(*items, nonce="n1"):
    return json.dumps({"nonce": nonce, "behaviours": list(items)})


def judged(outcome, quote="", turn=2, behaviour=0):
    return {"behaviour": behaviour, "outcome_n1": outcome, "reason": "why", "turn": turn, "quote": quote}


def test_a_violation_stands_on_words_of_the_customer():
    (found,) = read_probe_verdict(verdict(judged("violated", "Yes, book it.")), SPEC["behaviours"], TURNS, nonce="n1")
    assert (found.outcome, found.quote, found.turn) == (BehaviourOutcome.VIOLATED, "Yes, book it.", 2)


@pytest.mark.parametrize("quote, turn", [("", 2), ("Sure, go on", 2), ("10 am for 900?", 1)])
def test_a_violation_without_such_words_counts_as_nothing(quote, turn):
    (found,) = read_probe_verdict(verdict(judged("violated", quote, turn)), SPEC["behaviours"], TURNS, nonce="n1")
    assert found.outcome is BehaviourOutcome.UNPROVEN


@pytest.mark.parametrize(
    "text",
    [
        verdict(),
        verdict(judged("kept"), judged("kept")),
        verdict(judged("kept", behaviour=3)),
        verdict(judged("perhaps")),
        verdict(judged("kept"), nonce="other"),
        "kept",
    ],
)
def test_a_verdict_that_is_not_whole_is_a_parse_error(text):
    with pytest.raises(ParseError):
        read_probe_verdict(text, SPEC["behaviours"], TURNS, nonce="n1")
