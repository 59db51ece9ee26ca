"""Pass, fail or undecided: per criterion, per conversation, over an evaluation, and over several gradings of one."""

from uuid import UUID

import pgtrigger
import pytest

from apps.calibration.models import Certificate
from apps.evaluations.figures.queries.flips import flips_of
from apps.evaluations.figures.queries.uncertainty import uncertainties_of, verdict_counts
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from apps.reports.results.queries.judgement_document import judgement_document, judgements_of
from tests.evaluations.bench import evaluated, judge, judged, minutes
from tests.evaluations.doubt.three_judges import MODELS, answers

ALONE = ("judge",)


def documents(evaluation: Evaluation) -> list[dict]:
    doubts = uncertainties_of(evaluation)
    return [judgement_document(row, doubts) for row in judgements_of(evaluation.id)]


def grade(three, evaluation: Evaluation | None, config: str, *firsts: float, at: float = 0, **how) -> Evaluation:
    """One conversation, `first` answered like this; `second` is always 9."""
    answers(three["judge"], "openai", MODELS["judge"], *({"first": first, "second": 9} for first in firsts))
    run: dict[str, UUID] = {"run_id": evaluation.run_id} if evaluation else {}
    if not run:
        evaluation = evaluated(config)
    else:
        asked = request_evaluation(config=config, now=minutes(at), how=how or None, **run)
        evaluation = Evaluation.objects.get(pk=asked.evaluation_id)
    judge(minutes(at), concurrency=1)
    return evaluation


def test_a_noisy_score_near_its_mark_is_undecided_and_far_from_it_decided(three):
    evaluation = evaluated(three.config(roles=ALONE, repeats=3), *(f"c-{n}" for n in range(8)))
    near = [{"first": score, "second": 9} for score in (5.6, 6.2, 6.8)]
    answers(three["judge"], "openai", MODELS["judge"], *(near * 8))
    judge(concurrency=1)
    found = documents(evaluation)[0]
    first, second = found["criteria"]
    assert (first["verdict"], first["score"]) == ("undecided", pytest.approx(6.2))
    assert first["interval"][0] < 6 < first["interval"][1]
    assert (second["verdict"], second["interval"]) == ("pass", [9.0, 9.0])
    assert found["verdict"] == "pass"  # 7.6 of 6 over both
    summary = evaluation_summary(evaluation.id)
    assert summary["verdicts"] == {"pass": 8, "fail": 0, "undecided": 0}
    assert summary["criterion_verdicts"]["first"] == {"pass": 0, "fail": 0, "undecided": 8}


def test_without_any_noise_known_a_score_stands_for_itself(three):
    evaluation = judged(three.config(roles=ALONE))
    (found,) = documents(evaluation)
    assert (found["verdict"], found["interval"], found["criteria"][0]["interval"]) == ("pass", None, None)
    assert evaluation_summary(evaluation.id)["verdicts"] == {"pass": 1, "fail": 0, "undecided": 0}


def test_a_split_panel_is_undecided(three, settings_of):
    settings_of(cross_check_share=0)
    three.says(judge={"first": 5, "second": 9}, cross_check={"first": 7, "second": 9}, panel={"first": 6, "second": 9})
    evaluation = judged(three.config(), *(f"c-{n}" for n in range(4)))
    assert {found["criteria"][0]["verdict"] for found in documents(evaluation)} == {"undecided"}


def test_a_panel_that_agrees_fails(three, settings_of):
    settings_of(cross_check_share=0)
    three.says(judge={"first": 2, "second": 9}, cross_check={"first": 3, "second": 9}, panel={"first": 2, "second": 9})
    evaluation = judged(three.config(), *(f"c-{n}" for n in range(4)))
    assert {found["criteria"][0]["verdict"] for found in documents(evaluation)} == {"fail"}


def test_a_certified_judge_decides_as_much_as_the_same_judge_uncertified(three):
    """How far people are from a judge corrects its rate; one verdict is undecided by the judge's own spread."""
    three.says(judge={"first": 6.5, "second": 9.9})
    evaluation = judged(three.config(roles=ALONE))
    (before,) = documents(evaluation)
    certify(evaluation, variance=4.0)
    (after,) = documents(evaluation)
    assert before["criteria"][0]["verdict"] == after["criteria"][0]["verdict"] == "pass"
    assert after == before
    summary = evaluation_summary(evaluation.id, now=minutes(5))
    assert summary["certificate"] is not None
    assert summary["verdicts"] == {"pass": 1, "fail": 0, "undecided": 0}


def test_with_repeats_the_weighted_score_has_its_own_spread(three):
    """Answers that shift points from one criterion to the other leave the weighted score where it is."""
    evaluation = evaluated(three.config(roles=ALONE, repeats=3), *(f"c-{n}" for n in range(8)))
    shifting = [{"first": one, "second": other} for one, other in ((5.6, 7.0), (6.3, 6.3), (7.0, 5.6))]
    answers(three["judge"], "openai", MODELS["judge"], *(shifting * 8))
    judge(concurrency=1)
    found = documents(evaluation)[0]
    assert [one["verdict"] for one in found["criteria"]] == ["undecided", "undecided"]
    assert (found["verdict"], found["interval"]) == ("pass", pytest.approx([6.3, 6.3]))
    assert evaluation_summary(evaluation.id)["verdicts"] == {"pass": 8, "fail": 0, "undecided": 0}


def certify(evaluation: Evaluation, *, variance: float) -> None:
    from apps.calibration.models import Calibration  # noqa: PLC0415 - only here

    errors = {"n": 40, "mean": 0.1, "variance": variance}
    shown = dict.fromkeys(
        ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "ac1", "interval", "human_alpha", "raters"), None
    )
    item = {
        "criterion": "first", "language": "en", "n": 40, "verdict": "certified", "reason": "", "decides": "unweighted",
        "left_out": {}, "confusion": {}, "bias": None, "passes": None, "errors": errors, **shown,
    }  # fmt: skip
    Certificate.objects.create(
        calibration=Calibration.objects.create(evaluation=evaluation, labels={}, declared={}),
        fingerprint=Judgement.objects.get(evaluation=evaluation).fingerprint,
        config_ref=evaluation.config_ref,
        verdict="certified",
        items=[item],
        declared={},
        labels_digest="x",
        issued_at=minutes(0),
        valid_until=minutes(60 * 24 * 365 * 5),
    )


def test_verdicts_by_the_database_are_those_of_the_rules(three, settings_of):
    """The same arithmetic twice: summed by SQL, and per conversation by domain/doubt.py."""
    settings_of(cross_check_share=0)
    config = three.config(repeats=2)
    evaluation = evaluated(config, *(f"c-{n}" for n in range(12)))
    first, second = [4, 9, 4.2, 6.1, 9.5, 3.9] * 2, [9, 4.1, 6.2, 8, 4, 7] * 2
    both = zip(first, second, strict=True)
    many = [{"first": one + more, "second": two + more} for one, two in both for more in (0, 0.2)]
    answers(three["judge"], "openai", MODELS["judge"], *many)
    three.says(cross_check={"first": 4, "second": 4.2}, panel={"first": 4.1, "second": 4})
    judge(concurrency=1)
    found = documents(evaluation)
    doubts = uncertainties_of(evaluation)
    counted = verdict_counts(evaluation, doubts, scored=12)
    whole, criteria = counted.whole, counted.criteria
    for word in ("pass", "fail", "undecided"):
        assert whole[word] == sum(one["verdict"] == word for one in found)
        for place, name in enumerate(("first", "second")):
            assert criteria[name][word] == sum(one["criteria"][place]["verdict"] == word for one in found)
    assert len({one["verdict"] for one in found}) > 1


def test_a_conversation_graded_several_times_tells_how_often_it_flipped(three):
    config = three.config(roles=ALONE, name="flip")
    first = grade(three, None, config, 1)
    for again, score in enumerate((8, 8.5, 1), start=2):
        grade(three, first, config, score, at=again, repeat=again)
    found = flips_of(Judgement.objects.get(evaluation=first))
    assert found is not None
    assert (found.gradings, found.passed, found.failed, found.rate) == (4, 2, 2, 0.5)


def test_answers_kept_from_before_are_no_gradings(three):
    config = three.config(roles=ALONE, name="cached")
    first = grade(three, None, config, 1)
    for again in range(4):
        copied = grade(three, first, config, at=again + 1)
        assert Judgement.objects.get(evaluation=copied).from_cache
    assert flips_of(Judgement.objects.get(evaluation=first)) is None
    grade(three, first, config, 8, at=9, repeat=2)
    found = flips_of(Judgement.objects.get(evaluation=first))
    assert found is not None
    assert (found.gradings, found.passed, found.failed) == (2, 1, 1)


def test_another_setup_is_no_second_grading(three):
    config = three.config(roles=ALONE, name="setups")
    first = grade(three, None, config, 1)
    other = grade(three, first, config, 8, at=1, repeat=2)
    assert flips_of(Judgement.objects.get(evaluation=first)) is not None
    changed = {**other.snapshot, "llm_config": {"judge": {**other.snapshot["llm_config"]["judge"], "model": "gpt-5"}}}
    with pgtrigger.ignore("evaluations.Evaluation:snapshot_is_frozen"):
        Evaluation.objects.filter(pk=other.pk).update(snapshot=changed)
    assert flips_of(Judgement.objects.get(evaluation=first)) is None


def test_a_conversation_graded_once_has_no_flip_rate(three):
    assert flips_of(Judgement.objects.get(evaluation=judged(three.config(roles=ALONE)))) is None
