"""What an evaluation says of its judge: certified, refused, expired, changed; and its figures, corrected."""

from datetime import timedelta

import pgtrigger
import pytest

from apps.calibration.domain.agreement_with_people import CertificateRule
from apps.calibration.models import Calibration, Certificate
from apps.calibration.services.certification import certify, certify_ended, request_calibration
from apps.evaluations.figures.domain.rating_scale import read_scale
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.statistics.correction import IntervalEstimate, stratified
from apps.tenants.domain.workflow_config import WorkflowConfig
from tests.calibration.calibration_bench import imported_judge, labelled
from tests.evaluations.bench import NOW, evaluated, imported, make_config

pytestmark = pytest.mark.usefixtures("tenant")
TEN = read_scale("0-10")
LABELS = {f"c-{n}": [n % 11] for n in range(44)}


def calibrated(answers, labels=None, *, run=None, now=NOW):
    """An evaluation by an imported judge on 0-10, and its certificate against people."""
    run = run or imported(*answers)
    evaluation = imported_judge(run, "elsewhere", answers)
    asked = request_calibration(labels=labels or labelled(LABELS, TEN), evaluation_id=evaluation, now=now)
    certify(calibration_id=asked.calibration_id, now=now)
    return evaluation


def certificate(evaluation, now=NOW):
    return evaluation_summary(evaluation, now=now)["certificate"]


def without(evaluation):
    """The sentence that stands in for a certificate."""
    summary = evaluation_summary(evaluation, now=NOW)
    assert (summary["certificate"], summary["corrected"]) == (None, None)
    return summary["certificate_note"]


def agreeing():
    return {id: given[0] for id, given in LABELS.items()}


def test_a_judge_nobody_compared_with_people_has_no_certificate():
    judged = imported_judge(imported("a"), "elsewhere", {"a": 7})
    assert without(judged) == "Nobody has compared this judge with people."
    unknown = evaluated(make_config(name="other"), "b").pk
    assert without(unknown) == "Nothing is scored, so the judge is not known."


def test_a_certified_judge_is_certified_in_every_evaluation_with_its_fingerprint_until_it_expires():
    calibrated(agreeing())
    later = imported_judge(imported("d-1", "d-2"), "elsewhere", {"d-1": 3, "d-2": 8})
    found = certificate(later)
    assert (found["status"], found["kappa"], found["items"][0]["n"]) == ("certified", 1.0, 44)
    assert found["valid_until"] == (NOW + timedelta(days=35)).isoformat()
    assert certificate(later, NOW + timedelta(days=35) - timedelta(seconds=1))["status"] == "certified"
    expired = certificate(later, NOW + timedelta(days=35))
    assert (expired["status"], expired["reason"]) == ("expired", "The certificate has expired on x. Calibrate again.")


@pytest.mark.parametrize("change", ["model", "parameters", "criteria", "template"])
def test_a_certificate_dies_when_the_judge_changes(change):
    from apps.calibration.domain.scores_reading import ImportedScore  # noqa: PLC0415 - only here
    from apps.calibration.services.importing_scores import import_scores  # noqa: PLC0415 - only here

    calibrated(agreeing())
    config = make_config(
        weights={"x": 1.0},
        name="elsewhere",
        description="Is it better?" if change == "criteria" else "Is it good?",
        template="Judge {{ criteria }} sternly. {{ nonce }}" if change == "template" else "",
    )
    changed = import_scores(
        run_id=imported("d-1"),
        config=config,
        judge="newer" if change == "model" else "elsewhere",
        parameters={"temperature": 1} if change == "parameters" else {},
        scores=[ImportedScore(conversation="d-1", criterion="x", value=4)],
        now=NOW,
    )
    assert without(changed).startswith("The certificate of 1 March 2026 was for another judge")


def test_a_language_nobody_labelled_is_not_certified():
    from apps.runs.imports.services.importing import import_documents  # noqa: PLC0415 - only here
    from tests.evaluations.bench import document  # noqa: PLC0415 - only here

    calibrated(agreeing())
    run = import_documents(
        documents=[document("d-1"), document("d-2", language="sw")], name="two", triggered_by="tests", now=NOW
    )
    found = certificate(imported_judge(run, "elsewhere", {"d-1": 3, "d-2": 8}))
    assert [(one["language"], one["status"]) for one in found["items"]] == [("en", "certified"), ("sw", "none")]
    assert found["status"] == "none"


def test_a_refusal_is_shown_with_its_reason_and_corrects_nothing():
    evaluation = calibrated({id: 10 - given[0] for id, given in LABELS.items()})
    summary = evaluation_summary(evaluation, now=NOW)
    assert summary["certificate"]["status"] == "refused"
    assert summary["certificate_note"] == summary["certificate"]["reason"]
    assert "the judge and people disagree: kappa (quadratic) -1.00" in summary["certificate"]["reason"]
    assert summary["corrected"] is None


def test_a_newer_certificate_of_the_same_judge_counts():
    run = imported(*LABELS)
    evaluation = calibrated(agreeing(), run=run)
    few = labelled({"c-1": [1], "c-2": [2]}, TEN)
    asked = request_calibration(labels=few, evaluation_id=evaluation, now=NOW)
    certify(calibration_id=asked.calibration_id, now=NOW + timedelta(days=1))
    assert Certificate.objects.count() == 2
    assert certificate(evaluation, NOW + timedelta(days=2))["status"] == "refused"


def test_a_mild_judge_is_corrected_and_the_raw_figure_stays_beside_it():
    mild = {id: min(10, given[0] + 1) for id, given in LABELS.items()}
    evaluation = calibrated(mild)
    corrected = evaluation_summary(evaluation, now=NOW)["corrected"]
    mean, rate = corrected["criteria"]["x"]["mean"], corrected["criteria"]["x"]["pass_rate"]
    assert mean["raw"] == pytest.approx(65 / 11)
    assert mean["value"] == pytest.approx(5.0)
    assert mean["interval"][0] < 5.0 < mean["interval"][1]
    assert rate["raw"] == pytest.approx(6 / 11)
    assert rate["value"] == pytest.approx(5 / 11)
    assert rate["interval"][0] < 5 / 11 < rate["interval"][1]
    assert corrected["weighted_score"]["raw"] == pytest.approx(mean["raw"])


def test_parts_add_up_by_their_size():
    whole = stratified([(30, IntervalEstimate(1.0, low=0.0, high=2.0)), (10, IntervalEstimate(5.0, low=5.0, high=5.0))])
    assert whole is not None
    assert (whole.value, whole.interval) == (2.0, (1.25, 2.75))
    assert stratified([]) is None


def test_the_tenant_s_rule_is_declared_with_the_calibration(monkeypatch):
    strict = WorkflowConfig(certificate_rule="lower_bound", certificate_min_items=2, kappa_target=0.9)
    monkeypatch.setattr("apps.calibration.services.certification.workflow_config", lambda slug: strict)
    evaluation = calibrated({"c-1": 1, "c-2": 9, "c-3": 3}, labelled({"c-1": [1], "c-2": [9], "c-3": [4]}, TEN))
    declared = Certificate.objects.get(calibration__evaluation=evaluation).declared
    assert (declared["rule"], declared["target"], declared["min_items"]) == (CertificateRule.LOWER_BOUND, 0.9, 2)


def test_a_calibration_that_cannot_be_read_keeps_back_no_other():
    ids = []
    for name in ("bad", "good"):
        evaluation = imported_judge(imported(*agreeing()), name, agreeing())
        ids.append(request_calibration(labels=labelled(LABELS, TEN), evaluation_id=evaluation, now=NOW).calibration_id)
    with pgtrigger.ignore():
        Calibration.objects.filter(pk=ids[0]).update(declared={})
    assert certify_ended(now=NOW) == 1
    assert [Certificate.objects.filter(calibration=pk).exists() for pk in ids] == [False, True]
