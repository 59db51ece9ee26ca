"""What a trial takes is said before it starts."""

import pytest

from apps.evaluations.requests.domain.run_time import PastPace, minutes_in_words, minutes_to_play
from apps.improvement.drafts.domain.trial_forecast import TrialForecast
from apps.improvement.holdout.domain.parts import Part

PACE = PastPace(calls=10, seconds=60, sample=20)


def forecast(**more) -> TrialForecast:
    values = {
        "part": Part.HOLD_OUT, "families": 16, "scenarios": 16, "sides": 2, "conversations": 32, "calls": 320,
        "minutes": 12.0, "usd": 0.5, "money": "", "sample": 20, "look": 1, "stagger_s": (5.0, 10.0), **more,
    }  # fmt: skip
    return TrialForecast(**values)


def test_the_stagger_decides_where_it_is_slower_than_the_lanes() -> None:
    assert minutes_to_play(32, pace=PACE, stagger_s=(60, 120), at_once=3) == round((31 * 90 + 60) / 60, 1)


def test_the_lanes_decide_where_conversations_are_long() -> None:
    assert minutes_to_play(32, pace=PACE, stagger_s=(0, 0), at_once=3) == 11
    assert minutes_to_play(0, pace=PACE, stagger_s=(5, 10), at_once=3) == 0


def test_too_few_families_and_the_look_are_told_before_the_start() -> None:
    assert forecast().warnings == ["This is look 1 of 3 at these hold-out families, for life."]
    assert forecast(families=11).warnings[0] == "Only 11 families: 1 more family is needed before a gain can be shown."
    assert forecast(look=None, part=Part.SELECTION).warnings == []


def test_a_cost_that_nobody_knows_is_not_called_zero() -> None:
    assert "cost unknown" in forecast(usd=None).sentence
    assert "about $0.50, some 12 minutes" in forecast().sentence


def test_a_time_that_nobody_knows_is_not_called_minutes() -> None:
    unknown = forecast(sample=0)
    assert "about $0.50, an unknown time: none was played with these models yet." in unknown.sentence
    assert unknown.document().minutes is None


@pytest.mark.parametrize(
    "minutes, words", [(0.4, "seconds"), (1.2, "1 minute"), (89, "89 minutes"), (150, "2.5 hours")]
)
def test_times_are_told_in_words(minutes: float, words: str) -> None:
    assert minutes_in_words(minutes) == words
