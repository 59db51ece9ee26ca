"""Judges that fail every conversation alike are stopped, and a version that cannot be used stops nobody else."""

import json

import pytest

from apps.evaluations.judging.domain.circuit_breaker import FIRST
from apps.evaluations.progress.services.reconciling import requeue_errors
from apps.reports.results.queries.evaluation_document import evaluation_summary
from tests.evaluations.bench import evaluated, judge, judged, minutes, only
from tests.evaluations.test_model_faults import stored_before_the_rules

MANY = tuple(f"c-{n}" for n in range(60))


def test_a_judge_that_leaves_out_the_nonce_is_not_asked_about_every_conversation(config, model):
    model.text = json.dumps({"scores": {"accoglienza": {"reason": "as seen", "evidence": [], "score": 7}}})
    evaluation = judged(config, *MANY)
    assert len(model.requests) <= 2 * (FIRST + 8)  # four are asked at once, and as many are claimed
    assert evaluation.status == "failed"
    assert evaluation.error_message.startswith("No conversation could be judged. The first error: ")
    left = evaluation.judgements.filter(error_code="judge_stopped")
    assert left.count() >= len(MANY) - FIRST - 8
    assert left[0].error_message.startswith("Not asked: the judge failed on the first ")
    told = evaluation_summary(evaluation.id)["decision"]["sentence"]
    assert told == f"not measured: failed. {evaluation.error_message}"


def test_a_judge_whose_key_is_refused_is_not_asked_about_every_conversation(config, model):
    model.script(*["401"] * 200)
    evaluation = judged(config, *MANY)
    assert len(model.requests) <= FIRST + 8
    assert evaluation.status == "failed"


def test_a_judge_that_is_down_for_a_while_judges_them_all_later(config, model):
    model.script(*["500"] * 3 * len(MANY))
    evaluation = judged(config, *MANY)
    assert not evaluation.judgements.filter(error_code="judge_stopped").exists()


def test_one_score_keeps_an_evaluation_going(config, model):
    model.script("ok", *["prose"] * 40)
    evaluation = evaluated(config, *MANY)
    judge(concurrency=1)
    assert evaluation.judgements.filter(status="scored").count() > 1


def test_what_was_stopped_is_judged_when_the_judge_is_mended(config, model):
    honest, model.text = model.text, "no JSON at all"
    evaluation = judged(config, *MANY)
    assert evaluation.status == "failed"
    model.text = honest
    requeue_errors(run_id=evaluation.run_id, now=minutes(60))
    judge(minutes(60))
    assert set(evaluation.judgements.values_list("status", flat=True)) == {"scored"}


BROKEN = [
    {"system_prompt_template": "Judge it. {{ 1e999 }}"},
    {"system_prompt_template": "{{ nowhere.at.all }}"},
    {"system_prompt_template": 7},
    {"parameters": ["max_output_tokens"]},
    {"parameters": {"max_output_tokens": "many"}},
    {"parameters": {"repeats": "twice"}},
    {"criteria": [{"name": None}]},
    {"criteria": 7},
    {"llm_config": {"judge": "stub"}},
    {"llm_config": {"judge": {"provider": "stub", "model": "stub-model", "fallback": 7}}},
]


@pytest.mark.parametrize("changes", BROKEN, ids=str)
def test_a_version_that_cannot_be_used_fails_its_own_evaluation_and_no_neighbours(config, changes):
    broken, good = evaluated(config), evaluated(config, "c-2")
    stored_before_the_rules(broken, **changes)
    judge()
    assert only(good).status == "scored"
    assert only(broken).status == "model_error"
    assert only(broken).error_message
