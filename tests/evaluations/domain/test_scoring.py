"""The weighted mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.evaluations.domain.scoring import weighted_mean

names = st.sampled_from(["a", "b", "c", "d", "e"])
marks = st.floats(0, 10)


def test_the_worked_example_of_the_seed() -> None:
    scores = {"brevita_risposte": 8.0, "discovery_socratica": 7.0, "gestione_obiezioni": 6.0}
    weights = {"discovery_socratica": 1.5, "gestione_obiezioni": 1.5, "brevita_risposte": 1.0}
    assert weighted_mean(scores, weights) == 6.875


def test_a_criterion_without_a_weight_weighs_one() -> None:
    assert weighted_mean({"a": 4, "b": 10}, {"b": 2}) == 8


def test_unscored_takes_no_part_and_is_not_zero() -> None:
    assert weighted_mean({"a": None, "b": 6}, {"a": 9}) == 6
    assert weighted_mean({"b": 6}, {"a": 9}) == 6


@pytest.mark.parametrize("scores", [{}, {"a": None}, {"a": None, "b": None}])
def test_nothing_scored_has_no_mean(scores: dict[str, float | None]) -> None:
    assert weighted_mean(scores, {"a": 1}) is None


def test_only_weightless_scores_have_no_mean() -> None:
    assert weighted_mean({"a": 5}, {"a": 0}) is None
    assert weighted_mean({"a": 5, "b": 7}, {"a": 0}) == 7


@pytest.mark.parametrize(
    "scores, weights",
    [({"a": float("nan")}, {}), ({"a": 1}, {"a": -1}), ({"a": 1}, {"a": float("inf")})],
)
def test_what_cannot_be_averaged_is_an_error_not_a_number(scores: dict[str, float], weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="cannot average"):
        weighted_mean(scores, weights)


@given(st.dictionaries(names, st.none() | marks), st.dictionaries(names, st.floats(0.1, 5)))
def test_the_mean_lies_between_its_scores_and_ignores_the_unscored(
    scores: dict[str, float | None], weights: dict[str, float]
) -> None:
    given_scores = {name: score for name, score in scores.items() if score is not None}
    mean = weighted_mean(scores, weights)
    assert mean == weighted_mean(given_scores, weights)
    if mean is not None:
        assert min(given_scores.values()) - 1e-9 <= mean <= max(given_scores.values()) + 1e-9


@given(st.dictionaries(names, marks, min_size=1), st.dictionaries(names, st.floats(0.1, 5)), st.floats(0.5, 4))
def test_scaling_all_weights_changes_nothing(scores: dict[str, float], weights: dict[str, float], by: float) -> None:
    full = {name: weights.get(name, 1.0) for name in scores}
    scaled = {name: weight * by for name, weight in full.items()}
    assert weighted_mean(scores, scaled) == pytest.approx(weighted_mean(scores, full), abs=1e-9)  # type: ignore[arg-type]
