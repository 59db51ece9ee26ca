"""The structured persona: what is read comes back the same, and what is wrong is named."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.catalog.personas.domain.spec import Typing, played_words, read_persona_spec
from apps.core.errors import BadInput
from tests.dashboard.persona_samples import SPEC

WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Z")), min_size=1, max_size=40)
LINES = st.lists(WORDS, max_size=4)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "demographics": st.dictionaries(WORDS, WORDS, max_size=4),
        "temper": WORDS,
        "patience": st.integers(1, 5),
        "typing": st.lists(st.sampled_from([one.value for one in Typing]), unique=True),
        "goal": st.fixed_dictionaries({}, optional={"text": WORDS, "success": WORDS}),
        "knowledge": st.fixed_dictionaries({}, optional={"knows": LINES, "does_not_know": LINES}),
        "behaviours": st.lists(
            st.fixed_dictionaries({"name": WORDS, "instruction": WORDS, "violation": WORDS}),
            unique_by=lambda one: one["name"],
            max_size=3,
        ),
        "never": LINES,
    },
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*SPEC, "text", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(SPECS)
def test_the_stored_form_is_read_back_as_it_is(raw: dict[str, Any]) -> None:
    spec = read_persona_spec(raw)
    assert read_persona_spec(spec.as_json()) == spec
    for behaviour in raw.get("behaviours", ()):
        assert behaviour["instruction"] in spec.portrait()


@settings(max_examples=150, deadline=None)
@given(ANYTHING)
def test_whatever_comes_is_read_or_refused_at_a_place(raw: Any) -> None:
    pointer = "/spec"
    try:
        read_persona_spec(raw, "/spec").as_json()
    except BadInput as error:
        pointer = str(error.pointer)
    assert pointer.startswith("/spec")


def test_a_simulator_is_not_told_by_what_it_is_checked() -> None:
    words = played_words("Wanjiru, 34.", SPEC)
    assert words.startswith("Wanjiru, 34.\n\nage: 34")
    assert "She greets" not in words
    assert "- gives a PIN" in words
    assert played_words("Wanjiru, 34.", {}) == "Wanjiru, 34."


@pytest.mark.parametrize("raw", [{"goal": {"text": "a\x00b"}}, {"typing": ["short", "short"]}, {"patience": "2"}, []])
def test_what_is_wrong_is_named(raw: Any) -> None:
    with pytest.raises(BadInput) as refused:
        read_persona_spec(raw, "/spec")
    assert str(refused.value.pointer).startswith("/spec")
