"""Second opinions from other providers: a panel where a score fails, a cross-check that changes nothing."""

import pytest

from apps.budgets.models import ModelCall
from apps.evaluations.figures.queries.second_opinions import panel_effect
from apps.reports.results.queries.evaluation_document import evaluation_summary
from tests.evaluations.bench import document, evaluated, judge, judged, ledger, minutes, only, scores
from tests.loopback import formats

NOBODY = {"cross_check_share": 0}


def by_purpose(score) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for opinion in score.opinions:
        found.setdefault(opinion["purpose"], []).append(opinion["score"])
    return found


# --- When seats are empty or silent ---
def test_a_seat_that_is_down_is_named_and_the_others_decide(three, settings_of):
    settings_of(**NOBODY)
    three.says(judge={"first": 4, "second": 8}, cross_check={"first": 7, "second": 8})
    three["panel"].script("500", "500", "500", "500")
    found = only(judged(three.config()))
    first = found.scores.get(criterion="first")
    assert first.score == 5.5
    assert [one.get("error", "")[:11] for one in first.opinions if one["score"] is None] == ["model_error"]


def test_a_seat_that_limits_us_makes_the_judgement_wait_and_nobody_is_paid_twice(three, settings_of):
    settings_of(**NOBODY)
    three.says(judge={"first": 4, "second": 8}, cross_check={"first": 7, "second": 8}, panel={"first": 8, "second": 8})
    three["panel"].script("rate_limit")
    evaluation = evaluated(three.config())
    judge()
    assert only(evaluation).waiting_for == "model gemini-2.5-flash limits us"
    judge(minutes(1))
    assert scores(only(evaluation)) == {"first": 7.0, "second": 8.0}
    assert three.asked == {"judge": 1, "cross_check": 1, "panel": 2}


def test_with_one_provider_there_is_no_second_opinion_and_the_summary_says_so(three):
    three.says(judge={"first": 4, "second": 8})
    evaluation = judged(three.config(roles=("judge",)))
    assert scores(only(evaluation)) == {"first": 4.0, "second": 8.0}
    assert "no_second_opinion" in evaluation_summary(evaluation.id)["warning_codes"]


def test_a_version_may_want_no_panel(three, settings_of):
    settings_of(**NOBODY)
    three.says(judge={"first": 4, "second": 8})
    evaluation = judged(three.config(panel="off"))
    assert scores(only(evaluation)) == {"first": 4.0, "second": 8.0}
    assert three.asked == {"judge": 1, "cross_check": 0, "panel": 0}
    assert not {"no_second_opinion", "no_panel", "panel_effect"} & set(
        evaluation_summary(evaluation.id)["warning_codes"]
    )


# --- The panel ---
def test_a_failing_score_goes_to_three_judges_of_three_providers_and_their_cost_is_in_the_ledger(three, settings_of):
    settings_of(**NOBODY)
    three.says(judge={"first": 4, "second": 8}, cross_check={"first": 7, "second": 2}, panel={"first": 9, "second": 2})
    evaluation = judged(three.config())
    found = only(evaluation)
    assert scores(found) == {"first": 7.0, "second": 8.0}  # the median of 4, 7, 9; what passes is not asked about
    first = found.scores.get(criterion="first")
    assert by_purpose(first) == {"judge": [4.0], "panel": [7.0, 9.0]}
    assert [one["provider"] for one in first.opinions] == ["at-openai", "at-anthropic", "at-google"]
    assert len({one["fingerprint"] for one in first.opinions}) == 3
    assert found.scores.get(criterion="second").opinions == []
    assert sorted(ledger()) == [("judge", "ok"), ("panel", "ok"), ("panel", "ok")]
    paid = dict(ModelCall.objects.values_list("provider", "cost_usd"))
    assert set(paid) == {"at-openai", "at-anthropic", "at-google"}
    assert all(cost > 0 for cost in paid.values())
    assert evaluation_summary(evaluation.id)["cost_usd"] == pytest.approx(float(sum(paid.values())))


def test_a_score_that_passes_asks_nobody_else(three, settings_of):
    settings_of(**NOBODY)
    judged(three.config())
    assert three.asked == {"judge": 1, "cross_check": 0, "panel": 0}


def test_the_majority_decides_where_the_version_says_so(three, settings_of):
    settings_of(**NOBODY)
    three.says(judge={"first": 4, "second": 8}, cross_check={"first": 7, "second": 8}, panel={"first": 8, "second": 8})
    assert scores(only(judged(three.config(panel="majority"))))["first"] == 7.5


def test_the_reason_is_that_of_whoever_is_nearest_to_the_ruling(three, settings_of):
    settings_of(**NOBODY)
    told = {"score": 7, "reason": "it was polite", "evidence": []}
    three.says(
        judge={"first": 4, "second": 8}, cross_check={"first": told, "second": 8}, panel={"first": 9, "second": 8}
    )
    assert only(judged(three.config())).scores.get(criterion="first").reason == "it was polite"


def test_a_judge_with_a_panel_is_another_instrument_than_the_same_judge_alone(three, settings_of):
    settings_of(**NOBODY)
    with_panel, alone = only(judged(three.config(name="a"))), only(judged(three.config(name="b", panel="off")))
    assert with_panel.fingerprint != alone.fingerprint


# --- The cross-check ---
def test_a_cross_check_changes_no_score(three, settings_of):
    settings_of(cross_check_share=1)
    three.says(judge={"first": 7, "second": 9}, cross_check={"first": 1, "second": 10})
    found = only(judged(three.config()))
    assert scores(found) == {"first": 7.0, "second": 9.0}
    assert by_purpose(found.scores.get(criterion="first")) == {"cross_check": [1.0]}
    assert sorted(ledger()) == [("cross_check", "ok"), ("judge", "ok")]


def test_a_model_that_checks_and_sits_on_the_panel_is_asked_once(three, settings_of):
    settings_of(cross_check_share=1)
    three.says(judge={"first": 4, "second": 8}, cross_check={"first": 7, "second": 8}, panel={"first": 9, "second": 8})
    found = only(judged(three.config()))
    assert scores(found)["first"] == 7.0
    assert by_purpose(found.scores.get(criterion="first")) == {
        "judge": [4.0],
        "panel": [7.0, 9.0],
        "cross_check": [7.0],
    }
    assert three.asked == {"judge": 1, "cross_check": 1, "panel": 1}


def test_a_second_judge_that_fails_harms_no_score(three, settings_of):
    settings_of(cross_check_share=1)
    three["cross_check"].script("500", "500", "500", "500")
    found = only(judged(three.config()))
    assert scores(found) == {"first": 8.0, "second": 8.0}
    assert found.scores.get(criterion="first").opinions[0]["error"].startswith("model_error")


def test_about_the_share_is_cross_checked_and_again_the_same_ones_for_nothing(three, settings_of):
    settings_of(cross_check_share=0.3)
    config = three.config()
    evaluation = judged(config, *(f"c-{n}" for n in range(40)))
    first = three.asked["cross_check"]
    assert 4 <= first <= 22
    again = evaluated(config, "c-0")
    from apps.evaluations.requests.services.creating import request_evaluation  # noqa: PLC0415 - only here

    request_evaluation(config=config, run_id=evaluation.run_id, now=minutes(2))
    judge(minutes(2))
    assert three.asked["cross_check"] <= first + 1  # only c-0, another conversation, could have been new
    assert again


def test_a_panel_that_sees_only_fails_says_what_it_did_to_the_mean(three, settings_of):
    settings_of(cross_check_share=0)
    three.says(judge={"first": 4, "second": 8}, cross_check={"first": 7, "second": 8}, panel={"first": 9, "second": 8})
    evaluation = judged(three.config(), "c-1", "c-2")
    assert "panel_effect" in evaluation_summary(evaluation.id)["warning_codes"]
    effect = panel_effect(evaluation, scored=2)
    assert (effect.scores, effect.conversations, effect.lifted, effect.moved(2)) == (2, 2, 2, 1.5)


def test_a_panel_that_was_never_asked_says_nothing(three, settings_of):
    settings_of(cross_check_share=0)
    assert "panel_effect" not in evaluation_summary(judged(three.config()).id)["warning_codes"]


# --- Nobody judges their own words ---
def test_a_judge_that_is_the_agents_own_model_is_refused_unless_the_version_allows_it(three):
    from apps.core.errors import BadInput  # noqa: PLC0415 - only here
    from apps.evaluations.requests.services.creating import request_evaluation  # noqa: PLC0415 - only here

    own = [document("own", labels={"generator_model": "openai/gpt-4o-2024-08-06"})]
    with pytest.raises(BadInput) as refused:
        request_evaluation(config=three.config(), documents=own, now=minutes(0))
    assert refused.value.code == "judge_is_generator"
    allowed = request_evaluation(config=three.config(name="own", allow_same_model=True), documents=own, now=minutes(0))
    assert "judge_is_generator" in evaluation_summary(allowed.evaluation_id)["warning_codes"]


def test_importing_first_and_judging_then_is_refused_all_the_same(three):
    from apps.core.errors import BadInput  # noqa: PLC0415 - only here
    from apps.evaluations.models import Evaluation  # noqa: PLC0415 - only here
    from apps.evaluations.requests.services.creating import request_evaluation  # noqa: PLC0415 - only here
    from apps.runs.imports.services.importing import import_documents  # noqa: PLC0415 - only here

    mixed = [document("other"), document("own", labels={"generator_model": "openai/gpt-4o-2024-08-06"})]
    run = import_documents(documents=mixed, name="mixed", triggered_by="tests", now=minutes(0))
    with pytest.raises(BadInput) as refused:
        request_evaluation(config=three.config(), run_id=run, now=minutes(0))
    assert refused.value.code == "judge_is_generator"
    assert not Evaluation.objects.exists()


def test_the_same_family_is_warned_of(three):
    from apps.evaluations.requests.services.creating import request_evaluation  # noqa: PLC0415 - only here

    kin = [document("kin", labels={"generator_model": "gpt-4o-mini"})]
    asked = request_evaluation(config=three.config(), documents=kin, now=minutes(0))
    assert "judge_of_one_family" in evaluation_summary(asked.evaluation_id)["warning_codes"]


# --- Wire formats are what they are ---
def test_each_judge_was_asked_in_its_own_format(three, settings_of):
    settings_of(cross_check_share=1)
    three.says(judge={"first": 1, "second": 8})
    judged(three.config())
    kinds = {role: formats.kind_of(server.requests[0].path) for role, server in three.servers.items()}
    assert kinds == {"judge": "openai", "cross_check": "anthropic", "panel": "google"}
