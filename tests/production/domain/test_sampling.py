"""The same conversations are drawn whoever draws, and rare strata have a floor that cannot outgrow the sample."""

import random
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.production.sampling.domain.rates import (
    LATE,
    MAX_STRATA,
    OTHER,
    WINDOW,
    SettledConversation,
    draw_sample,
    part_of_day,
    place,
    window_starting,
    windows_due,
)
from apps.production.sampling.domain.states import SamplingBasis

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


def settled(count: int, language: str = "en", channel: str = "whatsapp", start: int = 0) -> list[SettledConversation]:
    return [SettledConversation(id=uuid.UUID(int=start + n), language=language, channel=channel) for n in range(count)]


def ids(rows, **more):
    options = {"rate": 0.05, "floor": 5, "drawn_today": {}, "part": 1.0} | more
    return {one.id for one in draw_sample(rows, **options).drawn}


@given(st.randoms(use_true_random=False))
def test_the_order_in_which_they_came_changes_nothing(chance: random.Random):
    rows = settled(300) + settled(4, "sw", start=1000)
    mixed = list(rows)
    chance.shuffle(mixed)
    assert ids(rows) == ids(mixed)


def test_five_per_cent_are_drawn_and_a_rare_language_up_to_the_floor():
    rows = settled(4000) + settled(40, "sw", start=10_000)
    drawn = Counter(one.stratum for one in draw_sample(rows, rate=0.05, floor=5, drawn_today={}, part=1.0).drawn)
    assert 150 < drawn["en · whatsapp"] < 250
    assert drawn["sw · whatsapp"] >= 5


def test_the_floor_is_of_a_day_and_filled_through_it():
    rare = settled(40, "sw")
    night = draw_sample(rare, rate=0.0, floor=5, drawn_today={}, part=0.25)
    later = draw_sample(settled(40, "sw", start=100), rate=0.0, floor=5, drawn_today={"sw · whatsapp": 2}, part=0.5)
    full = draw_sample(settled(40, "sw", start=200), rate=0.0, floor=5, drawn_today={"sw · whatsapp": 5}, part=1.0)
    assert (len(night.drawn), len(later.drawn), len(full.drawn)) == (2, 1, 0)
    assert {one.basis for one in night.drawn} == {SamplingBasis.FLOOR}


def test_a_conversation_that_comes_late_leaves_those_drawn_by_hash_as_they_are():
    rows = settled(2000)
    before, after = ids(rows), ids([*rows, *settled(50, start=5000)])
    assert before == {id for id in after if id.int < 2000}


def test_a_caller_that_makes_up_channels_gets_no_floor_for_each():
    rows = [SettledConversation(id=uuid.UUID(int=n), language="en", channel=f"made-up-{n}") for n in range(500)]
    sample = draw_sample(rows, rate=0.0, floor=5, drawn_today={}, part=1.0)
    assert len(set(sample.strata.values())) == MAX_STRATA
    assert len(sample.drawn) <= (MAX_STRATA - 1) + 5
    assert OTHER in sample.strata.values()


def test_places_are_spread_evenly():
    places = sorted(place(uuid.UUID(int=n)) for n in range(2000))
    assert max(abs(at - n / 2000) for n, at in enumerate(places)) < 0.04  # Kolmogorov's limit at .003


def test_a_window_is_drawn_when_it_is_over_and_late_ones_had_their_time():
    starts = window_starting(NOON)
    assert starts == NOON
    assert windows_due(since=starts, now=NOON + WINDOW) == []
    assert windows_due(since=starts, now=NOON + WINDOW + LATE) == [starts]
    assert len(windows_due(since=starts - timedelta(days=1), now=NOON + WINDOW + LATE)) == 5
    assert [part_of_day(NOON + n * WINDOW) for n in (-2, -1, 0, 1)] == [0.25, 0.5, 0.75, 1.0]
