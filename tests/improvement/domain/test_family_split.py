"""Families are placed once, by their digests, where the shares lack most."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from apps.improvement.holdout.domain.family_split import SHARES, Member, place_families, settle_families
from apps.improvement.holdout.domain.parts import Part

NAMES = st.sets(st.text(min_size=1, max_size=12), max_size=60)


@given(NAMES)
def test_every_family_gets_one_part_and_shares_are_met_to_one_family(families: set[str]) -> None:
    parts = place_families({}, families)
    counts = Counter(parts.values())
    assert parts.keys() == families
    assert all(abs(counts[part] - share * len(families)) < 1.5 for part, share in SHARES.items())


@given(NAMES, NAMES)
def test_a_family_that_has_a_part_keeps_it_whatever_comes(first: set[str], later: set[str]) -> None:
    placed = place_families({}, first)
    assert not place_families(placed, first)
    assert place_families(placed, first | later).keys() == later - first


def test_neither_names_nor_their_order_choose() -> None:
    families = [f"family-{number:02}" for number in range(40)]
    parts = place_families({}, families)
    assert parts == place_families({}, reversed(families))
    assert Counter(parts.values()) == {Part.HOLD_OUT: 16, Part.TRAIN: 12, Part.SELECTION: 12}
    assert [parts[name] for name in families[:16]].count(Part.HOLD_OUT) != 16


def test_new_families_refill_a_hold_out_that_went_to_train() -> None:
    worn = dict.fromkeys((f"old-{number}" for number in range(40)), Part.TRAIN)
    parts = place_families(worn, [f"new-{number}" for number in range(12)])
    assert Counter(parts.values()).most_common(1)[0][0] is Part.HOLD_OUT
    assert Part.TRAIN not in parts.values()


# --- Scenarios that moved ---
WORDS = frozenset(range(20))


def member(family: str, slug: str, words: frozenset[int] = frozenset()) -> Member:
    return Member(family=family, slug=slug, words=words)


def test_a_family_with_scenarios_of_several_follows_the_most_exposed_and_wears_the_sealed_one() -> None:
    placed = {"read": Part.TRAIN, "sealed": Part.HOLD_OUT}
    known = [member("read", "a"), member("sealed", "b")]
    found = settle_families(placed, ["new"], fresh=[member("new", "b"), member("new", "a")], known=known)
    assert (found.parts, found.follows) == ({"new": Part.TRAIN}, {"new": "read"})
    assert found.spent == frozenset({"sealed"})


@given(st.integers(0, 20))
def test_a_copy_is_known_by_four_fifths_of_its_words(kept: int) -> None:
    copy = frozenset(range(kept)) | frozenset(range(100, 120 - kept))
    found = settle_families({"read": Part.TRAIN}, ["new"], fresh=[member("new", "b", copy)],
                            known=[member("read", "a", WORDS)])  # fmt: skip
    assert (found.follows == {"new": "read"}) is (kept >= 16)


def test_a_scenario_that_stayed_links_nothing() -> None:
    placed = {"one": Part.TRAIN, "two": Part.HOLD_OUT}
    assert settle_families(placed, placed, fresh=[member("one", "a")], known=[member("one", "a")]).spent == frozenset()
