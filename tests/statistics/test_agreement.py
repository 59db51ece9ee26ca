"""Agreement beyond chance: published oracles, the shared human ratings, and properties."""

import json
import random
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.statistics.agreement import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac1_interval,
    krippendorff_alpha,
    raw_agreement,
)
from apps.statistics.quantiles import student_t, wilson
from tests.shared_data import SHARED

DATA = SHARED / "data"

A = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1]
B = [1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1]
O1 = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 3, 3]
O2 = [1, 3, 3, 4, 4, 5, 5, 3, 1, 1, 2, 4]
N = None
CLASSIC = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
    [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
]


def near(value: float) -> Any:
    return pytest.approx(value, abs=1e-9)


def test_cohens_kappa_gives_the_published_figures() -> None:
    assert cohen_kappa(A, B) == near(0.6938775510204082)
    assert cohen_kappa(O1, O2, labels=[1, 2, 3, 4, 5]) == near(0.368421052631579)
    assert cohen_kappa(O1, O2, weights="linear", labels=[1, 2, 3, 4, 5]) == near(0.6727272727272727)
    assert cohen_kappa(O1, O2, weights="quadratic", labels=[1, 2, 3, 4, 5]) == near(0.8636363636363636)


def test_the_prevalence_paradox_lowers_kappa_and_not_ac1() -> None:
    a, b = [1] * 95 + [0] * 5, [1] * 90 + [0] * 5 + [1] * 5
    assert cohen_kappa(a, b) == near(-0.05263157894736836)
    assert gwet_ac1(a, b) == near(0.8895027624309393)
    assert gwet_ac1(A, B) == near(0.706601466992665)


@pytest.mark.parametrize(
    "level, value",
    [("nominal", 0.743421052631579), ("ordinal", 0.8153875037548814), ("interval", 0.8491071428571428)],
)
def test_krippendorffs_alpha_gives_the_published_figures(level: Any, value: float) -> None:
    assert krippendorff_alpha(CLASSIC, level=level) == near(value)


def test_krippendorffs_alpha_of_two_raters() -> None:
    assert krippendorff_alpha([A, B], level="nominal") == near(0.70076726342711)


def test_a_category_nobody_used_keeps_its_place_on_the_scale() -> None:
    a, b = [1, 5, 1, 5, 4], [1, 5, 4, 5, 5]
    assert cohen_kappa(a, b, weights="linear") != near(cohen_kappa(a, b, weights="linear", labels=[1, 2, 3, 4, 5]) or 0)


def test_what_is_undefined_is_none_and_not_a_number() -> None:
    same = [1, 1, 1]
    assert cohen_kappa(same, same) is None
    assert cohen_kappa([], []) is None
    assert cohen_kappa([N, 1], [1, N]) is None
    assert gwet_ac1(same, same) is None
    assert gwet_ac1([], []) is None
    assert fleiss_kappa([same, same]) is None
    assert krippendorff_alpha([], level="nominal") is None
    assert krippendorff_alpha([[1, 2, 3]], level="nominal") is None
    assert krippendorff_alpha([[1, N], [N, 1]], level="interval") is None
    assert krippendorff_alpha([same, same], level="interval") is None


def test_one_constant_side_agrees_no_more_than_chance() -> None:
    assert cohen_kappa([1, 1, 1, 1], [1, 0, 1, 0]) == near(0)


def test_missing_ratings_are_left_out() -> None:
    assert cohen_kappa([*A, N, 1], [*B, 1, float("nan")]) == near(0.6938775510204082)
    assert gwet_ac1([*A, N], [*B, 1]) == near(0.706601466992665)


def test_wrong_input_is_an_error() -> None:
    with pytest.raises(ValueError, match="same items"):
        cohen_kappa([1], [1, 2])
    with pytest.raises(ValueError, match="labels"):
        cohen_kappa([1], [6], labels=[1, 2, 3])
    with pytest.raises(ValueError, match="weights"):
        cohen_kappa([1], [1], weights="cubic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="place"):
        krippendorff_alpha([[1, 2], [1]], level="nominal")
    with pytest.raises(ValueError, match="level"):
        krippendorff_alpha([[1, 2], [1, 2]], level="other")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="numbers"):
        krippendorff_alpha([["a", "b"], ["a", "a"]], level="interval")


def test_words_can_be_rated_too() -> None:
    a, b = ["Yes", "No", "Unsure", "No"], ["Yes", "No", "No", "No"]
    assert cohen_kappa(a, b) == near(cohen_kappa([1, 2, 3, 2], [1, 2, 2, 2]) or 0)
    assert krippendorff_alpha([a, b], level="nominal") == krippendorff_alpha(
        [[1, 2, 3, 2], [1, 2, 2, 2]], level="nominal"
    )


ratings = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=30)


@settings(max_examples=150, deadline=None)
@given(ratings, st.sampled_from([None, "linear", "quadratic"]))
def test_agreement_is_symmetric_at_most_one_and_blind_to_order(pairs: list[tuple[int, int]], weights: Any) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    labels = [1, 2, 3, 4, 5]
    kappa = cohen_kappa(a, b, weights=weights, labels=labels)
    assert kappa == (None if kappa is None else near(cohen_kappa(b, a, weights=weights, labels=labels) or 0.0))
    for value in (kappa, gwet_ac1(a, b), *(krippendorff_alpha([a, b], level=level) for level in LEVELS)):
        assert value is None or -1 - 1e-9 <= value <= 1 + 1e-9
    shuffled = sorted(pairs)
    again = cohen_kappa([x for x, _ in shuffled], [y for _, y in shuffled], weights=weights, labels=labels)
    assert again == (None if kappa is None else near(kappa))


LEVELS: tuple[Any, ...] = ("nominal", "ordinal", "interval")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=20).filter(lambda row: len(set(row)) > 1))
def test_perfect_agreement_is_one(row: list[int]) -> None:
    assert cohen_kappa(row, row) == near(1)
    assert gwet_ac1(row, row) == near(1)
    for level in (*LEVELS, "ratio"):
        assert krippendorff_alpha([row, row, row], level=level) == near(1)


def load(name: str) -> list[dict[str, Any]]:
    path = DATA / f"{name}.jsonl"
    return [json.loads(line)["labels"] for line in path.read_text().splitlines()]


def expected(name: str) -> dict[str, Any]:
    return dict(json.loads((DATA / "expected" / "agreement.json").read_text())[f"{name}.jsonl"])


def close(value: float | None, published: float) -> bool:
    return value is not None and round(value, 6) == published


def columns(labels: list[list[Any]]) -> list[list[Any]]:
    width = max(len(ratings) for ratings in labels)
    return [[ratings[place] if place < len(ratings) else None for ratings in labels] for place in range(width)]


def majority(ratings: list[Any]) -> Any:
    ranked = Counter(ratings).most_common()
    return ranked[0][0] if len(ranked) == 1 or ranked[0][1] > ranked[1][1] else None


@pytest.mark.shared
def test_pandalm_raters_agree_as_published() -> None:
    labels, want = load("human_rated/pandalm_pairwise"), expected("human_rated/pandalm_pairwise")
    rows = columns([label["ratings"]["preference"] for label in labels])
    for first, second in combinations(range(3), 2):
        figure = want["cohen_unweighted_by_rater_pair"][f"{first + 1}-{second + 1}"]
        assert close(cohen_kappa(rows[first], rows[second]), figure["kappa"])
    assert close(fleiss_kappa(rows), want["fleiss"])


@pytest.mark.shared
def test_pandalm_judges_agree_with_people_as_published() -> None:
    labels, want = load("human_rated/pandalm_pairwise"), expected("human_rated/pandalm_pairwise")
    for model, figures in want["llm_judges"].items():
        verdicts = [next(j["verdict_raw"] for j in label["llm_judges"] if j["model"] == model) for label in labels]
        judge = [{"1": 1, "2": 2, "0": 0, "Tie": 0}.get(verdict) for verdict in verdicts]  # "garbage" is missing
        people = [majority(label["ratings"]["preference"]) for label in labels]
        assert sum(mark is not None for mark in judge) == figures["n"]
        assert close(cohen_kappa(judge, people), figures["kappa_vs_human_majority"]), model


@pytest.mark.shared
def test_dices_raters_agree_as_published() -> None:
    labels, want = load("human_rated/dices350"), expected("human_rated/dices350")
    rows = columns([label["ratings"]["safety"] for label in labels])
    for pair, figure in want["cohen_unweighted_first_6_raters"].items():
        first, second = (int(number) - 1 for number in pair.split("-"))
        assert close(cohen_kappa(rows[first], rows[second]), figure["kappa"])
    assert close(fleiss_kappa(rows), want["fleiss"])
    assert close(krippendorff_alpha(rows, level="nominal"), want["krippendorff_nominal"])


@pytest.mark.shared
def test_abredial_raters_agree_as_published() -> None:
    labels, want = load("human_rated/abredial"), expected("human_rated/abredial")
    for dimension, figures in want.items():
        # crowd ratings: the place in the list is no rater, so "the first two" are the first two that were given
        rows = columns([[mark for mark in label["ratings"][dimension] if mark is not None] for label in labels])
        low, high = (int(end) for end in labels[0]["scales"][dimension].split("-"))
        scale = list(range(low, high + 1))
        assert close(cohen_kappa(rows[0], rows[1], labels=scale), figures["kappa_first_two"])
        quadratic = cohen_kappa(rows[0], rows[1], weights="quadratic", labels=scale)
        assert close(quadratic, figures["quadratic_kappa_first_two"])
        assert close(krippendorff_alpha(rows, level="nominal"), figures["krippendorff_nominal"])
        assert close(krippendorff_alpha(rows, level="interval"), figures["krippendorff_interval"])


@pytest.mark.shared
def test_dstc9_raters_agree_as_published_which_is_hardly() -> None:
    labels, want = load("human_rated/dstc9"), expected("human_rated/dstc9")
    numbers = [
        [rating if isinstance(rating, (int, float)) else None for rating in label["ratings"]["human (overall)"]]
        for label in labels
    ]
    assert close(krippendorff_alpha(columns(numbers), level="interval"), want["krippendorff_interval"])


@pytest.mark.shared
def test_raw_agreement_and_sizes_are_as_published() -> None:
    for name, dimension in (("pandalm_pairwise", "preference"), ("dices350", "safety")):
        labels, want = load(f"human_rated/{name}"), expected(f"human_rated/{name}")
        rows = columns([label["ratings"][dimension] for label in labels])
        assert (len(labels), len(rows)) == (want["items"], want.get("raters", 3))
        pairs = want.get("cohen_unweighted_by_rater_pair") or want["cohen_unweighted_first_6_raters"]
        for pair, figure in pairs.items():
            first, second = (int(number) - 1 for number in pair.split("-"))
            both = [pair for pair in zip(rows[first], rows[second], strict=True) if None not in pair]
            assert len(both) == figure["n"]
            assert close(raw_agreement(rows[first], rows[second]), figure["agree"]), (name, pair)
    dices, want = load("human_rated/dices350"), expected("human_rated/dices350")
    people = [majority(label["ratings"]["safety"]) for label in dices]
    expert = [label["expert"]["safety"] for label in dices]
    assert close(cohen_kappa(people, expert), want["majority_vs_expert_kappa"])
    for dimension, figures in expected("human_rated/abredial").items():
        assert sum(len(label["ratings"][dimension]) > 1 for label in load("human_rated/abredial")) == figures["n"]
    assert len(load("human_rated/dstc9")) == expected("human_rated/dstc9")["n"]
    assert raw_agreement([None], [1]) is None


@pytest.mark.shared
def test_the_verdicts_of_real_judges_are_counted_as_published() -> None:
    path = DATA / "judge" / "llm_judges_vs_outcome.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for key, figures in expected("judge/llm_judges_vs_outcome").items():
        domain, judge = key.split("/", 1)
        chosen = [row["labels"] for row in rows if domain in ("all", row["domain"])]
        assert len(chosen) == figures["n"]
        if "~" in key:
            continue
        said = [next(one["verdict"] for one in row["judges"] if one["judge"] == judge) == "pass" for row in chosen]
        counts = Counter(zip(said, (bool(row["success"]) for row in chosen), strict=True))
        words = {True: "pass", False: "fail"}
        assert {f"{words[a]}_{words[b]}": counts[a, b] for a in words for b in words} == {
            name: figures[name] for name in ("pass_pass", "pass_fail", "fail_pass", "fail_fail")
        }, key


@pytest.mark.shared
def test_real_judges_agree_with_the_outcome_as_published() -> None:
    path = DATA / "judge" / "llm_judges_vs_outcome.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    names = sorted({judge["judge"] for judge in rows[0]["labels"]["judges"]})
    for key, figures in expected("judge/llm_judges_vs_outcome").items():
        domain, what = key.split("/", 1)
        chosen = [row["labels"] for row in rows if domain in ("all", row["domain"])]
        verdicts = {
            name: [next(j["verdict"] == "pass" for j in row["judges"] if j["judge"] == name) for row in chosen]
            for name in names
        }
        if "~" in what:
            first, second = what.split(" ~ ")
            assert close(cohen_kappa(verdicts[first], verdicts[second]), figures["kappa_between_judges"]), key
        else:
            outcome = [bool(row["success"]) for row in chosen]
            assert close(cohen_kappa(verdicts[what], outcome), figures["kappa_vs_outcome"]), key


def test_ac1_s_interval_is_gwets_where_that_is_the_wider() -> None:
    """irrCAC 0.4.4: AC1 0.6227578130, standard error 0.0781647464, upper end 0.7791651092."""
    a = [4, 1, 1, 1, 1, 4, 4, 3, 1, 1, 2, 2, 3, 2, 2, 1, 3, 3, 1, 1, 2, 2, 4, 3, 2, 2, 3, 3, 1, 3,
         4, 4, 4, 2, 2, 3, 3, 3, 4, 2, 4, 1, 1, 4, 4, 2, 1, 2, 1, 4, 3, 3, 1, 2, 1, 4, 2, 1, 2, 3]  # fmt: skip
    b = [4, 1, 1, 4, 1, 4, 1, 3, 1, 1, 2, 4, 2, 2, 1, 1, 3, 3, 1, 1, 1, 2, 4, 3, 2, 2, 2, 2, 3, 3,
         3, 1, 4, 2, 3, 4, 3, 3, 4, 2, 4, 2, 1, 4, 1, 4, 1, 2, 3, 4, 3, 3, 1, 2, 1, 4, 2, 1, 2, 3]  # fmt: skip
    found = gwet_ac1_interval(a, b)
    assert found is not None
    assert gwet_ac1(a, b) == near(0.6227578130)
    assert found[1] == pytest.approx(0.7791651092, abs=1e-6)
    assert found[0] < 0.4663505168


def test_raters_who_agree_on_everything_have_an_interval_that_narrows() -> None:
    ten, forty = (gwet_ac1_interval([True] * n, [True] * n, labels=(False, True)) for n in (10, 40))
    assert ten is not None
    assert forty is not None
    assert ten == pytest.approx((0.7224672001371, 1))  # Wilson's 10 of 10
    assert ten[0] < forty[0] < forty[1] == 1
    assert gwet_ac1([True] * 9, [True] * 9, labels=(False, True)) == 1
    assert gwet_ac1_interval([1], [1], labels=(0, 1)) is None
    with pytest.raises(ValueError, match="not among the labels"):
        gwet_ac1([3], [1], labels=(0, 1))


def test_ac1_s_interval_holds_the_truth_of_simulated_raters() -> None:
    chance = random.Random(5)
    for share, right, truth in ((0.95, 0.95, 0.885), (0.5, 0.8, 0.36)):
        held = 0
        for _ in range(300):
            passes = [chance.random() < share for _ in range(30)]
            a, b = ([one == (chance.random() < right) for one in passes] for _ in range(2))
            found = gwet_ac1_interval(a, b, labels=(False, True))
            assert found is not None
            held += found[0] <= truth <= found[1]
        assert held / 300 >= 0.93


def test_students_quantiles_and_wilsons_limits_are_those_of_the_tables() -> None:
    for degrees, exact in ((1, 12.706205), (2, 4.302653), (3, 3.182446), (30, 2.042272)):
        assert student_t(0.975, degrees) == pytest.approx(exact, rel=0.002)
    assert wilson(8, 10) == pytest.approx((0.4901624715366, 0.9433178485456))
    assert wilson(0, 10) == pytest.approx((0, 0.2775327998629))
    assert wilson(45, 50) == pytest.approx((0.7863976856252, 0.9565242350681))
    with pytest.raises(ValueError, match="11 of 10"):
        wilson(11, 10)


def test_an_interval_of_raters_who_agree_on_everything_is_wilsons_corrected_for_chance():
    """Half of the votes each: chance is 0.5. Wilson's lower limit of 10 of 10 is n / (n + z²)."""
    sides = [True] * 5 + [False] * 5
    wilson_low = 10 / (10 + 1.959964**2)
    interval = gwet_ac1_interval(sides, sides)
    assert interval is not None
    assert interval[0] == pytest.approx((wilson_low - 0.5) / 0.5, abs=1e-6)
    assert interval[1] == 1


@pytest.mark.parametrize("other", [[1, 1, 2], [2, 2, 1], [1, 2, 2], [2, 1, 2]])
def test_an_interval_of_few_pairs_ends_at_one_and_minus_one(other):
    interval = gwet_ac1_interval([1, 1, 2], other)
    assert interval is not None
    assert -1 <= interval[0] < interval[1] <= 1


def test_two_raters_have_a_fleiss_kappa_and_one_has_none():
    """Three of four agreed; of eight votes five are `a`."""
    assert fleiss_kappa([list("aabb"), list("aaba")]) == pytest.approx((0.75 - (25 + 9) / 64) / (1 - (25 + 9) / 64))
    assert fleiss_kappa([list("aabb")]) is None


@pytest.mark.parametrize("below", [-0.5, -3])
def test_the_ratio_level_knows_nothing_below_zero(below):
    with pytest.raises(ValueError, match="from 0"):
        krippendorff_alpha([[below, 1], [0, 1]], level="ratio")
