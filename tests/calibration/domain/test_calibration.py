"""When a judge gets a certificate, and in which words it is refused one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.calibration.domain.agreement_with_people import (
    CertificateRule,
    CertificateVerdict,
    Declared,
    Kappa,
    RatedPair,
    measure,
    overall,
)
from apps.core.errors import BadInput
from apps.evaluations.figures.domain.rating_scale import agreed, declared_bins, own_scale, read_scale, usual_bins
from apps.statistics.agreement import cohen_kappa
from apps.statistics.bootstrap import kappa_interval

A = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1]
B = [1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1]
FIVE = own_scale(read_scale("1-5"))


def item(pairs, *, binning=FIVE, declared=None, pass_mark=3.0):
    return measure(
        criterion="x",
        language="sw",
        pairs=pairs,
        binning=binning,
        pass_mark=pass_mark,
        declared=declared or Declared(min_items=10),
    )


def pairs_of(people, judge):
    return [RatedPair(people=tuple(ratings), judge=score) for ratings, score in zip(people, judge, strict=True)]


def unanimous(labels, judge=None):
    return pairs_of([(label, label) for label in labels], judge or [float(label) for label in labels])


def test_too_few_is_refused_and_says_how_many_are_needed():
    found = item(unanimous([1, 2, 3, 4, 5]), declared=Declared())
    assert found["verdict"] == "refused"
    assert found["reason"] == "too few: 5 labelled conversations, 30 are needed"


def test_people_who_disagree_are_no_measure_for_anybody():
    people = [(1, 5), (5, 1), (2, 4), (4, 2), (1, 4), (3, 5), (5, 2), (1, 3), (4, 1), (2, 5)]
    found = item(pairs_of(people, [3.0, 2.0] * 5))
    assert found["verdict"] == "refused"
    assert found["reason"].startswith("people disagree among themselves: Krippendorff's alpha -")


def test_one_class_only_is_refused_whoever_gave_it():
    assert "people gave every conversation 4" in item(unanimous([4] * 12, [4.0] * 6 + [5.0] * 6))["reason"]
    assert "the judge gave every conversation 3" in item(unanimous([1, 2, 3, 4, 5, 1] * 2, [3.0] * 12))["reason"]


def test_a_judge_below_the_target_is_refused_with_its_kappa():
    found = item(unanimous(A, [float(b) for b in B]), binning=own_scale(read_scale("0-1")))
    assert found["kappa"] == pytest.approx(0.6938775510204082, abs=1e-12)
    assert found["reason"] == "the judge and people disagree: kappa (unweighted) 0.69, below 0.7"


def test_a_judge_without_a_score_leaves_nothing_to_compare():
    found = item(pairs_of([(1, 2)] * 12, [None] * 12))
    assert (found["verdict"], found["n"]) == ("refused", 0)
    assert found["reason"].startswith("nothing to compare")
    assert overall([found]) is CertificateVerdict.UNMEASURABLE


def test_a_good_judge_is_certified_and_what_decides_is_kept():
    labels = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 3, 3]
    found = item(unanimous(labels))
    assert (found["verdict"], found["decides"], found["kappa_quadratic"]) == ("certified", "quadratic", 1.0)
    assert overall([found]) is CertificateVerdict.CERTIFIED


def test_the_tenant_may_ask_for_the_lower_end_of_the_interval():
    labels = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 3, 3]
    judge = [1.0, 3, 3, 4, 4, 5, 5, 3, 1, 1, 2, 4]
    point = item(unanimous(labels, judge))
    strict = item(unanimous(labels, judge), declared=Declared(min_items=10, rule=CertificateRule.LOWER_BOUND))
    assert point["verdict"] == "certified"
    assert point["kappa_quadratic"] == pytest.approx(0.8636363636363636, abs=1e-12)
    assert point["interval"][0] < 0.7
    assert strict["reason"].startswith("not sure enough: kappa (quadratic) 0.86")


def test_another_kappa_may_be_declared_to_decide():
    labels = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 3, 3]
    judge = [1.0, 3, 3, 4, 4, 5, 5, 3, 1, 1, 2, 4]
    found = item(unanimous(labels, judge), declared=Declared(min_items=10, decides={"x": Kappa.UNWEIGHTED}))
    assert found["reason"] == "the judge and people disagree: kappa (unweighted) 0.37, below 0.7"


def test_the_item_says_where_they_differ():
    found = item(unanimous([1, 2, 3, 4, 5] * 2, [2.0, 2, 3, 4, 5] * 2))
    assert found["confusion"]["rows"][0] == [0, 2, 0, 0, 0]
    assert found["bias"] == {"people": 3.0, "judge": 3.2, "difference": pytest.approx(0.2)}
    assert found["passes"] == {"human_passes": 6, "true_passes": 6, "human_fails": 4, "true_fails": 4}
    assert found["errors"]["n"] == 10
    assert found["errors"]["mean"] == pytest.approx(-0.2)


def test_a_declaration_survives_being_stored():
    scale = read_scale("Yes | No | Unsure")
    bins = declared_bins(scale, {"No": 0, "Unsure": 4, "Yes": 6})
    declared = Declared(decides={"x": Kappa.LINEAR}, bins={"x": bins}, rule=CertificateRule.LOWER_BOUND)
    assert Declared.from_json(declared.as_json()) == declared


def test_bins_are_those_of_the_scoring_guide_the_pass_mark_or_declared():
    five = usual_bins(read_scale("1-5"), pass_mark=6.0)
    assert [five.point(score) for score in (0, 1.4, 1.5, 3.9, 4, 6, 8.4, 8.5, 10)] == [1, 1, 2, 2, 3, 4, 4, 5, 5]
    two = usual_bins(read_scale("yes|no"), pass_mark=6.0)
    assert [two.point(5.9), two.point(6.0)] == ["no", "yes"]
    assert (two.anchor("yes"), two.anchor("no")) == (10.0, 0.0)
    three = usual_bins(read_scale("1-3"), pass_mark=6.0)
    assert [three.point(score) for score in (0, 3.3, 3.4, 10)] == [1, 1, 2, 3]
    safety = declared_bins(read_scale("Yes | No | Unsure"), {"No": 0, "Unsure": 4, "Yes": 6})
    assert [safety.point(score) for score in (0, 3.9, 4, 7)] == ["No", "No", "Unsure", "Yes"]


@pytest.mark.parametrize("scale", ["", "5", "a", ["x"], [1, 1], 7, None, "5-1"])
def test_no_scale(scale):
    with pytest.raises(BadInput):
        read_scale(scale)


@pytest.mark.parametrize("lows", [{"No": 0}, {"No": 0, "Yes": 0}, {"No": 0, "Yes": 11}, {"No": 0, "Yes": "x"}])
def test_bins_that_cannot_be(lows):
    with pytest.raises(BadInput, match="lowest score"):
        declared_bins(read_scale("No|Yes"), lows)


def test_words_without_a_known_order_need_declared_bins():
    with pytest.raises(BadInput, match="bins"):
        usual_bins(read_scale("Yes | No | Unsure"), pass_mark=6)


def test_what_people_said_together():
    five, words = read_scale("1-5"), read_scale("a|b|c")
    assert agreed((4, 5, None, 4), five) == 4
    assert agreed((2, 3), five) == 3
    assert agreed((3, 4), five) == 3
    assert agreed((1, 2, 3, 5), five) == 3  # 2.5 lies between; the mean is 2.75
    assert agreed((None, None), five) is None
    assert (agreed(("a", "b"), words), agreed(("a", "b", "a"), words)) == (None, "a")


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=3, max_size=40), st.integers())
def test_an_interval_holds_only_possible_kappas_and_is_the_same_for_a_seed(both, seed):
    a, b = [x for x, _ in both], [y for _, y in both]
    args = {"weights": "quadratic", "labels": [1, 2, 3, 4, 5], "resamples": 50, "seed": seed}
    found = kappa_interval(a, b, **args)
    assert found == kappa_interval(a, b, **args)
    assert found is None or -1 <= found[0] <= found[1] <= 1


def test_the_interval_is_that_of_resampling_items():
    found = kappa_interval(A, B, weights=None, labels=[0, 1], resamples=4000, seed=42)
    assert found is not None
    assert found[0] == pytest.approx(0.314, abs=0.06)
    assert found[1] == pytest.approx(1.0, abs=0.05)
    assert found[0] < cohen_kappa(A, B) < found[1]
