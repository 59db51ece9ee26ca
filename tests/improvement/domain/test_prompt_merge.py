"""Drafts together: nothing is lost, nothing depends on their order, and what conflicts is said on both sides."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.improvement.domain.prompt_sections import parse, render
from apps.improvement.drafts.domain.prompt_merge import LIVE, combine

BASE = "Hello.\n# Role\nYou book haircuts.\n\n# Prices\nSay nothing of prices.\n\n# Closing\nSay goodbye.\n"
PRICES = BASE.replace("Say nothing of prices.", "Say the price of each service.")
CLOSING = BASE.replace("Say goodbye.", "Say goodbye by name.")
OTHER_PRICES = BASE.replace("Say nothing of prices.", "Name the cheapest price.")
PROMPTS = st.lists(
    st.sampled_from(
        ["# Tone", "# Prices", "## Legal", "<rules>", "</rules>", "1. Confirm", "2. Say the price", "   in shillings",
         "", "```", "Be brief.", "Be kind.", "{name}"]
    ),
    max_size=9,
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n"])
LAST = st.booleans()


@st.composite
def texts(draw: st.DrawFn, count: int) -> list[str]:
    """Prompts of one kind of line end, each with or without one after its last line."""
    end = draw(ENDS)
    return [end.join(draw(PROMPTS)) + (end if draw(LAST) else "") for _ in range(count)]


@settings(max_examples=400, deadline=None)
@given(texts(2))
def test_one_draft_alone_is_that_draft_byte_by_byte(made: list[str]) -> None:
    base, draft = made
    found = combine(base=base, drafts={"a": draft})
    assert (found.text, found.conflicts) == (draft, [])
    assert render(parse(draft)) == draft


@settings(max_examples=400, deadline=None)
@given(texts(4))
def test_the_order_of_drafts_is_nothing(made: list[str]) -> None:
    base, one, two, three = made
    there = combine(base=base, drafts={"a": one, "b": two, "c": three})
    back = combine(base=base, drafts={"c": three, "b": two, "a": one})
    assert there == back


@settings(max_examples=400, deadline=None)
@given(texts(3))
def test_a_conflict_is_the_same_from_both_sides(made: list[str]) -> None:
    base, one, two = made
    there = combine(base=base, drafts={"a": one, "b": two})
    back = combine(base=base, drafts={"a": two, "b": one})
    assert [(each.section, each.texts["a"], each.texts["b"]) for each in there.conflicts] == [
        (each.section, each.texts["b"], each.texts["a"]) for each in back.conflicts
    ]
    assert (there.text is None) == (back.text is None) == bool(there.conflicts)
    assert there.text == back.text


@settings(max_examples=400, deadline=None)
@given(texts(3))
def test_choosing_one_draft_everywhere_closes_every_conflict(made: list[str]) -> None:
    base, one, two = made
    found = combine(base=base, drafts={"a": one, "b": two})
    settled = combine(base=base, drafts={"a": one, "b": two}, choices={each.section: "a" for each in found.conflicts})
    assert settled.conflicts == []
    assert settled.text is not None


@settings(max_examples=200, deadline=None)
@given(texts(2))
def test_the_same_draft_twice_is_no_conflict(made: list[str]) -> None:
    base, draft = made
    assert combine(base=base, drafts={"a": draft, "b": draft}, live=draft).text == draft


def test_fixes_of_different_sections_stand_together() -> None:
    found = combine(base=BASE, drafts={"prices": PRICES, "closing": CLOSING})
    assert found.text == BASE.replace("Say nothing of prices.", "Say the price of each service.").replace(
        "Say goodbye.", "Say goodbye by name."
    )
    assert [(one.section, one.title, one.drafts) for one in found.changes] == [
        ("3", "Prices", ("prices",)), ("4", "Closing", ("closing",)),
    ]  # fmt: skip


def test_fixes_of_one_section_wait_for_a_person() -> None:
    drafts = {"prices": PRICES, "other": OTHER_PRICES, "closing": CLOSING}
    found = combine(base=BASE, drafts=drafts)
    assert found.text is None
    (conflict,) = found.conflicts
    assert (conflict.section, conflict.title) == ("3", "Prices")
    assert dict(conflict.texts) == {
        "other": "# Prices\nName the cheapest price.\n\n", "prices": "# Prices\nSay the price of each service.\n\n",
    }  # fmt: skip
    assert conflict.before == "# Prices\nSay nothing of prices.\n\n"
    settled = combine(base=BASE, drafts=drafts, choices={"3": "other"})
    assert settled.text == OTHER_PRICES.replace("Say goodbye.", "Say goodbye by name.")


def test_what_went_live_meanwhile_is_kept_and_conflicts_like_a_draft() -> None:
    live = BASE.replace("You book haircuts.", "You book haircuts and nails.")
    assert combine(base=BASE, drafts={"prices": PRICES}, live=live).text == live.replace(
        "Say nothing of prices.", "Say the price of each service."
    )
    found = combine(base=BASE, drafts={"prices": PRICES}, live=OTHER_PRICES)
    assert set(found.conflicts[0].texts) == {"prices", LIVE}
    assert combine(base=BASE, drafts={"prices": PRICES}, live=OTHER_PRICES, choices={"3": LIVE}).text == OTHER_PRICES


def test_what_two_drafts_add_at_one_place_is_a_conflict_and_at_two_is_not() -> None:
    one, two = f"{BASE}# Parking\nBehind the house.\n", f"{BASE}# Hours\nNine to five.\n"
    found = combine(base=BASE, drafts={"a": one, "b": two})
    assert [(each.section, each.title) for each in found.conflicts] == [("after 4", "after Closing")]
    first = BASE.replace("# Role", "# Hours\nNine to five.\n# Role")
    both = combine(base=BASE, drafts={"a": one, "b": first})
    assert both.text == first + "# Parking\nBehind the house.\n"


def test_a_section_added_behind_a_text_without_a_last_line_end_changes_nothing_else() -> None:
    base = BASE.rstrip("\n")
    found = combine(base=base, drafts={"a": f"{base}\n# Hours\nNine to five.", "b": PRICES.rstrip("\n")})
    assert found.text == f"{PRICES}# Hours\nNine to five."


@pytest.mark.parametrize("choices", [{"9": "prices"}, {"3": "nobody"}, {"4": "closing"}])
def test_a_choice_that_is_none_is_refused(choices: dict[str, str]) -> None:
    with pytest.raises(BadInput) as refused:
        combine(base=BASE, drafts={"prices": PRICES, "other": OTHER_PRICES, "closing": CLOSING}, choices=choices)
    assert refused.value.code == "bad_choice"
