"""What a draft is told after a trial: better, not shown to be better, or blocked."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.improvement.domain.acceptance import AcceptanceVerdict, decide

# Two published rows of differences with their bounds at looks 1 to 3 (simulated and enumerated exactly elsewhere).
TWELVE = [1.2, 0.4, -0.3, 0.9, 2.1, 0, 0.6, -0.8, 1.5, 0.7, 0.2, 1.0]
TWENTY_FOUR = [round(0.5 + 1.3 * math.sin(7 * i), 2) for i in range(1, 25)]


def pairs_of(differences: list[float], **more: Any) -> list[dict[str, Any]]:
    return [
        {"scenario": f"s{n}", "persona": "amina", "language": "en", "live": 5.0, "draft": 5.0 + gain, **more}
        for n, gain in enumerate(differences)
    ]


@pytest.mark.parametrize(
    "differences, look, low, high",
    [
        (TWELVE, 1, 0.12, 1.133333333),
        (TWELVE, 2, 0.025, 1.225),
        (TWELVE, 3, -0.066666667, 1.333333333),
        (TWENTY_FOUR, 1, 0.144615385, 0.955833333),
        (TWENTY_FOUR, 2, 0.077272727, 1.022307692),
        (TWENTY_FOUR, 3, 0.0125, 1.085714286),
    ],
)
def test_the_interval_is_that_of_the_published_rows(differences: list[float], look: int, low: float, high: float):
    found = decide(pairs_of(differences), look=look)

    assert found.interval == pytest.approx((low, high), abs=1e-8)
    assert found.verdict == ("better" if low > 0 else "not_shown")
    assert found.level == pytest.approx(0.05 * 2**-look)


def test_a_draft_like_the_live_prompt_shows_nothing_and_no_interval():
    found = decide(pairs_of([0.0] * 20))

    assert (found.verdict, found.codes, found.interval) == ("not_shown", ("nothing_differs",), None)


@pytest.mark.parametrize("look, differ, verdict", [(1, 5, "not_shown"), (1, 6, "better"), (2, 6, "not_shown")])
def test_a_claim_takes_five_families_that_differ_and_one_more_for_each_look(look: int, differ: int, verdict: str):
    found = decide(pairs_of([1.0] * differ + [0.0] * (20 - differ)), look=look)

    assert found.verdict == verdict
    assert ("too_few_differ" in found.codes) == (verdict == "not_shown")


def test_below_twelve_families_nothing_is_proven_however_large_the_gain():
    found = decide(pairs_of([3.0] * 11))

    assert found.verdict == "not_shown"
    assert found.codes[0] == "no_hold_out"
    assert "1 more family is needed" in found.reasons[0]


def test_near_duplicates_of_one_family_count_once():
    copies = [{**pair, "family": "late booking"} for pair in pairs_of([2.0] * 30)]

    found = decide(copies)

    assert (found.families, found.pairs, found.verdict) == (1, 30, "not_shown")


def test_a_persona_that_was_played_more_often_counts_no_more():
    often = [{"scenario": "s", "persona": "a", "live": 5, "draft": 9}] * 9
    once = [{"scenario": "s", "persona": "b", "live": 5, "draft": 5}]

    assert decide([*often, *once]).estimate == pytest.approx(2.0)


@pytest.mark.parametrize("worse, verdict", [(-1.01, "blocked"), (-1.0, "not_shown"), (-0.99, "not_shown")])
def test_more_than_one_point_worse_is_blocked(worse: float, verdict: str):
    found = decide(pairs_of([worse] * 12))

    assert found.verdict == verdict
    assert ("regression_detected" in found.codes) == (verdict == "blocked")


def test_three_rounds_of_nearly_a_point_are_blocked_by_the_first_prompt_of_the_lineage():
    found = decide([{**pair, "original": 5.0 + 2 * 0.9} for pair in pairs_of([-0.9] * 12)])

    assert found.verdict == "blocked"
    assert found.against_original == pytest.approx(-2.7)
    assert "first prompt of this lineage" in found.reasons[0]


def test_a_criterion_that_is_clearly_worse_blocks_what_is_better_on_the_whole():
    gained = pairs_of([1.0] * 16)
    for pair in gained:
        pair["criteria"] = {"warmth": [4.0, 7.0], "no_refund_promised": [9.0, 7.4]}

    found = decide(gained)

    assert (found.verdict, found.blocked_criteria) == ("blocked", ("no_refund_promised",))
    assert {one.name: one.worse for one in found.criteria} == {"warmth": False, "no_refund_promised": True}


def test_a_criterion_that_is_half_a_point_worse_does_not_block():
    gained = [{**pair, "criteria": {"warmth": [5.0, 4.5]}} for pair in pairs_of([1.0] * 16)]

    assert decide(gained).verdict == "better"


def test_a_gain_that_one_persona_carries_is_flagged():
    carried = [
        {"scenario": f"s{n}", "persona": who, "live": 5.0, "draft": 5.0 + gain}
        for n in range(16)
        for who, gain in (("amina", 3.0), ("brian", 0.1), ("carla", 0.1))
    ]

    found = decide(carried)

    assert (found.verdict, found.flagged) == ("better", ("amina",))
    assert "carried_by_one_persona" in found.codes


def test_a_missing_score_is_left_out_and_counted_and_never_zero():
    some = [
        *pairs_of([1.0] * 14),
        {"scenario": "x", "live": 6.0, "draft": None},
        {"scenario": "y", "live": None, "draft": 2},
    ]

    found = decide(some)

    assert (found.verdict, found.pairs, found.left_out) == ("better", 14, 2)
    assert found.estimate == pytest.approx(1.0)


def test_a_draft_does_not_win_by_conversations_that_cannot_be_judged():
    hard = [{"scenario": f"hard{n}", "live": 4.0, "draft": None} for n in range(4)]

    found = decide([*pairs_of([1.0] * 16), *hard])

    assert (found.verdict, found.codes) == ("not_shown", ("scores_missing",))


def test_languages_are_shown_beside_the_whole_and_the_worse_one_is_named():
    both = [{**pair, "language": "en"} for pair in pairs_of([2.0] * 12)] + [
        {**pair, "scenario": f"sw{n}", "language": "sw"} for n, pair in enumerate(pairs_of([-0.5] * 8))
    ]

    groups = {one.name: one for one in decide(both).groups if one.kind == "language"}

    assert (groups["sw"].worse, groups["en"].worse) == (True, False)
    assert groups["sw"].estimate == pytest.approx(-0.5)


@pytest.mark.parametrize(
    "bad, pointer",
    [
        ([{"scenario": "a", "live": math.nan, "draft": 1}], "/pairs/0/live"),
        ([{"scenario": "a", "live": 1, "draft": math.inf}], "/pairs/0/draft"),
        ([{"scenario": "a", "live": 1, "draft": "9"}], "/pairs/0/draft"),
        ([{"scenario": "a", "live": True, "draft": 1}], "/pairs/0/live"),
        ([{"scenario": "", "live": 1, "draft": 1}], "/pairs/0/scenario"),
        ([{"live": 1, "draft": 1}], "/pairs/0/scenario"),
        ([{"scenario": "a", "live": 1}], "/pairs/0/draft"),
        ([{"scenario": "a", "live": 1, "draft": 1, "criteria": {"x": [1]}}], "/pairs/0/criteria/x"),
        (["no pair"], "/pairs/0"),
        ("no pairs", "/pairs"),
        (None, "/pairs"),
    ],
)
def test_what_is_no_pair_is_refused_at_its_place(bad: Any, pointer: str):
    with pytest.raises(BadInput) as error:
        decide(bad)
    assert error.value.pointer == pointer


@pytest.mark.parametrize("wrong", [{"look": 0}, {"look": True}, {"alpha": 1}, {"alpha": 0}, {"block_points": -1}])
def test_a_wrong_argument_is_named(wrong: dict[str, Any]):
    with pytest.raises(BadInput) as error:
        decide([], **wrong)
    assert error.value.pointer == f"/{next(iter(wrong))}"


def test_without_pairs_nothing_is_said():
    found = decide([])

    assert (found.verdict, found.estimate, found.interval) == ("not_shown", None, None)
    assert "Nothing can be said" in found.sentence


SCORES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=18)


@settings(max_examples=60, deadline=None)
@given(SCORES, st.randoms(use_true_random=False), st.integers(1, 3))
def test_the_order_of_the_pairs_changes_nothing(scores: list[tuple[int, int]], chance: Any, look: int):
    pairs = [
        {"scenario": f"s{n % 15}", "persona": f"p{n % 3}", "language": "en", "live": a / 2, "draft": b / 2}
        for n, (a, b) in enumerate(scores)
    ]
    shuffled = list(pairs)
    chance.shuffle(shuffled)

    assert decide(pairs, look=look) == decide(shuffled, look=look)


@settings(max_examples=60, deadline=None)
@given(SCORES, st.integers(1, 3))
def test_the_word_and_the_interval_never_disagree(scores: list[tuple[int, int]], look: int):
    found = decide([{"scenario": f"s{n}", "live": a / 2, "draft": b / 2} for n, (a, b) in enumerate(scores)], look=look)

    if found.verdict == AcceptanceVerdict.BETTER:
        assert found.interval is not None
        assert found.interval[0] > 0
        assert found.families >= 12
    if found.interval is None:
        assert found.verdict != AcceptanceVerdict.BETTER


def test_without_a_gain_a_claim_is_as_rare_as_its_level_says():
    """300 trials of 16 families at look 1: 2.5 % are due, 15 of 300 are beyond three standard errors."""
    chance = np.random.default_rng(7)
    claims = sum(decide(pairs_of(list(chance.normal(0, 1, 16)))).verdict == "better" for _ in range(300))

    assert claims <= 15


@pytest.mark.parametrize("families, verdict", [(4, "better"), (5, "blocked")])
def test_a_criterion_of_few_families_blocks_from_one_chance_in_twenty(families: int, verdict: str):
    """All families lose: the chance of that is 1 in 2^families, 6.25 % and 3.1 %."""
    gained = pairs_of([1.0] * 16)
    for pair in gained[:families]:
        pair["criteria"] = {"warmth": [8.0, 7.0]}

    assert decide(gained).verdict == verdict


def test_a_language_has_the_interval_that_it_would_have_alone_at_the_first_look():
    found = decide(
        pairs_of(TWELVE) + [{**pair, "scenario": f"t{n}", "language": "sw"} for n, pair in enumerate(pairs_of(TWELVE))]
    )

    assert [(one.name, one.families) for one in found.groups] == [("en", 12), ("sw", 12)]
    assert all(one.interval == pytest.approx((0.12, 1.133333333), abs=1e-8) for one in found.groups)


@pytest.mark.parametrize("lost, codes", [(2, ()), (3, ("scores_missing",))])
def test_a_tenth_of_the_scores_may_be_missing_and_no_more(lost: int, codes: tuple[str, ...]):
    given = pairs_of([1.0] * 20)
    for pair in given[:lost]:
        pair["draft"] = None

    found = decide(given)

    assert tuple(code for code in found.codes if code == "scores_missing") == codes
    assert found.left_out == lost


def test_the_first_line_says_the_change_its_interval_and_the_first_reason():
    better = decide(pairs_of(TWELVE))
    assert better.sentence == "Better: +0.63 points over 12 families (look 1, 95 % interval +0.12 to +1.13)."
    assert better.reasons == ("The gain is at least +0.12 points.",)

    chance = decide(pairs_of(TWELVE), look=3)
    assert chance.reasons == ("Not shown to be better: it may as well be -0.07 points.",)
    assert chance.sentence.endswith(f"over 12 families (look 3, 98.8 % interval -0.07 to +1.33). {chance.reasons[0]}")

    worse = decide(pairs_of([-1.5] * 12))
    assert worse.reasons[0] == "Regression detected: -1.50 points against the live prompt, and more than 1 is blocked."
    assert (
        worse.sentence
        == f"Blocked: -1.50 points over 12 families (look 1, 95 % interval -1.50 to -1.50). {worse.reasons[0]}"
    )


@pytest.mark.parametrize("families, chance", [(5, "p = 0.031"), (9, "p = 0.002"), (10, "p < 0.001")])
def test_a_chance_of_a_loss_is_never_written_as_nought(families: int, chance: str):
    gained = pairs_of([1.0] * 16)
    for pair in gained[:families]:
        pair["criteria"] = {"warmth": [8.0, 7.0]}

    assert decide(gained).reasons[0] == (
        f"warmth is clearly worse: -1.00 points ({chance}, adjusted for all criteria)."
    )


def test_the_gain_that_is_promised_is_rounded_down():
    """The lower bound of these rows at the second look is 0.025."""
    assert decide(pairs_of(TWELVE), look=2).reasons == ("The gain is at least +0.02 points.",)
