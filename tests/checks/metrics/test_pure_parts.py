"""Hedging, languages, and the file that asks for metrics."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.checks.domain.hedging import PHRASES, find_hedging
from apps.checks.domain.language_pick import field_languages, shares
from apps.checks.domain.metric_specs import MetricSpec, read_metrics
from apps.checks.metrics.registry import METRICS
from apps.core.errors import BadInput
from tests.shared_data import SHARED

LANGID = SHARED / "data" / "multilingual" / "langid.jsonl"


def agent(*said):
    return [{"role": "assistant", "content": words} for words in said]


def test_there_are_sixteen_phrases_and_the_seeds_three_are_among_them():
    assert len(set(PHRASES)) == 16
    assert {"could refer to", "depending on context", "multiple meanings"} <= set(PHRASES)


@pytest.mark.parametrize("phrase", PHRASES)
def test_each_phrase_is_found_in_any_case_and_over_a_line_break(phrase):
    (found,) = find_hedging(
        [{"role": "user", "content": phrase}, *agent(f"NBA: {phrase.upper().replace(' ', chr(10), 1)}!")]
    )
    assert found.turn == 1


@pytest.mark.parametrize("said", ["A referral could referto it", "It means Next Best Action.", "", None])
def test_what_is_no_hedge_is_none(said):
    assert find_hedging(agent(said)) == []


@pytest.mark.parametrize(
    "field, languages",
    [("sw", ("sw",)), ("SW-KE", ("sw",)), ("Kiswahili", ("sw",)), ("sw-en", ("sw", "en")), ("en_US", ("en",)),
     ("mixed", ()), ("sheng", ()), ("", ()), ("fr", ("fr",)), ("it", ("it",))],
)  # fmt: skip
def test_the_field_is_read_as_people_write_it(field, languages):
    assert field_languages(field) == languages


def test_the_field_counts_before_the_words():
    assert shares(agent("Your appointment is booked for tomorrow."), "sw") == {"sw": 1.0}
    assert shares(agent("Your appointment is booked for tomorrow.")) == {"en": 1.0}


def test_a_mixed_conversation_is_divided_by_the_agents_words():
    found = shares(agent("Karibu sana! Ungependa huduma gani leo?", "Your appointment is booked for ten."), "mixed")
    assert list(found) in (["sw", "en"], ["en", "sw"])
    assert sum(found.values()) == pytest.approx(1)
    assert min(found.values()) > 0.3


def test_a_message_in_both_languages_counts_for_both():
    found = shares(agent("Sawa, nimekuwekea nafasi kesho saa nne. Please come on time and see you then."))
    assert set(found) == {"sw", "en"}


def test_two_borrowed_words_are_no_second_language():
    long = "Karibu sana. Nimekuwekea nafasi yako ya kesho asubuhi, na bei ni shilingi mia tano. " * 5
    assert shares([*agent(long), *agent("Thank you!")]) == {"sw": 1.0}


@given(st.lists(st.text(), max_size=4), st.text(max_size=8))
def test_shares_add_up_to_one_or_are_none(said, field):
    found = shares(agent(*said), field)
    assert not found or sum(found.values()) == pytest.approx(1)


@pytest.mark.shared
def test_real_utterances_bring_the_right_fluency_metric():
    rows = [json.loads(line) for line in LANGID.open(encoding="utf-8")]
    right = {"en": 0, "sw": 0, "it": 0}
    wrong = dict.fromkeys(right, 0)
    for row in rows:
        if row["lang"] in right:
            found = next(iter(shares(agent(row["turns"][0]["content"]))), None)
            right[row["lang"]] += found == row["lang"]
            wrong[row["lang"]] += found not in (row["lang"], None)
    assert all(count >= 40 for count in right.values()), right  # of 60 single utterances each
    assert all(count <= 6 for count in wrong.values()), wrong


SEED = """id: spa_booking_swahili_happy
language: sw # gates SwahiliFluencyMetric
assertions:
- metric: SwahiliFluencyMetric
  threshold: 0.80
- metric: BookingSlotConsistencyMetric # language-agnostic
  threshold: 1.0
"""


def test_the_seeds_file_is_read_as_it_stands():
    (found,) = read_metrics(SEED, file="spa.yaml", known=METRICS)
    assert (found.scenario, found.language, found.attach_fluency) == ("spa_booking_swahili_happy", "sw", True)
    assert found.specs == (
        MetricSpec(metric="SwahiliFluencyMetric", threshold=0.8),
        MetricSpec(metric="BookingSlotConsistencyMetric", threshold=1.0),
    )


@pytest.mark.parametrize(
    "text", ["- metric: HallucinationMetric", "assertions:\n- metric: HallucinationMetric\nfluency: off"]
)
def test_a_bare_list_and_a_switched_off_fluency_are_read(text):
    (found,) = read_metrics(text, file="x", known=METRICS)
    assert found.specs == (MetricSpec(metric="HallucinationMetric"),)


@pytest.mark.parametrize(
    "text, said",
    [
        ("assertion: []", "x, line 1: /assertion is not known"),
        ("assertions:\n- metric: Fluency", "x, line 2: there is no metric 'Fluency'"),
        ("assertions:\n- threshold: 0.5", "x, line 2: /assertions/0/metric must not be empty"),
        ("assertions:\n- metric: HallucinationMetric\n  threshold: 1.5", "x, line 3: /assertions/0/threshold: 1.5"),
        (
            "assertions:\n- metric: HallucinationMetric\n  threshold: yes",
            "x, line 3: /assertions/0/threshold must be a n",
        ),
        ("assertions:\n- metric: HallucinationMetric\n  threshold: .nan", "x, line 3: /assertions/0/threshold must be"),
        (
            "assertions:\n- metric: HallucinationMetric\n- metric: HallucinationMetric",
            "x, line 3: HallucinationMetric s",
        ),
        ("fluency: maybe\nassertions: []", "x, line 1: /fluency"),
        ("assertions: []\nfluency: off", "no metric is asked for"),
        ("", "no metric is asked for"),
        ("just words", "must be a mapping"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_file_line_and_field(text, said):
    with pytest.raises(BadInput) as refused:
        read_metrics(text, file="x", known=METRICS)
    assert said in refused.value.message


@given(st.text())
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(BadInput):
        read_metrics(text, file="x", known=METRICS)
