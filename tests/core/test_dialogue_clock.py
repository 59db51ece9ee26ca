"""Times of day are the same time in English, Swahili and Italian."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.dialogue.clock import times, weekdays
from apps.offline.rules.customer_goal import say_time


def minutes(text: str) -> list[list[int]]:
    return [sorted(time.minutes) for time in times(text)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("saa nne", [[600, 1320]]),
        ("saa nne na nusu asubuhi", [[630]]),
        ("saa nne kasorobo", [[585, 1305]]),
        ("saa saba na dakika arobaini na tano mchana", [[825]]),
        ("saa kumi na moja jioni", [[1020]]),
        ("saa 4 asubuhi", [[600]]),
        ("saa 10 asubuhi", [[600]]),
        ("saa sita usiku", [[0]]),
        ("Come at 10am or 2:30 pm.", [[600], [870]]),
        ("half past ten", [[630, 1350]]),
        ("quarter to five", [[285, 1005]]),
        ("alle dieci e mezza", [[630, 1350]]),
        ("alle 15:30", [[930]]),
        ('{"slots": ["09:00", "14:30"]}', [[540], [870]]),
    ],
)
def test_a_time_is_read(text: str, expected: list[list[int]]) -> None:
    assert minutes(text) == expected


@pytest.mark.parametrize(
    "text",
    ["KES 1,500", "call 0712 345 678", "12 May 2026", "2026-03-06", "1150 Scott Boulevard", "at one of our branches",
     "around 9 degrees", "we have 3 rooms", "saa ngapi?", ""],
)  # fmt: skip
def test_prices_dates_phones_and_addresses_are_no_times(text: str) -> None:
    assert times(text) == ()


def test_the_swahili_clock_agrees_with_the_english_one() -> None:
    assert times("saa nne asubuhi")[0].agrees(times("10 am")[0])
    assert times("saa 10:00")[0].agrees(times("10:00")[0])
    assert not times("saa nne asubuhi")[0].agrees(times("4 am")[0])


@given(st.integers(7, 18), st.sampled_from([0, 15, 30]))
def test_what_a_swahili_customer_says_is_heard_as_the_same_time(hour: int, minute: int) -> None:
    time = times(f"{hour:02d}:{minute:02d}")[0]
    said = say_time(time, f"{hour:02d}:{minute:02d}", "sw")
    assert times(said)[0].agrees(time), said


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for time in times(text):
        assert text[time.start : time.end]
        assert all(0 <= minute < 1440 for minute in time.minutes)


def test_weekdays_in_three_languages() -> None:
    assert weekdays(["ijumaa"]) == weekdays(["friday"]) == weekdays(["venerdì"]) == {4}
