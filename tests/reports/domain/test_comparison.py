"""Which of two is better: the outcome of each criterion, what became of each conversation, and the sentence."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.reports.comparisons.domain.comparison import (
    ComparisonOutcome,
    ConversationChange,
    Difference,
    Question,
    ScorePair,
    changes,
    decision_sentence,
    differences,
    with_outcomes,
)


def pairs(n: int, moved: Callable[[random.Random], float], *, seed: int = 1) -> list[ScorePair]:
    chance = random.Random(seed)
    return [ScorePair(cluster=place, a=5.0, b=5.0 + moved(chance)) for place in range(n)]


def difference(name: str, rows: list[ScorePair], *, seed: int, pass_mark: float | None = None) -> Difference:
    return differences([Question(name=name, pairs=rows, pass_mark=pass_mark)], seed=seed)[0]


def test_questions_asked_together_are_answered_as_each_alone() -> None:
    asked = [
        Question(name=str(at), pairs=pairs(n, lambda chance: chance.gauss(0.2, 1), seed=at), pass_mark=5.5)
        for at, n in enumerate((40, 40, 7, 0, 1, 1_200, 55))
    ]
    together = differences(asked, seed=3)
    for one, alone in zip(together, (differences([question], seed=3)[0] for question in asked), strict=True):
        assert one.interval == (alone.interval and pytest.approx(alone.interval))
        assert replace(one, interval=None) == replace(alone, interval=None)


def test_a_real_improvement_is_better_and_says_by_how_much() -> None:
    [found] = with_outcomes([difference("flow", pairs(80, lambda chance: chance.gauss(0.8, 1)), seed=2)])
    assert found.outcome is ComparisonOutcome.B_BETTER
    assert found.interval is not None
    assert found.interval[0] > 0
    assert found.needed is None


def test_the_same_improvement_the_other_way_round_is_a_loss() -> None:
    [found] = with_outcomes([difference("flow", pairs(80, lambda chance: chance.gauss(-0.8, 1)), seed=2)])
    assert found.outcome is ComparisonOutcome.A_BETTER


def test_a_narrow_interval_around_nothing_is_no_difference() -> None:
    [found] = with_outcomes([difference("flow", pairs(200, lambda chance: chance.gauss(0, 1)), seed=2)])
    assert found.outcome is ComparisonOutcome.NO_DIFFERENCE


def test_a_wide_interval_cannot_tell_and_says_how_many_more_it_takes() -> None:
    [found] = with_outcomes([difference("flow", pairs(20, lambda chance: chance.gauss(0.4, 2)), seed=2)])
    assert found.outcome is ComparisonOutcome.CANNOT_TELL
    assert found.needed is not None
    assert 50 < found.needed < 200  # (2.8 · 2 / 0.5)² = 126 in all, by the spread that was seen


def test_a_large_difference_takes_few_more_cases_and_not_the_hundreds_of_half_a_point() -> None:
    deltas = [-9.1, -8.6, -8.3, -8.1, -8.1, -7.4, -0.4, 0.0, 0.0, 0.0, 0.0, 0.1]
    fallen = [ScorePair(cluster=place, a=10.0, b=10.0 + delta) for place, delta in enumerate(deltas)]
    others = [difference(str(at), pairs(12, lambda _: 0.0), seed=2) for at in range(10)]
    found = with_outcomes([difference("tone", fallen, seed=2), *others])[0]
    assert found.outcome is ComparisonOutcome.CANNOT_TELL
    assert found.needed is not None
    assert 10 < found.needed < 60  # (2.8 · 4.3 / 2.0)² = 36 in all, for the smallest fall that the interval leaves


def test_five_pairs_decide_nothing_however_clear_they_look() -> None:
    [found] = with_outcomes([difference("flow", pairs(5, lambda _: 4.0), seed=2)])
    assert found.outcome is ComparisonOutcome.CANNOT_TELL


def test_trials_of_one_case_are_no_evidence_of_their_own() -> None:
    trials = [ScorePair(cluster="the same case", a=5, b=9) for _ in range(100)]
    [found] = with_outcomes([difference("flow", trials, seed=1)])
    assert (found.pairs, found.clusters, found.outcome) == (100, 1, ComparisonOutcome.CANNOT_TELL)


def test_asking_many_questions_makes_each_answer_harder_to_get() -> None:
    moved = [2.0, 1.8, 1.5, 1.2, 1.0, 0.9, 0.8, -0.5, -0.6]
    weak = difference("weak", [ScorePair(cluster=n, a=5, b=5 + by) for n, by in enumerate(moved)], seed=2)
    assert weak.chance == pytest.approx(14 / 512)
    alone = with_outcomes([weak])[0]
    among = with_outcomes(
        [weak, *(difference(f"c{n}", pairs(9, lambda c: c.gauss(0, 2), seed=n), seed=n) for n in range(8))]
    )
    assert alone.outcome is ComparisonOutcome.B_BETTER
    assert among[0].outcome is ComparisonOutcome.CANNOT_TELL


def test_passing_on_one_side_only_is_counted_and_tested() -> None:
    both = [ScorePair(cluster=n, a=7, b=5) for n in range(12)] + [
        ScorePair(cluster=100 + n, a=5, b=7) for n in range(4)
    ]
    found = difference("flow", both, seed=1, pass_mark=6)
    assert found.passes == (12, 4)
    assert found.passes_chance == pytest.approx(0.076812744140625)


def test_every_conversation_is_listed_the_changed_ones_first_and_the_largest_of_them_first() -> None:
    a = {"same": 5.0, "worse": 8.0, "much worse": 9.0, "better": 2.0, "gone": 4.0, "never scored": None}
    b = {"same": 5.4, "worse": 7.0, "much worse": 1.0, "better": 3.0, "new": 6.0, "never scored": None}
    assert list(changes(a, b).items()) == [
        ("much worse", ConversationChange.WORSE),
        ("worse", ConversationChange.WORSE),
        ("better", ConversationChange.BETTER),
        ("gone", ConversationChange.GONE),
        ("new", ConversationChange.NEW),
        ("same", ConversationChange.SAME),
    ]


def told(name: str, outcome: ComparisonOutcome, mean: float = 0.0, low: float = 0.0, high: float = 0.0) -> Difference:
    blank = Difference(name=name, pairs=40, clusters=40, mean=mean, interval=(low, high), outcome=outcome)
    return replace(blank, needed=112 if outcome is ComparisonOutcome.CANNOT_TELL else None)


def test_the_sentence_names_what_got_better_what_did_not_and_what_got_worse() -> None:
    same = told("overall", ComparisonOutcome.NO_DIFFERENCE)
    better = told("discovery", ComparisonOutcome.B_BETTER, 0.4, 0.1, 0.7)
    said = decision_sentence(same, [better, told("flow", ComparisonOutcome.NO_DIFFERENCE)], worse=3)
    assert (
        said == "B is better by 0.4 [0.1, 0.7] on discovery; no difference shown elsewhere; 3 conversations got worse."
    )


def test_a_loss_is_told_as_a_loss_of_what_was_asked_about() -> None:
    lost = told("flow", ComparisonOutcome.A_BETTER, -0.6, -0.9, -0.3)
    said = decision_sentence(
        told("overall", ComparisonOutcome.A_BETTER, -0.5, -0.7, -0.2), [lost], worse=1, a="v3", b="v4"
    )
    assert (
        said
        == "v4 is worse by 0.5 [0.2, 0.7] overall; v4 is worse by 0.6 [0.3, 0.9] on flow; 1 conversation got worse."
    )


def test_when_nothing_can_be_told_the_sentence_says_how_many_more() -> None:
    nothing = told("overall", ComparisonOutcome.CANNOT_TELL)
    assert decision_sentence(nothing, [nothing], worse=0) == "Not enough data, about 112 more cases."
    mixed = decision_sentence(
        told("overall", ComparisonOutcome.NO_DIFFERENCE), [told("tone", ComparisonOutcome.CANNOT_TELL)], worse=0
    )
    assert mixed == "No difference shown, not enough data on tone, about 112 more cases."


def test_nothing_in_common_is_said() -> None:
    nothing = difference("overall", [], seed=1)
    assert "nothing in common" in decision_sentence(nothing, [], worse=0)


def test_an_evaluator_compared_with_itself_is_seldom_better() -> None:
    """The declared error rate: of 200 comparisons of pure noise at most 5 % (and chance) find a winner."""
    wrong = 0
    for seed in range(200):
        found = with_outcomes(
            [difference("flow", pairs(30, lambda chance: chance.gauss(0, 1.5), seed=seed), seed=seed)]
        )
        wrong += found[0].outcome in (ComparisonOutcome.B_BETTER, ComparisonOutcome.A_BETTER)
    assert wrong <= 18  # 200 x 5 % = 10, and three standard errors


@given(
    st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.floats(0, 10)), max_size=12),
    st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.floats(0, 10)), max_size=12),
)
def test_no_scored_conversation_is_lost(a: dict[str, float | None], b: dict[str, float | None]) -> None:
    scored = {name for side in (a, b) for name, score in side.items() if score is not None}
    assert set(changes(a, b)) == scored
