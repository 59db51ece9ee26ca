"""A sample drawn by strata is weighted back, and says when it is too small."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.statistics.stratified import SampledStratum, stratified_mean
from apps.statistics.student import critical_t, two_sided_p

PUBLISHED = [
    SampledStratum(720, [8, 7, 9, 8, 7, 8]),
    SampledStratum(200, [6, 7, 5, 8, 6]),
    SampledStratum(80, [4, 6, 5, 7, 3]),
]
marks = st.lists(st.floats(0, 10), min_size=1, max_size=12)


def test_the_published_example_comes_out():
    found = stratified_mean(PUBLISHED)
    assert found is not None
    assert found.mean == pytest.approx(7.32, abs=1e-9)
    assert found.variance == pytest.approx(0.06256, abs=1e-9)
    assert found.degrees == pytest.approx(7.688856813, abs=1e-8)
    assert found.half_width == pytest.approx(0.5808657556, abs=1e-8)
    assert found.too_few  # wider than half a point


def test_a_heavy_stratum_without_a_score_leaves_the_mean_open_and_a_light_one_does_not():
    plenty = [7.0, 7.5, 8.0] * 20
    heavy = stratified_mean([SampledStratum(950, plenty), SampledStratum(50, [])])
    light = stratified_mean([SampledStratum(960, plenty), SampledStratum(40, [])])
    assert heavy is not None
    assert heavy.too_few
    assert light is not None
    assert not light.too_few


def test_without_a_score_there_is_no_mean_and_one_score_has_no_interval():
    assert stratified_mean([SampledStratum(10, [])]) is None
    assert stratified_mean([]) is None
    one = stratified_mean([SampledStratum(10, [7.0])])
    assert one is not None
    assert (one.mean, one.half_width, one.too_few) == (7.0, None, True)


def test_students_t_is_that_of_the_tables():
    # scipy.stats.t: 2 * sf(2.0, 10), 2 * sf(3.5, 39), ppf(1 - .05 / 26 / 2, 39), ppf(.975, 7.688856813)
    assert two_sided_p(2.0, 10) == pytest.approx(0.07338803477074, abs=1e-12)
    assert two_sided_p(-3.5, 39) == pytest.approx(two_sided_p(3.5, 39))
    assert two_sided_p(0.0, 5) == pytest.approx(1.0)
    assert critical_t(0.05, 1) == pytest.approx(12.706204736432095, rel=1e-9)
    assert critical_t(0.05, 1e7) == pytest.approx(1.95996, abs=1e-4)


@given(st.lists(st.tuples(st.integers(1, 1000), marks), min_size=1, max_size=5))
def test_the_mean_lies_within_the_scores(strata):
    found = stratified_mean([SampledStratum(*one) for one in strata])
    scores = [score for _, own in strata for score in own]
    assert found is not None
    assert min(scores) - 1e-9 <= found.mean <= max(scores) + 1e-9


@given(st.floats(0.001, 0.5), st.floats(1, 200))
def test_a_level_and_its_value_belong_together(level, degrees):
    assert two_sided_p(critical_t(level, degrees), degrees) == pytest.approx(level, rel=1e-6)
