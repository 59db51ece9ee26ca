"""Judges with a planted fault: each is found by the part that promises to find it, and an honest one is left alone."""

from random import Random

import pytest

from apps.catalog.configs.domain.judging_rules import PanelRule
from apps.evaluations.domain.cross_check import PairedScore, agreement, chosen, shift
from apps.evaluations.domain.panel import rule
from apps.evaluations.domain.self_preference import Kinship, bare_name, family, kinship, preference
from apps.reports.comparisons.domain.pairwise import Better, Bout, Place, contest


def noisy(chance: Random, truth: float, bias: float = 0.0) -> float:
    return min(10.0, max(0.0, chance.gauss(truth + bias, 0.7)))


def checked(chance: Random, n: int, bias: float = 0.0) -> list[PairedScore]:
    truths = [chance.uniform(2, 9) for _ in range(n)]
    return [PairedScore(judge=noisy(chance, truth, bias), other=noisy(chance, truth)) for truth in truths]


# --- It prefers whoever comes first ---
def bout(chance: Random, a: float, b: float, *, to_first: float) -> Bout:
    def place(first: float, second: float) -> Place:
        return Place.FIRST if chance.gauss(first - second + to_first, 0.5) > 0 else Place.SECOND

    return Bout(forward=place(a, b), backward=place(b, a))


def test_a_judge_that_prefers_the_first_is_found_and_decides_nothing():
    chance = Random(3)
    found = contest([bout(chance, chance.uniform(4, 8), chance.uniform(4, 8), to_first=5) for _ in range(60)])
    assert found.favours is Place.FIRST
    assert found.flipped > 40
    assert found.ties >= found.flipped


def test_an_honest_judge_is_not_accused_of_favouring_a_place():
    accused = 0
    for seed in range(200):
        chance = Random(seed)
        bouts = [bout(chance, chance.uniform(4, 8), chance.uniform(4, 8), to_first=0) for _ in range(40)]
        accused += contest(bouts).favours is not None
    assert accused <= 12  # 5 % of 200, with a little more for chance


def test_a_flip_is_a_tie_and_agreement_in_both_orders_a_win():
    assert Bout(forward=Place.FIRST, backward=Place.FIRST).better is Better.TIE
    assert Bout(forward=Place.FIRST, backward=Place.SECOND).better is Better.A
    assert Bout(forward=Place.SECOND, backward=Place.FIRST).better is Better.B
    assert Bout(forward=Place.FIRST, backward=Place.TIE).better is Better.TIE


def test_nobody_won_anything_without_bouts():
    found = contest([])
    assert (found.a, found.b, found.chance, found.favours) == (0, 0, None, None)


# --- It prefers its own family ---
def test_a_judge_that_prefers_its_own_family_is_found_by_the_cross_check():
    chance = Random(5)
    found = preference(own=checked(chance, 40, bias=1.5), others=checked(chance, 40))
    assert found is not None
    assert found.sure
    assert found.points == pytest.approx(1.5, abs=0.5)


def test_a_judge_that_is_strict_with_everybody_prefers_nobody():
    chance = Random(6)
    found = preference(own=checked(chance, 40, bias=-1), others=checked(chance, 40, bias=-1))
    assert found is not None
    assert not found.sure


@pytest.mark.parametrize(
    "judge, generator, kin",
    [
        ("gpt-4", "openai/gpt-4-0613", Kinship.SAME),
        ("gemini-2.5-flash", "gemini-2.5-flash-latest", Kinship.SAME),
        ("claude-opus-4-7", "claude-opus-4.7", Kinship.SAME),
        ("gemini-2.5-flash", "gemini-2.0-flash", Kinship.FAMILY),
        ("gpt-4o", "gpt-4o-mini", Kinship.FAMILY),
        ("claude-opus-4-7", "gpt-4", Kinship.NONE),
        ("stub-model", "other-model", Kinship.NONE),
        ("gpt-4", "", Kinship.NONE),
        ("", "", Kinship.NONE),
    ],
)
def test_who_is_whose_kin(judge, generator, kin):
    assert kinship(judge, generator) is kin


def test_names_are_read_without_door_date_and_tag():
    assert bare_name("openai/gpt-4-0613") == "gpt-4"
    assert bare_name("llama3.1:8b") == "llama3-1"
    assert family("mixtral-8x7b") == "Mistral"


# --- It drifts ---
def test_a_judge_that_drifts_is_found_by_the_cross_check():
    chance = Random(8)
    earlier, later = checked(chance, 30), checked(chance, 30, bias=1.2)
    found = shift(earlier, later)
    assert found is not None
    assert found.sure
    assert found.points == pytest.approx(1.2, abs=0.5)
    calm, drifted = agreement(earlier, pass_mark=6), agreement(later, pass_mark=6)
    assert calm.kappa > drifted.kappa


def test_a_steady_judge_is_not_accused_of_drifting():
    accused = 0
    for seed in range(200):
        chance = Random(seed)
        found = shift(checked(chance, 30), checked(chance, 30))
        accused += found is not None and found.sure
    assert accused <= 4


def test_few_pairs_say_nothing_about_drift():
    assert shift(checked(Random(1), 7), checked(Random(1), 30)) is None
    assert agreement([], pass_mark=6).kappa is None


# --- Who is cross-checked ---
def test_a_tenth_is_chosen_and_always_the_same_tenth():
    ids = [f"conversation-{n}" for n in range(5000)]
    first = [name for name in ids if chosen(name, "print-1", 0.1)]
    assert first == [name for name in ids if chosen(name, "print-1", 0.1)]
    assert 430 <= len(first) <= 570
    other = {name for name in ids if chosen(name, "print-2", 0.1)}
    assert len(other & set(first)) < 120  # another judge is checked on other conversations
    assert not any(chosen(name, "print-1", 0.0) for name in ids)
    assert all(chosen(name, "print-1", 1.0) for name in ids)


def test_a_larger_share_keeps_who_was_chosen_before():
    ids = [f"c-{n}" for n in range(1000)]
    assert {i for i in ids if chosen(i, "p", 0.1)} <= {i for i in ids if chosen(i, "p", 0.3)}


# --- The panel ---
def test_a_panel_gives_the_median_or_what_most_say():
    scores = [4.0, 7.0, 8.0]
    assert rule(scores, pass_mark=6, by=PanelRule.MEDIAN).score == 7
    assert rule(scores, pass_mark=6, by=PanelRule.MAJORITY).score == 7.5
    found = rule(scores, pass_mark=6, by=PanelRule.MEDIAN)
    assert (found.passes, found.judges, found.spread, found.split) == (2, 3, 4.0, True)


def test_one_judge_is_no_panel_and_two_that_disagree_meet_in_the_middle():
    assert rule([4.0], pass_mark=6, by=PanelRule.MEDIAN) is None
    assert rule([4.0, 8.0], pass_mark=6, by=PanelRule.MAJORITY).score == 6.0
    assert rule([4.0, 5.0, 3.0], pass_mark=6, by=PanelRule.OFF) is None
