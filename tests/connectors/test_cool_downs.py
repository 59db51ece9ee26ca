"""One cool-down for each provider × model: when it begins, how it grows, how it ends, what others learn of it."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.connectors.cool_downs import FORGOTTEN, IN_A_ROW, MAX_S, CoolDowns, key_of
from apps.connectors.llms.base import ModelSpec

SPEC = ModelSpec(provider="openai", model="m", base_url="https://one", api_key="k")
OTHER = ModelSpec(provider="openai", model="m", base_url="https://two", api_key="k")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def started() -> tuple[CoolDowns, Clock]:
    clock = Clock()
    return CoolDowns(now=clock), clock


def answered(cool_downs: CoolDowns, clock: Clock) -> bool:
    if cool_downs.remaining(SPEC) > 0:
        return False
    cool_downs.answered(SPEC, began=clock())
    return True


def test_a_limit_stops_everybody_for_as_long_as_the_provider_says():
    cool_downs, clock = started()
    cool_downs.limited(SPEC, retry_after=60)
    assert cool_downs.remaining(OTHER) == 0
    clock.forward(59)
    assert cool_downs.remaining(SPEC) == 1
    clock.forward(1)
    assert cool_downs.remaining(SPEC) == 0


def test_one_short_wait_in_ten_stops_nobody_and_three_in_a_row_do():
    cool_downs, clock = started()
    for _ in range(50):
        cool_downs.limited(SPEC, retry_after=1)
        assert all(answered(cool_downs, clock) for _ in range(9))
    for _ in range(IN_A_ROW - 1):
        cool_downs.limited(SPEC, retry_after=1)
    assert cool_downs.remaining(SPEC) == 0
    assert cool_downs.limited(SPEC, retry_after=1) == 1
    assert cool_downs.remaining(SPEC) == 1


def waits_of(*, told: bool) -> list[float]:
    cool_downs, clock = started()
    for _ in range(IN_A_ROW):
        cool_downs.limited(SPEC, retry_after=1, told=told)
    waits = []
    for _ in range(9):
        waits.append(cool_downs.remaining(SPEC))
        clock.forward(waits[-1])
        cool_downs.limited(SPEC, retry_after=1, told=told)
    return waits


def test_a_wait_that_was_told_is_kept_as_told_however_often():
    assert waits_of(told=True) == [1] * 9


def test_where_nothing_was_told_our_own_wait_grows():
    assert waits_of(told=False) == [1, 2, 4, 8, 16, 32, 64, MAX_S, MAX_S]


def test_calls_that_were_under_way_neither_end_a_cool_down_nor_make_it_grow():
    cool_downs, clock = started()
    before = clock()
    cool_downs.limited(SPEC, retry_after=5)
    for _ in range(30):
        cool_downs.limited(SPEC, retry_after=5)
        cool_downs.answered(SPEC, began=before)
    assert cool_downs.remaining(SPEC) == 5
    (one,) = cool_downs.take_changes().begun
    assert one.strikes == 1


def test_others_learn_of_it_and_of_its_end():
    here, clock = started()
    there = CoolDowns(now=clock)
    here.limited(SPEC, retry_after=30)
    told = here.take_changes().begun
    there.load(told)
    assert there.remaining(SPEC) == 30
    assert not there.changed
    there.load([])
    assert there.remaining(SPEC) == 0


def test_what_was_noticed_meanwhile_is_not_unlearnt():
    cool_downs, _ = started()
    cool_downs.limited(SPEC, retry_after=30)
    cool_downs.load([])  # read before this one was written
    assert cool_downs.remaining(SPEC) == 30


def test_an_old_cool_down_says_nothing():
    cool_downs, clock = started()
    cool_downs.limited(SPEC, retry_after=30)
    clock.forward(30 + FORGOTTEN.total_seconds() + 1)
    assert cool_downs.limited_for(SPEC) == 0
    assert cool_downs.limited(SPEC, retry_after=30) == 30


def test_a_key_tells_address_key_and_model_apart_and_shows_none_of_them():
    specs = [
        SPEC, OTHER, ModelSpec(provider="openai", model="m2", base_url="https://one", api_key="k"),
        ModelSpec(provider="openai", model="m", base_url="https://one", api_key="k2"),
        ModelSpec(provider="anthropic", model="m", base_url="https://one", api_key="k"),
    ]  # fmt: skip
    assert len({key_of(spec) for spec in specs}) == 5
    assert all(len(key_of(spec)) == 24 for spec in specs)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["429", "ok", "wait"]), st.floats(0, 300)), max_size=60))
def test_no_call_goes_out_before_the_provider_said_so(steps):
    cool_downs, clock = started()
    not_before = clock()
    for step, seconds in steps:
        if step == "wait":
            clock.forward(seconds)
        elif cool_downs.remaining(SPEC) == 0:
            assert clock() >= not_before
            if step == "429":
                cool_downs.limited(SPEC, retry_after=seconds)
                if seconds > 2:
                    not_before = max(not_before, clock() + timedelta(seconds=seconds))
            else:
                cool_downs.answered(SPEC, began=clock())
        assert cool_downs.remaining(SPEC) <= 300


def test_a_model_that_answers_now_and_then_is_not_left_alone_for_longer_and_longer():
    """Two of three requests are refused for a second, the third is answered: what was learned ends with the answer."""
    clock = [datetime(2026, 3, 1, tzinfo=UTC)]
    known = CoolDowns(now=lambda: clock[0])
    waits = []
    for number in range(30):
        clock[0] += timedelta(seconds=known.remaining(SPEC))
        began = clock[0]
        if number % 3 == 2:
            known.answered(SPEC, began=began)
        else:
            waits.append(known.limited(SPEC, retry_after=1.0))
        clock[0] += timedelta(seconds=0.1)
    assert max(waits) <= 4.0
