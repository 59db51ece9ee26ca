"""Judges whose agreement with people is published: each gets the certificate, or the refusal, it deserves."""

import json

import pytest

from apps.calibration.domain.agreement_with_people import Kappa
from apps.calibration.services.certification import certify, request_calibration
from apps.evaluations.figures.domain.rating_scale import read_scale
from tests.calibration.calibration_bench import (
    DATA,
    imported_judge,
    imported_run,
    labelled,
    labels_of,
    published,
    rows_of,
)
from tests.evaluations.bench import NOW, make_config

pytestmark = pytest.mark.usefixtures("tenant")


def item_of(evaluation, labels, **more):
    asked = request_calibration(labels=labels, evaluation_id=evaluation, now=NOW, **more)
    (found,) = certify(calibration_id=asked.calibration_id, now=NOW).items
    return found


def expected(name):
    return json.loads((DATA / "expected" / "agreement.json").read_text())[f"{name}.jsonl"]


@pytest.mark.shared
def test_a_person_who_agrees_with_the_others_is_certified_as_a_judge_and_the_models_are_refused():
    path = published("human_rated/pandalm_pairwise")
    rows, want = rows_of(path), expected("human_rated/pandalm_pairwise")
    run, labels = imported_run(rows), labels_of(path, "preference")
    scale = labels.scales["x"]
    first = imported_judge(
        run, "annotator-1", {row["id"]: row["labels"]["ratings"]["preference"][0] for row in rows}, scale=scale
    )
    for other in (1, 2):
        second = labelled({row["id"]: row["labels"]["ratings"]["preference"][other : other + 1] for row in rows}, scale)
        found = item_of(first, second)
        assert found["verdict"] == "certified"
        assert round(found["kappa"], 6) == want["cohen_unweighted_by_rater_pair"][f"1-{other + 1}"]["kappa"]
        assert found["interval"][0] > 0.85
        assert found["reason"].endswith("one rater only, so no ceiling is known")
    whole = item_of(first, labels)
    assert (whole["verdict"], whole["raters"]) == ("certified", 3)
    assert round(whole["human_alpha"], 4) == round(want["fleiss"] + (1 - want["fleiss"]) / 750, 4)
    for model, figures in want["llm_judges"].items():
        said = {
            row["id"]: {"1": 1, "2": 2, "0": 0, "Tie": 0}.get(
                next(one["verdict_raw"] for one in row["labels"]["llm_judges"] if one["model"] == model)
            )
            for row in rows
        }
        found = item_of(imported_judge(run, model, said, scale=scale), labels)
        assert (found["n"], round(found["kappa"], 6)) == (figures["n"], figures["kappa_vs_human_majority"])
        assert found["reason"] == f"the judge and people disagree: kappa (unweighted) {found['kappa']:.2f}, below 0.7"
        assert found["left_out"]["judge_without_score"] == figures["unreadable_verdicts_left_out"]


@pytest.mark.shared
def test_where_people_disagree_among_themselves_even_one_of_them_is_refused():
    path = published("human_rated/dstc9")
    rows, want = rows_of(path), expected("human_rated/dstc9")
    labels = labels_of(path, "human (overall)")
    said = {item.id: item.ratings["x"][0].value for item in labels.items}
    found = item_of(imported_judge(imported_run(rows), "first-rater", said, scale=labels.scales["x"]), labels)
    assert (found["n"], round(found["human_alpha"], 6)) == (90, want["krippendorff_interval"])
    assert found["verdict"] == "refused"
    assert found["reason"].startswith(
        "people disagree among themselves: Krippendorff's alpha 0.09, below 0.667, so they are no measure for a judge"
    )


@pytest.mark.shared
def test_crowds_and_adversarial_chats_are_measured_as_published():
    path = published("human_rated/abredial")
    rows, want = rows_of(path), expected("human_rated/abredial")
    run = imported_run(rows)
    for dimension, figures in want.items():
        labels = labels_of(path, dimension)
        given = {item.id: [one.value for one in item.ratings["x"] if one.value is not None] for item in labels.items}
        scale = labels.scales["x"]
        judge = imported_judge(run, dimension, {id: values[0] for id, values in given.items()}, scale=scale)
        found = item_of(judge, labelled({id: values[1:2] for id, values in given.items()}, scale))
        assert round(found["kappa"], 6) == figures["kappa_first_two"]
        assert round(found["kappa_quadratic"], 6) == figures["quadratic_kappa_first_two"]
        assert round(item_of(judge, labels)["human_alpha"], 6) == figures["krippendorff_interval"]
    path = published("human_rated/dices350")
    rows, want = rows_of(path), expected("human_rated/dices350")
    labels = labels_of(path, "safety")
    scale = labels.scales["x"]
    expert = imported_judge(
        imported_run(rows), "expert", {row["id"]: row["labels"]["expert"]["safety"] for row in rows}, scale=scale
    )
    found = item_of(expert, labels)
    assert round(found["human_alpha"], 6) == want["krippendorff_nominal"]
    assert round(found["kappa"], 6) == want["majority_vs_expert_kappa"]
    assert found["reason"].startswith("people disagree among themselves")


@pytest.mark.shared
def test_four_prompts_against_the_outcome_as_four_evaluators():
    rows, want = rows_of(published("judge/llm_judges_vs_outcome")), expected("judge/llm_judges_vs_outcome")
    run = imported_run(rows)
    outcome = labelled({row["id"]: [bool(row["labels"]["success"])] for row in rows}, read_scale([False, True]))
    for judge in ("customer_outcome_v1", "policy_conversation_v1", "policy_chain_of_thought_v1", "quick_triage_v1"):
        said = {
            row["id"]: 10 if next(j["verdict"] for j in row["labels"]["judges"] if j["judge"] == judge) == "pass" else 0
            for row in rows
        }
        found = item_of(imported_judge(run, judge, said), outcome)
        figures = want[f"all/{judge}"]
        assert (found["n"], round(found["kappa"], 6)) == (70, figures["kappa_vs_outcome"])
        assert found["passes"] == {
            "human_passes": figures["pass_pass"] + figures["fail_pass"],
            "true_passes": figures["pass_pass"],
            "human_fails": figures["pass_fail"] + figures["fail_fail"],
            "true_fails": figures["fail_fail"],
        }
        assert found["verdict"] == "refused"
        assert found["reason"].startswith("the judge and people disagree: kappa (unweighted)")


@pytest.mark.shared
def test_a_judge_of_words_needs_its_own_scale():
    from apps.core.errors import BadInput  # noqa: PLC0415 - beside its only use

    rows = rows_of(published("human_rated/dices350"))
    labels = labels_of(published("human_rated/dices350"), "safety")
    judge = imported_judge(imported_run(rows), "numbers", {row["id"]: 7 for row in rows})
    with pytest.raises(BadInput, match=r"people rated on Yes\|No\|Unsure"):
        request_calibration(labels=labels, evaluation_id=judge, now=NOW, scale="own")
    with pytest.raises(BadInput, match="words have no order"):
        request_calibration(labels=labels, evaluation_id=judge, now=NOW)
    words = imported_judge(imported_run(rows), "words", {row["id"]: "No" for row in rows}, scale=labels.scales["x"])
    with pytest.raises(BadInput, match="only the unweighted kappa"):
        request_calibration(labels=labels, evaluation_id=words, now=NOW, decides=Kappa.QUADRATIC)
    with pytest.raises(BadInput, match="does not judge x"):
        request_calibration(labels=labels, config=make_config(weights={"y": 1.0}), now=NOW)
