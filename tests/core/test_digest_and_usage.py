"""Digests are the same everywhere; token counts add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.digest import canonical_json, sha256_hex
from apps.core.usage import Usage

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
counts = st.builds(
    Usage, input_tokens=st.integers(0, 9), cached_tokens=st.integers(0, 9), output_tokens=st.integers(0, 9)
)


def test_key_order_and_spaces_do_not_change_a_digest() -> None:
    assert canonical_json({"b": 1, "a": ["é"]}) == '{"a":["é"],"b":1}'
    assert sha256_hex({"b": 1, "a": 2}) == sha256_hex({"a": 2, "b": 1}) == sha256_hex('{"a":2,"b":1}')


def test_what_json_cannot_say_has_no_digest() -> None:
    with pytest.raises(ValueError, match="JSON"):
        sha256_hex({"a": float("nan")})


@given(values, values)
def test_different_values_have_different_digests(left: object, right: object) -> None:
    assert (canonical_json(left) == canonical_json(right)) == (sha256_hex([left]) == sha256_hex([right]))


@given(counts, counts)
def test_usage_adds_up_in_any_order(left: Usage, right: Usage) -> None:
    assert left + right == right + left
    assert (left + right).total_tokens == left.total_tokens + right.total_tokens
    assert left + Usage() == left
