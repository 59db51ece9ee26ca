"""Labels outlive an evaluator's criteria: what both share is calibrated, what is left out is named; the three ratings
of the monthly labelling; and which kappa decides."""

from dataclasses import replace

import pytest

from apps.calibration.domain.agreement_with_people import Kappa
from apps.calibration.domain.labels import HumanRating, LabelSet
from apps.calibration.models import Calibration, Certificate, LabellingRound
from apps.calibration.queries.certificates import certificate_document
from apps.calibration.queries.labelling import latest_round
from apps.calibration.queries.labels import gathered_labels
from apps.calibration.services.certification import certify, request_calibration
from apps.calibration.services.labelling import Given, open_round, rate
from apps.catalog.files.services.packs import load_pack
from apps.core.errors import BadInput
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.evaluations.models import Judgement
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.tenants.domain.workflow_config import WorkflowConfig
from tests.calibration.calibration_bench import imported_judge, labelled
from tests.calibration.test_labelling import MONDAY, judged
from tests.evaluations.bench import NOW, document, imported, make_config

pytestmark = pytest.mark.usefixtures("tenant")
FIVE = read_scale("1-5")
THREE = ["intent_comprehension", "response_naturalness", "cultural_appropriateness"]
VALUES = {f"c-{n}": n % 5 + 1 for n in range(40)}


def with_gamma(values: dict[str, int]) -> LabelSet:
    """Labels of x, and of gamma, which no evaluator here judges; one conversation was rated on gamma alone."""
    labels = labelled({name: [value] for name, value in values.items()}, FIVE)
    items = [replace(one, ratings={**one.ratings, "gamma": (HumanRating(value=3),)}) for one in labels.items]
    alone = replace(items[0], id="gamma-only", ratings={"gamma": (HumanRating(value=2),)})
    return LabelSet(items=(*items, alone), scales={"x": FIVE, "gamma": FIVE})


def settings(monkeypatch, **values) -> None:
    config = WorkflowConfig(**values)
    for service in ("certification", "labelling"):
        monkeypatch.setattr(f"apps.calibration.services.{service}.workflow_config", lambda slug: config)


def test_labels_of_a_criterion_that_went_are_left_out_and_named():
    evaluation = imported_judge(imported(*VALUES), "elsewhere", VALUES, scale=FIVE)
    asked = request_calibration(labels=with_gamma(VALUES), evaluation_id=evaluation, now=NOW)
    assert asked.left_out == ["gamma"]
    document = certificate_document(certify(calibration_id=asked.calibration_id, now=NOW))
    assert document["left_out"] == ["gamma"]
    assert [(one["criterion"], one["n"]) for one in document["items"]] == [("x", 40)]
    assert document["verdict"] == "certified"
    assert len(Calibration.objects.get().labels["items"]) == 40


def test_only_conversations_that_somebody_rated_on_a_shared_criterion_are_judged():
    labels = with_gamma({"a": 1, "b": 5})
    spoken = replace(labels, items=tuple(replace(one, document=document(one.id)) for one in labels.items))
    asked = request_calibration(labels=spoken, config=make_config(weights={"x": 1.0, "new": 1.0}), now=NOW)
    judgements = Judgement.objects.filter(evaluation=asked.evaluation_id)
    assert sorted(judgements.values_list("conversation__external_id", flat=True)) == ["a", "b"]


@pytest.mark.parametrize("criteria, every", [({"other": 1.0}, False), ({"x": 1.0}, True)])
def test_nothing_shared_or_a_criterion_named_on_purpose_is_refused(criteria, every):
    with pytest.raises(BadInput, match="does not judge") as refused:
        request_calibration(labels=with_gamma(VALUES), config=make_config(weights=criteria), every=every, now=NOW)
    assert "gamma" in refused.value.extra["unknown_criteria"]
    assert not Calibration.objects.exists()


@pytest.mark.parametrize(
    "setting, asked, decides", [("auto", None, "quadratic"), ("unweighted", None, "unweighted"),
                                ("linear", None, "linear"), ("linear", Kappa.QUADRATIC, "quadratic")],
)  # fmt: skip
def test_the_tenant_says_which_kappa_decides_and_the_summary_names_it(monkeypatch, setting, asked, decides):
    settings(monkeypatch, certificate_kappa=setting)
    evaluation = imported_judge(imported(*VALUES), "elsewhere", VALUES)
    labels = labelled({name: [value] for name, value in VALUES.items()}, read_scale("0-10"))
    found = request_calibration(labels=labels, evaluation_id=evaluation, decides=asked, now=NOW)
    certify(calibration_id=found.calibration_id, now=NOW)
    assert Certificate.objects.get().items[0]["decides"] == decides
    certificate = evaluation_summary(evaluation, now=NOW)["certificate"]
    assert (certificate["decides"], certificate["items"][0]["decides"]) == (decides, decides)
    assert f"kappa ({decides})" in certificate["items"][0]["reason"]


def test_a_weighted_kappa_in_the_settings_is_not_for_words(monkeypatch):
    settings(monkeypatch, certificate_kappa="linear")
    words = read_scale("No | Yes")
    said = {f"c-{n}": "Yes" if n % 2 else "No" for n in range(4)}
    evaluation = imported_judge(imported(*said), "elsewhere", said, scale=words)
    labels = labelled({name: [value] for name, value in said.items()}, words)
    found = request_calibration(labels=labels, evaluation_id=evaluation, scale="own", now=NOW)
    assert certify(calibration_id=found.calibration_id, now=NOW).items[0]["decides"] == "unweighted"


def test_the_three_ratings_are_asked_of_people_and_then_of_a_judge(monkeypatch):
    settings(monkeypatch, calibration_config="human-ratings", certificate_min_items=5)
    load_pack("labelling", at=NOW)
    judged()  # by a config of quite other criteria
    open_round(now=MONDAY)
    state = latest_round()
    assert state is not None
    assert (state.round.config_ref, state.round.scale) == ("human-ratings@1", "1-5")
    assert [one["name"] for one in state.round.criteria] == THREE
    assert set(state.round.criteria[0]["scoring_guide"]) == {"0", "3", "5", "7", "10"}
    for at, one in enumerate(state.items):
        rate(item_id=one.item.pk, rater="amina", ratings={name: Given(value=at % 5 + 1) for name in THREE})
    asked = request_calibration(labels=gathered_labels(), config="human-ratings", now=NOW)
    assert asked.left_out == []
    assert Judgement.objects.filter(evaluation=asked.evaluation_id).count() == 10


def test_a_config_for_labelling_that_is_not_there_leaves_the_judges_own_criteria(monkeypatch):
    settings(monkeypatch, calibration_config="gone")
    judged()
    open_round(now=MONDAY)
    assert LabellingRound.objects.get().config_ref == "salon@1"
