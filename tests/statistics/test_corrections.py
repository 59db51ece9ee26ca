"""Corrected rates and means, reliability over trials, and the cache key."""

import hashlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.digest import sha256_hex
from apps.evaluations.domain.cache_key import AnswerKeys, deepeval_cache_key
from apps.statistics.correction import ppi_mean, rogan_gladen, rogan_gladen_interval, rogan_gladen_refusal
from apps.statistics.reliability import pass_at_k, pass_hat_k

shares = st.floats(0, 1)


def test_a_rate_is_corrected_for_what_the_judge_lets_through_and_misses() -> None:
    assert rogan_gladen(0.5, sensitivity=0.9, specificity=0.8) == pytest.approx(3 / 7)
    assert rogan_gladen(0.3, sensitivity=1, specificity=1) == pytest.approx(0.3)
    assert rogan_gladen(0.05, sensitivity=0.9, specificity=0.8) == 0
    assert rogan_gladen(0.99, sensitivity=0.9, specificity=0.8) == 1


def test_a_judge_no_better_than_a_coin_corrects_nothing() -> None:
    assert rogan_gladen(0.5, sensitivity=0.5, specificity=0.5) is None
    assert rogan_gladen(0.5, sensitivity=0.2, specificity=0.3) is None
    with pytest.raises(ValueError, match="between 0 and 1"):
        rogan_gladen(1.2, sensitivity=1, specificity=1)


@settings(max_examples=100, deadline=None)
@given(shares, st.floats(0.6, 1), st.floats(0.6, 1))
def test_the_correction_undoes_the_judges_noise(truth: float, sensitivity: float, specificity: float) -> None:
    seen = truth * sensitivity + (1 - truth) * (1 - specificity)
    assert rogan_gladen(seen, sensitivity=sensitivity, specificity=specificity) == pytest.approx(truth, abs=1e-9)


def test_the_corrected_interval_covers_the_truth_as_often_as_it_says() -> None:
    chance = random.Random(7)
    covered = raw_covered = 0
    for _ in range(1000):
        truth, good, strict = chance.uniform(0.3, 0.9), chance.uniform(0.75, 0.97), chance.uniform(0.7, 0.95)
        passed = sum(
            (chance.random() < good) if chance.random() < truth else (chance.random() > strict) for _ in range(400)
        )
        found = rogan_gladen_interval(
            passed,
            400,
            true_passes=sum(chance.random() < good for _ in range(60)),
            human_passes=60,
            true_fails=sum(chance.random() < strict for _ in range(60)),
            human_fails=60,
        )
        assert found is not None
        covered += found.low <= truth <= found.high
        rate = passed / 400
        raw_covered += abs(rate - truth) <= 1.96 * (rate * (1 - rate) / 400) ** 0.5
    print(f"corrected {covered / 10:.1f} %, raw {raw_covered / 10:.1f} %")
    assert 0.93 <= covered / 1000 <= 0.97
    assert raw_covered < 700


@pytest.mark.parametrize(
    "counts, why",
    [
        ((5, 10, 0, 0, 1, 1), "people passed only 0 of the labelled conversations, 5 are needed"),
        ((50, 100, 4, 4, 40, 50), "people passed only 4 of the labelled conversations"),
        ((50, 100, 40, 50, 4, 4), "people failed only 4 of the labelled conversations"),
        ((50, 100, 20, 40, 20, 40), "no better than a coin"),
        ((400, 400, 40, 60, 55, 60), "passes more here than among what people passed"),
        ((0, 400, 55, 60, 40, 60), "passes fewer here than among what people failed"),
        ((0, 0, 55, 60, 40, 60), "scored nothing"),
    ],
)
def test_what_labels_cannot_carry_is_refused_in_words(counts: tuple[int, ...], why: str) -> None:
    passed, n, true_passes, human_passes, true_fails, human_fails = counts
    labels = {
        "true_passes": true_passes, "human_passes": human_passes, "true_fails": true_fails, "human_fails": human_fails,
    }  # fmt: skip
    assert why in rogan_gladen_refusal(passed, n, **labels)
    assert rogan_gladen_interval(passed, n, **labels) is None


def test_five_labels_of_each_class_are_enough() -> None:
    found = rogan_gladen_interval(50, 100, true_passes=5, human_passes=5, true_fails=4, human_fails=5)
    assert found is not None
    assert 0 <= found.low < found.value < found.high <= 1


def test_counts_that_cannot_be_are_named() -> None:
    with pytest.raises(ValueError, match=r"true_fails of human_fails: 6 of 5"):
        rogan_gladen_interval(5, 10, true_passes=5, human_passes=5, true_fails=6, human_fails=5)


@pytest.mark.parametrize("passed, low, high", [(8, 0.4901624715366, 0.9433178485456), (0, 0, 0.2775327998629)])
def test_a_judge_known_without_error_leaves_wilsons_interval(passed: int, low: float, high: float) -> None:
    many = 10**13
    found = rogan_gladen_interval(passed, 10, true_passes=many, human_passes=many, true_fails=many, human_fails=many)
    assert found is not None
    assert found.interval == pytest.approx((low, high), abs=1e-6)


def test_everything_may_have_passed_just_when_newcombes_interval_of_the_difference_holds_nought() -> None:
    """statsmodels 0.15.0, confint_proportions_2indep(passed, 100, 40, 50, method="newcomb"): lower end of passed/100
    less 40/50 is -0.003530 for 91 and 0.007908 for 92."""
    at, above = (
        rogan_gladen_interval(passed, 100, true_passes=40, human_passes=50, true_fails=45, human_fails=50)
        for passed in (91, 92)
    )
    assert at is not None
    assert at.high == 1
    assert above is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_an_interval_holds_its_figure_and_stays_within_0_and_1(data: st.DataObject) -> None:
    n, human_passes, human_fails = (data.draw(st.integers(5, 60)) for _ in range(3))
    labels = {
        "true_passes": data.draw(st.integers(0, human_passes)), "human_passes": human_passes,
        "true_fails": data.draw(st.integers(0, human_fails)), "human_fails": human_fails,
    }  # fmt: skip
    passed = data.draw(st.integers(0, n))
    found = rogan_gladen_interval(passed, n, **labels)
    assert (found is None) == bool(rogan_gladen_refusal(passed, n, **labels))
    if found is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_corrected_mean_is_the_judges_mean_plus_its_mean_error() -> None:
    found = ppi_mean([6, 7, 8, 7], [6, 8], [5, 6])
    assert found is not None
    assert found == pytest.approx(7 - 1.5)
    assert found.low < found.value < found.high
    assert found.interval == (found.low, found.high)
    assert ppi_mean([6], [6, 8], [5, 6]) is None
    assert ppi_mean([6, 7], [6], [5]) is None
    with pytest.raises(ValueError, match="same items"):
        ppi_mean([6, 7], [6], [5, 5])


@pytest.mark.parametrize("labelled", [15, 60])
def test_the_corrected_mean_covers_the_truth_as_often_as_it_says(labelled: int) -> None:
    chance = random.Random(11)

    def item() -> tuple[float, float]:
        truth = chance.gauss(6, 2)
        return truth, 0.8 * truth + chance.gauss(2, 1)

    covered = 0
    for _ in range(1000):
        both = [item() for _ in range(labelled)]
        found = ppi_mean([item()[1] for _ in range(200)], [judge for _, judge in both], [truth for truth, _ in both])
        assert found is not None
        covered += found.low <= 6 <= found.high
    assert 0.93 <= covered / 1000 <= 0.97


@pytest.mark.parametrize(
    "n, c, hat, at",
    [
        (10, 7, {1: 0.7, 2: 0.4666667, 4: 0.1666667, 8: 0}, {2: 0.9333333, 4: 1, 8: 1}),
        (10, 2, {1: 0.2, 2: 0.0222222, 4: 0, 8: 0}, {2: 0.3777778, 4: 0.6666667, 8: 0.9777778}),
        (8, 4, {1: 0.5, 2: 0.2142857, 4: 0.0142857, 8: 0}, {2: 0.7857143, 4: 0.9857143, 8: 1}),
    ],
)
def test_reliability_gives_the_published_figures(n: int, c: int, hat: dict[int, float], at: dict[int, float]) -> None:
    assert {k: pass_hat_k(n, c, k) for k in hat} == pytest.approx(hat, abs=1e-7)
    assert {k: pass_at_k(n, c, k) for k in at} == pytest.approx(at, abs=1e-7)


def test_fewer_trials_than_asked_for_is_undefined_not_zero() -> None:
    assert pass_hat_k(3, 3, 4) is None
    assert pass_at_k(3, 0, 4) is None
    for n, c, k in ((3, 4, 1), (3, -1, 1), (3, 1, 0)):
        with pytest.raises(ValueError, match="cannot be"):
            pass_hat_k(n, c, k)


@given(st.integers(1, 30), st.data())
def test_more_at_a_time_is_harder_for_all_and_easier_for_any(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    hat, at = pass_hat_k(n, c, k), pass_at_k(n, c, k)
    assert hat is not None
    assert at is not None
    assert 0 <= hat <= c / n + 1e-12 <= at + 2e-12 <= 1 + 1e-9


def test_the_cache_key_is_the_hash_of_the_canonical_four() -> None:
    key = deepeval_cache_key(
        "spa_booking_swahili_happy", "booking_orchestrator@a1b2c3d", "claude-opus-4.7", "swahili_fluency:1.0.0"
    )
    text = (
        '{"judge_model_version":"claude-opus-4.7","metric_version":"swahili_fluency:1.0.0",'
        '"prompt_version":"booking_orchestrator@a1b2c3d","scenario_id":"spa_booking_swahili_happy"}'
    )
    assert key == hashlib.sha256(text.encode()).hexdigest()


@given(st.lists(st.text(max_size=5), min_size=4, max_size=4), st.integers(0, 3), st.text(max_size=5))
def test_every_part_of_the_key_counts(parts: list[str], place: int, other: str) -> None:
    changed = [*parts[:place], other, *parts[place + 1 :]]
    assert (deepeval_cache_key(*parts) == deepeval_cache_key(*changed)) == (parts == changed)


texts = st.text(max_size=5)
rows = st.lists(
    st.dictionaries(texts, st.one_of(texts, st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
)


@given(st.lists(texts, min_size=8, max_size=8), st.dictionaries(texts, texts), rows, st.integers(1, 9))
def test_a_kept_answers_key_is_the_hash_of_the_canonical_whole(
    parts: list[str], parameters: dict[str, str], criteria: list[dict[str, object]], repeat: int
) -> None:
    judge, metric, template, provider, model, scenario, prompt, transcript = parts
    keys = AnswerKeys(
        judge_model_version=judge,
        metric_version=metric,
        template=template,
        parameters=parameters,
        criteria=criteria,
        provider=provider,
        model=model,
    )
    assert keys.key(scenario_id=scenario, prompt_version=prompt, transcript=transcript, repeat=repeat) == sha256_hex(
        {
            "four": deepeval_cache_key(scenario, prompt, judge, metric),
            "transcript": transcript,
            "template": template,
            "parameters": parameters,
            "criteria": criteria,
            "provider": provider,
            "model": model,
            "repeat": repeat,
        }
    )
