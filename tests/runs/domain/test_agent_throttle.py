"""An agent that limits us, becomes slow or is down is asked less, and then as much as before."""

from datetime import UTC, datetime, timedelta

from apps.runs.domain.agent_throttle import Throttle, answered, failed, limited, measured, places

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def failed_times(count: int, state: Throttle | None = None) -> Throttle:
    state = state or Throttle()
    for _ in range(count):
        state = failed(state, error="refused", now=NOW)
    return state


def test_a_limit_stops_everybody_and_then_lets_half_as_many():
    state = limited(Throttle(), retry_after_s=20, in_flight=8, now=NOW)
    assert places(state, now=later(19)) == 0
    assert places(state, now=later(20)) == 4


def test_those_under_way_when_it_limited_us_halve_nothing_and_the_longest_pause_counts():
    state = limited(Throttle(), retry_after_s=20, in_flight=8, now=NOW)
    for _ in range(7):
        state = limited(state, retry_after_s=5, in_flight=8, now=later(1))
    assert (state.at_once, state.resumes_at) == (4, later(20))


def test_it_comes_back_window_by_window():
    state = limited(Throttle(), retry_after_s=1, in_flight=8, now=NOW)
    seen = []
    while state.at_once is not None:
        state = measured(state, median_s=0.5, in_flight=state.at_once, most=8)
        seen.append(state.at_once)
    assert seen == [6, None]


def test_replies_twice_as_slow_halve_and_chance_does_not():
    usual = measured(Throttle(), median_s=0.5, in_flight=8, most=8)
    assert measured(usual, median_s=0.9, in_flight=8, most=8).at_once is None
    slow = measured(usual, median_s=1.5, in_flight=8, most=8)
    assert slow.at_once == 4
    assert measured(slow, median_s=0.5, in_flight=4, most=8).at_once == 6


def test_an_agent_that_became_slower_for_good_is_not_spared_for_ever():
    state = measured(Throttle(), median_s=0.5, in_flight=8, most=8)
    windows = 0
    while state.at_once is not None or windows == 0:
        state = measured(state, median_s=1.5, in_flight=state.at_once or 8, most=8)
        windows += 1
    assert windows < 40


def test_three_failures_in_a_row_and_it_is_down_then_one_is_tried():
    assert places(failed_times(2), now=NOW) is None
    down = failed_times(3)
    assert places(down, now=later(4)) == 0
    assert places(down, now=later(5)) == 1
    assert places(answered(down), now=NOW) is None


def test_an_answer_between_begins_the_count_anew():
    assert failed_times(2, answered(failed_times(2))).down_since is None


def test_it_is_tried_less_often_the_longer_it_is_down():
    state, at = failed_times(3), NOW
    waits = []
    for _ in range(6):
        at = state.probe_at
        state = failed(state, error="refused", now=at)
        waits.append((state.probe_at - at).total_seconds())
    assert waits == [5, 10, 20, 40, 60, 60]


def test_those_under_way_when_it_went_down_put_off_no_try():
    down = failed_times(3)
    assert failed_times(20, down).probe_at == down.probe_at


def test_a_fast_agent_is_never_strained():
    state = Throttle(usual_latency_s=0.01)
    for median_s in (0.003, 0.1, 0.24):
        assert measured(state, median_s=median_s, in_flight=24, most=24).at_once is None
    assert measured(state, median_s=0.3, in_flight=24, most=24).at_once == 12
