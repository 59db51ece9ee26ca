"""Spans say who answered: what cannot be read is left out, and nothing is refused for it."""

from hypothesis import given
from hypothesis import strategies as st

from apps.production.rollouts.domain.trace_routing import joined_routing, routing_of

CALLER = "00000000-0000-0000-0000-00000000000A"


def test_a_span_names_its_caller_alias_and_cost() -> None:
    named = routing_of({"ratiba.tenant_id": CALLER, "ratiba.alias": "canary", "cost_usd": 0.25})
    assert named == {"caller": CALLER.lower(), "alias": "canary", "cost_usd": 0.25}
    assert routing_of({"tenant_id": "salon 7", "alias": "beta", "cost_usd": "much"}) == {}


def test_a_conversation_of_two_versions_names_both_and_costs_what_its_calls_cost() -> None:
    spans = [
        {"prompt_version": "g@1", "cost_usd": 0.1},
        {"prompt_version": "g@2"},
        {"prompt_version": "g@1", "cost_usd": 0.2},
    ]
    found = joined_routing(spans)
    assert found["prompt_versions"] == ["g@1", "g@2"]
    assert round(found["cost_usd"], 6) == 0.3
    assert joined_routing([{"prompt_version": "g@1"}]) == {}


@given(
    st.dictionaries(
        st.sampled_from(["tenant_id", "ratiba.alias", "cost_usd"]),
        st.one_of(st.text(), st.floats(), st.none(), st.lists(st.text())),
    )
)
def test_whatever_stands_in_a_span_is_read_without_an_error(held: dict[str, object]) -> None:
    found = routing_of(held)
    assert 0 <= found.get("cost_usd", 0) <= 1000
