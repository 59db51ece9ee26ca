"""gepa's search told again from kept answers: the same steps, nothing asked twice, never more plays than allowed."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.improvement.optimizer.domain.reflective_rules import (
    MAX_PLAYS,
    MAX_SELECTION,
    chosen_families,
    scores_by_family,
)
from apps.improvement.optimizer.services.reflective_search import Unanswered, run_search, step_documents

LIVE = "# Role\nYou book.\n"


class Ledger:
    """Keeps what it was asked and answers it from then on; `gains` is what each draft is worth, NaN: not scored."""

    def __init__(self, gains):
        self.gains = gains
        self.asked, self.played = [], []

    def words(self, number, parent, families):
        if number > len(self.asked):
            self.asked.append((parent, tuple(families)))
            raise Unanswered
        return f"# Role\nTry {number}.\n\n```text\nlike this\n```\n"

    def scores(self, text, families, *, chooses):
        if text.strip() == LIVE.strip():
            return [0.0] * len(families)
        key = (text.strip(), tuple(sorted(set(families))), chooses)
        if key not in self.played:
            self.played.append(key)
            raise Unanswered
        number = int(text.split("Try ")[1].split(".")[0])
        return [self.gains[(number - 1) % len(self.gains)]] * len(families)


def searched(ledger, *, train=5, selection=12, most=8, seed=0):
    while True:
        try:
            return run_search(ledger, live=LIVE, train=[f"t{n}" for n in range(train)],
                              selection=[f"s{n:02}" for n in range(selection)], seed=seed, most=most)  # fmt: skip
        except Unanswered:
            assert len(ledger.asked) + len(ledger.played) < 100


@settings(deadline=None, max_examples=25)
@given(
    gains=st.lists(st.one_of(st.floats(-3, 3), st.just(math.nan)), min_size=1, max_size=8),
    train=st.integers(1, 7), selection=st.integers(1, MAX_SELECTION), seed=st.integers(0, 99),
)  # fmt: skip
def test_it_ends_within_its_plays_and_asks_for_nothing_twice(gains, train, selection, seed):
    ledger = Ledger(gains)
    steps = searched(ledger, train=train, selection=selection, seed=seed)
    assert sum(len(families) for _, families, _ in ledger.played) <= MAX_PLAYS
    assert len(ledger.played) == len(set(ledger.played))
    assert len(ledger.asked) <= 8
    again = searched(ledger, train=train, selection=selection, seed=seed)
    assert step_documents(again, {}) == step_documents(steps, {})
    better = {key[0] for key in ledger.played if key[2]}
    assert all(not math.isnan(gains[(int(one.split("Try ")[1].split(".")[0]) - 1) % len(gains)]) for one in better)


def test_a_prompt_with_fences_of_its_own_comes_back_whole():
    ledger = Ledger([0.5])
    steps = searched(ledger, most=1)
    assert steps[0].draft == "# Role\nTry 1.\n\n```text\nlike this\n```"


def test_what_helped_is_gone_on_from_and_what_did_not_is_not():
    ledger = Ledger([0.5, -1.0, 0.9])
    steps = searched(ledger, most=3)
    first = steps[0].draft
    assert [parent for parent, _ in ledger.asked] == [LIVE, first, first]
    assert [one.after for one in steps] == [0.5, -1.0, 0.9]


def test_an_error_of_an_answer_comes_out_where_the_library_would_swallow_it():
    class Broken(Ledger):
        def words(self, number, parent, families):
            raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        searched(Broken([1.0]))


def test_families_that_choose_are_all_or_a_draw_that_the_seed_repeats():
    few, many = [f"f{n:02}" for n in range(18)], [f"f{n:02}" for n in range(60)]
    assert chosen_families(few, seed=1) == few
    assert len(chosen_families(many, seed=1)) == MAX_SELECTION
    assert chosen_families(many, seed=1) == chosen_families(many[::-1], seed=1) != chosen_families(many, seed=2)


def test_a_family_is_the_mean_of_its_pairs_and_missing_without_one():
    pairs = [{"family": "a", "live": 5.0, "draft": 6.0}, {"family": "a", "live": 5.0, "draft": 5.5},
             {"family": "a", "live": None, "draft": 9.0}, {"family": "b", "live": 5.0, "draft": None}]  # fmt: skip
    found = scores_by_family(pairs, ["a", "b", "a"])
    assert found[0] == found[2] == 0.75
    assert math.isnan(found[1])
