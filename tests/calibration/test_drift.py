"""What the cross-check says of the judge: agreement, drift, favour for its own family; and it ends with the money."""

import re

import pytest

from apps.alerts.queries.judge_alerts import falling_agreement
from apps.catalog.connections.services.storing import save_model_provider
from apps.core.document_parsing import parse_document
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from tests.evaluations.bench import evaluated, judge, minutes
from tests.evaluations.doubt.three_judges import MODELS, ByText, answers


@pytest.fixture
def checked(three, settings_of):
    """A config of which every conversation is cross-checked."""
    settings_of(cross_check_share=1)
    return three.config(panel="off")


def grade(three, evaluation: Evaluation, judge_gives: list[float], second_gives: list[float], at: float = 0) -> dict:
    answers(three["judge"], "openai", MODELS["judge"], *({"first": one, "second": 9} for one in judge_gives))
    answers(three["cross_check"], "anthropic", MODELS["cross_check"],
            *({"first": one, "second": 9} for one in second_gives))  # fmt: skip
    judge(minutes(at), concurrency=1)
    return evaluation_summary(evaluation.id)


TRUTHS = [2, 4, 6, 8, 9, 3, 5, 7, 1, 8, 6, 4]


def test_two_judges_that_agree_have_a_high_kappa_and_no_warning(three, checked):
    evaluation = evaluated(checked, *(f"c-{n}" for n in range(12)))
    found = grade(three, evaluation, TRUTHS, [score + 0.5 for score in TRUTHS])
    first = found["cross_check"]["criteria"][0]
    assert (first["n"], first["criterion"]) == (12, "first")
    assert first["kappa"] > 0.9
    assert first["difference"] == pytest.approx(-0.5)
    assert "judges_disagree" not in found["warning_codes"]


def test_two_judges_that_disagree_are_warned_of(three, checked):
    evaluation = evaluated(checked, *(f"c-{n}" for n in range(12)))
    found = grade(three, evaluation, TRUTHS, [10 - score for score in TRUTHS])
    first = found["cross_check"]["criteria"][0]
    assert (first["n"], first["disagree"]) == (12, True)
    assert (round(first["same_side"], 2), round(first["ac1"], 2)) == (0.08, -0.82)
    assert "judges_disagree" in found["warning_codes"]


def test_two_kind_judges_are_not_said_to_disagree(three, checked):
    """Kappa is 0 for judges who give nothing but 9 and 10, and they agree on everything that counts."""
    evaluation = evaluated(checked, *(f"c-{n}" for n in range(12)))
    found = grade(three, evaluation, [9, 10] * 6, [9, 9, 10, 10] * 3)
    first = found["cross_check"]["criteria"][0]
    assert first["kappa"] == pytest.approx(0)
    assert (first["same_side"], first["ac1"], first["disagree"]) == (1.0, 1.0, False)
    assert "judges_disagree" not in found["warning_codes"]


def test_kept_answers_are_no_second_look_at_a_judge(three, checked):
    ids = [f"c-{n}" for n in range(12)]
    first = evaluated(checked, *ids)
    grade(three, first, TRUTHS, TRUTHS)
    again = request_evaluation(config=checked, run_id=first.run_id, now=minutes(5))
    found = grade(three, Evaluation.objects.get(pk=again.evaluation_id), [], [], at=5)
    assert found["from_cache"] > 0
    assert found["cross_check"]["criteria"][0]["n"] == 12
    assert found["cross_check"]["criteria"][0]["drift"] is None


def test_a_judge_that_drifts_is_found_against_its_earlier_evaluations(three, checked):
    ids = [f"c-{n}" for n in range(12)]
    calm = grade(three, evaluated(checked, *ids), TRUTHS, TRUTHS)
    assert calm["cross_check"]["criteria"][0]["drift"] is None
    later = [min(10, score + 1.5) for score in TRUTHS]
    others = [f"d-{n}" for n in range(12)]
    found = grade(three, evaluated(checked, *others, now=minutes(9)), later, TRUTHS, at=9)
    drift = found["cross_check"]["criteria"][0]["drift"]
    assert drift["sure"]
    assert drift["points"] == pytest.approx(1.4, abs=0.2)
    assert found["warning_codes"].count("judge_drifts") == 1


def test_a_judge_that_favours_its_own_family_is_found(three, settings_of):
    """The second judge, of another family, gives what is right; the first adds two points to its own family's words."""
    settings_of(cross_check_share=1)
    made = [
        parse_document({
            "id": f"c-{n}", "language": "en",
            "turns": [{"role": "user", "content": "Niaje?"}, {"role": "assistant", "content": f"case {n}."}],
            "labels": {"generator_model": "gpt-4o-mini" if n % 2 else "claude-haiku-4-5"},
        })
        for n in range(24)
    ]  # fmt: skip

    def right(prompt: str) -> dict[str, float]:
        return {"first": TRUTHS[int(re.search(r"case (\d+)", prompt)[1]) % 12], "second": 9}

    def biased(prompt: str) -> dict[str, float]:
        own = int(re.search(r"case (\d+)", prompt)[1]) % 2
        return {"first": min(10, right(prompt)["first"] + 2 * own), "second": 9}

    first, second = ByText(biased), ByText(right)
    with first.server, second.server:
        config = three.config(panel="off")
        save_model_provider(name="at-openai", kind="openai", base_url=f"{first.server.url}/v1", api_key="not-a-key")
        save_model_provider(name="at-anthropic", kind="anthropic", base_url=second.server.url, api_key="not-a-key")
        asked = request_evaluation(config=config, documents=made, now=minutes(0))
        judge()
    found = evaluation_summary(asked.evaluation_id)
    favour = found["cross_check"]["criteria"][0]["own_family"]
    assert favour["sure"]
    assert favour["points"] > 1.5
    assert found["warning_codes"].count("own_family_favoured") == 1


def test_in_danger_nobody_is_cross_checked_and_the_summary_says_so(three, settings_of):
    settings_of(cross_check_share=1, budget_run_usd=1.0, budget_warn_share=0.01)
    config = three.config(panel="off")
    first = evaluated(config, "c-1", "c-2")
    grade(three, first, [7, 7], [7, 7])  # 2.8 cents: past the warning
    asked = request_evaluation(config=config, run_id=first.run_id, now=minutes(1), how={"use_cache": False})
    found = grade(three, Evaluation.objects.get(pk=asked.evaluation_id), [7, 7], [], at=1)
    assert three.asked == {"judge": 4, "cross_check": 2, "panel": 0}
    assert "not_cross_checked" in found["warning_codes"]
    assert found["cross_check"]["left_out_for_budget"] == 2


def test_an_alert_tells_when_two_judges_part_and_counts_conversations(three, checked):
    grade(three, evaluated(checked, *(f"c-{n}" for n in range(12))), TRUTHS, TRUTHS)
    eight_days = 8 * 24 * 60
    assert falling_agreement(minutes(eight_days)) == []
    apart = [score + 5 if score < 5 else score - 5 for score in TRUTHS]
    later = evaluated(checked, *(f"d-{n}" for n in range(12)), now=minutes(eight_days))
    grade(three, later, apart, TRUTHS, at=eight_days)
    [found] = falling_agreement(minutes(eight_days + 60))
    assert found.sentence.endswith("differ by 2.5 points this week, and by 0.0 before.")
