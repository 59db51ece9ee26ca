"""The rules of optimizations: rounds, futility, the circuit breaker over several rounds, and what is said first."""

import itertools
import random

import pytest

from apps.core.errors import BadInput, Conflict
from apps.improvement.domain.acceptance import decide
from apps.improvement.domain.optimization_states import DraftPlace, LeftOut
from apps.improvement.drafts.domain.futility import chance_to_win, is_futile
from apps.improvement.drafts.domain.rounds import RoundOfDraft, next_round, refuse_round
from apps.improvement.optimizer.domain.modes import MODES, mode_named
from apps.improvement.optimizer.domain.words import TriedDraft, best_of, outcome_of, selection_sentence


def one(number, estimate, **more):
    return TriedDraft(id=str(number), name=f"draft {number}", place=DraftPlace.FIX, estimate=estimate, **more)


def drafts(*rounds):
    return [RoundOfDraft(number=number, tried=tried) for number, tried in rounds]


def test_a_round_is_over_when_one_of_its_drafts_was_tried():
    assert next_round(drafts()) == 1
    assert next_round(drafts((1, False))) == 1
    assert next_round(drafts((1, True), (1, False))) == 2
    assert next_round(drafts((1, True), (2, True), (3, True))) == 4


@pytest.mark.parametrize(
    "number, most, said",
    [(4, 3, "3 rounds of optimization against p@1 are over"), (1, 0, "Optimization is switched off")],
)
def test_a_round_too_many_is_refused_with_what_to_do(number, most, said):
    refuse_round(max(1, number - 1), most=3, version="p@1")
    with pytest.raises(Conflict, match=said) as refused:
        refuse_round(number, most=most, version="p@1")
    assert refused.value.code == "rounds_spent"


def pairs(live, draft, original=None):
    return [{"scenario": f"s{n}", "persona": "", "language": "en", "live": live, "draft": draft, "original": original}
            for n in range(12)]  # fmt: skip


@pytest.mark.parametrize("worse, verdict", [(1.01, "blocked"), (1.0, "not_shown"), (0.99, "not_shown")])
def test_the_breaker_opens_above_one_point(worse, verdict):
    assert decide(pairs(7.0, 7.0 - worse)).verdict == verdict


def test_three_rounds_that_each_lose_nine_tenths_do_not_pass():
    scores = [8.0, 7.1, 6.2, 5.3]  # the first prompt, and what each round made of it
    verdicts = [decide(pairs(live, draft, original=scores[0])) for live, draft in itertools.pairwise(scores)]
    assert [found.verdict.value for found in verdicts] == ["not_shown", "blocked", "blocked"]
    assert [round(found.estimate, 6) for found in verdicts] == [-0.9] * 3
    assert "first prompt of this lineage" in verdicts[1].reasons[0]


def test_nobody_is_stopped_for_winning_or_too_early():
    assert not is_futile([2.0] * 11, families=12)
    assert not is_futile([-3.0] * 5, families=12)  # less than half
    assert is_futile([-3.0] * 6, families=12)
    assert not is_futile([-3.0] * 12, families=12)  # all is in: that is the decision's
    assert not is_futile([-3.0, -3.0], families=4)  # three families are the least


def test_the_chance_is_that_of_the_normal_distribution():
    assert chance_to_win([], families=12) == 1.0
    # (-3 + 6 · 0.5) / (0.97 · √6) = 0: even
    assert chance_to_win([-1.0, -1.0, -1.0, 0.0, 0.0], families=11) == pytest.approx(0.5)
    assert chance_to_win([-1.0], families=1) == 0.0


def test_stopping_costs_few_true_gains_and_spares_much_of_useless_drafts():
    draw = random.Random(23)

    def stopped(gain, families=12):
        values = [draw.gauss(gain, 0.97) for _ in range(families)]
        at = next((n for n in range(1, families) if is_futile(values[:n], families=families)), families)
        return at, sum(values) > 0

    useful, useless = ([stopped(gain) for _ in range(2000)] for gain in (0.5, -0.5))
    assert sum(at < 12 and won for at, won in useful) / 2000 < 0.03  # a win that was given away
    assert 1 - sum(at for at, _ in useless) / 24_000 > 0.2  # of its families are spared


def test_what_is_said_first_names_the_best_the_blocked_and_what_was_left_out():
    found = [one(1, 0.4), one(2, 0.9), one(3, -1.2, blocked=True, regressed=True),
             one(4, None, left_out=LeftOut.REFUSED)]  # fmt: skip
    assert best_of(found).id == "2"
    assert selection_sentence(found) == (
        "2 of 3 drafts scored higher than the live prompt; draft 2 most, by +0.90 points. Regression detected in 1 "
        "draft: blocked. The figure chose among drafts, so it is too high; only the hold-out proves a gain. Left out: "
        "guards refused 1 draft."
    )
    assert outcome_of(found) == "helped"
    assert outcome_of([one(1, -0.2)]) == "not_shown"
    assert outcome_of([one(1, -1.2, blocked=True)]) == "blocked"
    assert outcome_of([one(1, None, left_out=LeftOut.BUDGET)]) == "unmeasurable"


def test_modes_are_a_registry():
    assert list(MODES)[:2] == ["surgical", "full"]
    with pytest.raises(BadInput, match="There is no mode 'magic'"):
        mode_named("magic")
