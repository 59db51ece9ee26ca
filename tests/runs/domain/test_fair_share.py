"""Runs take turns, and no limit is passed."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.runs.playing.domain.fair_share import ConcurrencyLimits, Contender, FairChoice, InFlight, choose

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def waiting(run: str, count: int, *, agent: str = "a", **more) -> list[Contender]:
    return [Contender(id=f"{run}{n}", run=run, agent=agent, **more) for n in range(count)]


def chosen(candidates, *, playing=(), at_most=100, tenant=100, **limits) -> FairChoice:
    return choose(
        candidates, playing=playing, limits=ConcurrencyLimits(tenant=tenant, **limits), at_most=at_most, now=NOW,
        chance=lambda low, high: low,
    )  # fmt: skip


def test_a_run_of_three_is_begun_beside_one_of_a_thousand():
    found = chosen([*waiting("large", 1000), *waiting("small", 3)], tenant=8)
    assert Counter(one[0] for one in found.ids) == {"l": 5, "s": 3}


def test_who_has_fewest_in_flight_comes_first():
    playing = [InFlight(run="x", agent="a", provider="", count=4), InFlight(run="y", agent="a", provider="", count=1)]
    found = chosen([*waiting("x", 9), *waiting("y", 9)], playing=playing, tenant=9)
    assert Counter(one[0] for one in found.ids) == {"y": 3, "x": 1}


def test_an_agent_that_is_full_stops_its_runs_and_not_the_others():
    found = chosen([*waiting("x", 9), *waiting("y", 9, agent="b")], agents={"a": 2}, tenant=6)
    assert Counter(one[0] for one in found.ids) == {"x": 2, "y": 4}


def test_a_model_provider_that_is_full_stops_those_whose_customer_it_plays():
    found = chosen([*waiting("x", 9, provider="p"), *waiting("y", 2)], providers={"p": 1}, tenant=6)
    assert Counter(one[0] for one in found.ids) == {"x": 1, "y": 2}


def test_one_start_of_an_agent_at_a_time_where_it_has_a_stagger():
    found = chosen([*waiting("x", 3, stagger_s=(5, 10)), *waiting("y", 3, agent="b")])
    assert Counter(one[0] for one in found.ids) == {"x": 1, "y": 3}
    assert found.next_start == {"a": NOW + timedelta(seconds=5)}


def test_what_goes_on_in_its_session_does_not_wait_for_a_start():
    rows = [*waiting("x", 2), Contender(id="on", run="x", agent="a", starts=False)]
    assert chosen(rows, next_start={"a": NOW + timedelta(seconds=1)}).ids == ("on",)


def test_what_is_left_over_is_told():
    assert chosen(waiting("x", 3), at_most=2).more
    assert not chosen(waiting("x", 2), at_most=2).more
    assert not chosen(waiting("x", 3), tenant=2, at_most=2).more  # another worker would find no place either


rows = st.lists(
    st.builds(
        Contender, id=st.uuids(), run=st.sampled_from("rst"), agent=st.sampled_from("ab"),
        provider=st.sampled_from(["", "p"]), starts=st.booleans(), stagger_s=st.sampled_from([(0.0, 0.0), (1.0, 2.0)]),
    ),
    max_size=30,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(rows, st.integers(1, 12), st.integers(1, 5), st.integers(1, 5), st.integers(1, 12))
def test_no_limit_is_ever_passed_and_no_place_stays_empty(candidates, tenant, agent, provider, at_most):
    found = chosen(candidates, tenant=tenant, agents={"a": agent}, providers={"p": provider}, at_most=at_most)
    by_id = {one.id: one for one in candidates}
    taken = [by_id[one] for one in found.ids]
    assert len(taken) == len(set(found.ids)) <= min(tenant, at_most)
    agents = Counter(one.agent for one in taken)
    assert agents["a"] <= agent
    assert Counter(one.provider for one in taken)["p"] <= provider
    for name in "ab":
        begun = [one for one in taken if one.agent == name and one.starts]
        assert all(one.stagger_s[1] == 0 for one in begun[:-1])  # after one with a stagger none begins
    if len(taken) < min(tenant, at_most):
        left = [one for one in candidates if one.id not in set(found.ids)]
        for one in left:
            full = one.agent == "a" and agents["a"] == agent
            full |= one.provider == "p" and sum(1 for other in taken if other.provider == "p") == provider
            assert full or (one.starts and one.agent in found.next_start)
