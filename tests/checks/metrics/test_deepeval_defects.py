"""The known defects of DeepEval 4.3.1: each shown as it is in the library, and gone behind our wrapping. Where the
library's half stops failing, an upgrade has repaired it and the wrapping can go."""

import asyncio
import json
import math
from importlib.metadata import version
from typing import Any

import pytest

from apps.checks.metrics import (
    conversation_completeness,
    deepeval_environment,
    hallucination,
    knowledge_retention,
    role_adherence,
    swahili_fluency,
)
from apps.checks.metrics.base import Case, MetricError, NotApplicable
from apps.checks.metrics.conversation_case import conversational
from apps.checks.metrics.deepeval_environment import PINNED, deepeval
from apps.checks.metrics.judge_model import deepeval_model
from apps.checks.metrics.rubric_judging import Rubric, by_rubric, geval, scaled
from tests.checks.metrics.bench import CASE, YES, Judge, only

RUBRIC = Rubric(name="Probe", steps=("Look.", "Score."), bands=((0, 10, "anything"),))


def measured(module, judge, case=CASE):
    return asyncio.run(module.measure(case, judge))


def raw(score, rubric=RUBRIC):
    """DeepEval's own score and ours, for what a judge answers."""
    theirs = geval(rubric, deepeval_model(Judge(only("score", {"reason": "r", "score": score}))))
    asyncio.run(theirs.a_measure(conversational(CASE).case, _show_indicator=False))
    ours = asyncio.run(by_rubric(CASE, Judge(only("score", {"reason": "r", "score": score})), rubric))
    return theirs.score, ours


def test_the_installed_version_is_the_one_these_tests_know():
    assert version("deepeval") == PINNED


def test_1_and_2_log_probabilities_are_never_asked_for():
    model = deepeval_model(Judge())
    assert not hasattr(model, "generate_raw_response")
    assert not hasattr(model, "a_generate_raw_response")
    assert model.supports_log_probs() is False
    theirs, ours = raw(8.4)
    assert (round(theirs, 6), ours.score) == (0.84, 0.84)  # not 0.206


@pytest.mark.parametrize("said, theirs, ours", [(15, 1.5, 1.0), (-3, -0.3, 0.0)])
def test_3_scores_off_the_scale_are_clamped_and_the_reason_says_so(said, theirs, ours):
    found, result = raw(said)
    assert (round(found, 6), result.score) == (theirs, ours)
    assert f"the judge said {said}" in result.reason


def test_4_a_rubrics_own_range_is_the_scale():
    theirs, ours = raw(3, Rubric(name="Probe", steps=("Look.",), bands=((1, 5, "any"),), span=(1.0, 5.0)))
    assert (round(theirs, 6), ours.score) == (0.3, 0.5)


def test_5_the_list_of_parameters_is_not_shared():
    params = deepeval("test_case").MultiTurnParams
    mine = [params.SCENARIO]
    deepeval("metrics").ConversationalGEval(
        name="x", evaluation_params=mine, evaluation_steps=["a"], model=deepeval_model(Judge())
    )
    assert len(mine) == 3  # the library's: the caller's list grew
    first, second = (geval(RUBRIC, deepeval_model(Judge())) for _ in range(2))
    assert first.evaluation_params == second.evaluation_params == [params.CONTENT, params.ROLE]
    assert first.evaluation_params is not second.evaluation_params


def test_6_the_judges_name_is_ours():
    metric = geval(RUBRIC, deepeval_model(Judge()))
    asyncio.run(metric.a_measure(conversational(CASE).case, _show_indicator=False))
    assert metric.evaluation_model == "test/judge"


def test_7_steps_are_stored_and_not_written_anew_for_each_case():
    judge = Judge()
    for _ in range(2):
        measured(swahili_fluency, judge)
    assert judge.kinds == ["score", "score"]
    assert all(step in judge.requests[0].messages[0].content for step in swahili_fluency.RUBRIC.steps)


def test_8_parameters_are_always_given():
    theirs = deepeval("metrics").ConversationalGEval(name="x", evaluation_steps=["a"], model=deepeval_model(Judge()))
    with pytest.raises(ValueError, match="evaluation_params"):
        asyncio.run(theirs.a_measure(conversational(CASE).case, _show_indicator=False))
    assert geval(RUBRIC, deepeval_model(Judge())).evaluation_params


def test_9_a_verdict_that_is_none_is_an_error_and_no_pass():
    base: Any = deepeval("models").DeepEvalBaseLLM

    class Theirs(base):
        def load_model(self):
            return self

        def get_model_name(self):
            return "theirs"

        def generate(self, prompt, schema=None):
            raise AssertionError

        async def a_generate(self, prompt, schema=None):
            return json.dumps({"intentions": ["book"]} if schema.__name__ == "UserIntentions" else {"verdict": "idk"})

    metric = deepeval("metrics").ConversationCompletenessMetric(model=Theirs(), include_reason=False)
    assert asyncio.run(metric.a_measure(conversational(CASE).case, _show_indicator=False)) == 1  # the library's pass
    judge = Judge(only("verdict", {"verdict": "idk", "reason": "?"}))
    with pytest.raises(MetricError, match="verdict") as refused:
        measured(conversation_completeness, judge)
    assert refused.value.code == "bad_answer"


@pytest.mark.parametrize("verdicts", [[], [YES], [YES] * 3])
def test_9_a_verdict_too_few_or_too_many_is_an_error(verdicts):
    with pytest.raises(MetricError, match="verdicts on 2 facts"):
        measured(hallucination, Judge(only("verdicts", {"verdicts": verdicts})))


def test_9_nothing_to_judge_is_no_pass():
    with pytest.raises(MetricError, match="no intention"):
        measured(conversation_completeness, Judge(only("intentions", {"intentions": []})))
    with pytest.raises(NotApplicable, match="could be forgotten"):
        measured(knowledge_retention, Judge(only("knowledge", {"data": None})))


def test_10_hallucination_takes_conversations_turn_by_turn():
    metric = deepeval("metrics").HallucinationMetric(model=deepeval_model(Judge()))
    with pytest.raises(Exception, match="LLMTestCase"):
        asyncio.run(metric.a_measure(conversational(CASE).case, _show_indicator=False))
    found = measured(hallucination, Judge())
    assert [one["turn"] for one in found.evidence] == [1, 3]


@pytest.mark.parametrize("words, score", [("yes", 1.0), ("no", 0.0)])
def test_the_direction_of_hallucination_is_that_of_4_2_and_later(words, score):
    verdicts = [{"verdict": words, "reason": "r"}] * 2
    assert measured(hallucination, Judge(only("verdicts", {"verdicts": verdicts}))).score == score


def test_one_invented_fact_in_one_turn_is_the_score():
    answers = iter([["yes", "yes"], ["yes", "no"]])
    judge = Judge(lambda kind: {"verdicts": [{"verdict": one, "reason": "KES 900"} for one in next(answers)]})
    found = measured(hallucination, judge)
    assert found.score == 0.5
    assert [len(one["contradicts"]) for one in found.evidence] == [0, 1]
    assert found.evidence[1]["contradicts"][0]["fact"] == "A haircut is KES 800"


@pytest.mark.parametrize("indexes, score", [([], 1.0), ([1], 0.5), ([1, 1], 0.5), ([1, 3], 0.0)])
def test_a_turn_out_of_character_counts_once(indexes, score):
    verdicts = [{"index": index, "reason": "r"} for index in indexes]
    assert measured(role_adherence, Judge(only("out_of_character", {"verdicts": verdicts}))).score == score


@pytest.mark.parametrize("index", [0, 9, -1])
def test_a_turn_that_is_not_the_agents_is_an_error(index):
    judge = Judge(only("out_of_character", {"verdicts": [{"index": index, "reason": "r"}]}))
    with pytest.raises(MetricError, match="not the agent's"):
        measured(role_adherence, judge)


def test_one_verdict_where_the_librarys_own_example_shows_one_is_a_list_of_one():
    judge = Judge(only("out_of_character", {"verdicts": {"index": 1, "reason": "r"}}))
    assert measured(role_adherence, judge).score == 0.5


@pytest.mark.parametrize("score", [None, math.nan, math.inf, "0.9", True])
def test_what_is_no_number_is_no_score(score):
    with pytest.raises(MetricError, match="no number"):
        scaled(score)


USELESS = (
    '{"score": NaN, "reason": "r"}',
    '{"score": null, "reason": "r"}',
    '{"score": "9", "reason": "r"}',
    '{"score": true, "reason": "r"}',
    '{"score": 9, "score": 2, "reason": "r"}',
    '{"reason": "r"}',
    "9/10",
    "",
)


@pytest.mark.parametrize("answer", USELESS)
def test_an_answer_of_no_use_is_asked_once_more_and_then_an_error(answer):
    judge = Judge(only("score", answer))
    with pytest.raises(MetricError) as refused:
        measured(swahili_fluency, judge)
    assert (refused.value.code, judge.kinds) == ("bad_answer", ["score", "score"])


def test_an_error_inside_is_not_swallowed_and_asked_again_without_a_schema():
    class Broken(Judge):
        async def ask(self, request):
            self.requests.append(request)
            raise TypeError("a bug of ours")

    judge = Broken()
    with pytest.raises(MetricError, match="a bug of ours"):
        measured(swahili_fluency, judge)
    assert len(judge.requests) == 1


def test_nothing_is_measured_where_the_agent_says_nothing():
    silent = Case(id="x", turns=({"role": "user", "content": "Hello?"},), role="r", facts=("f",), shares={"sw": 1.0})
    for module in (swahili_fluency, hallucination, role_adherence, knowledge_retention, conversation_completeness):
        with pytest.raises(NotApplicable):
            measured(module, Judge(), silent)


@pytest.mark.parametrize("found, code", [("4.1.10", "other_deepeval"), (None, "no_deepeval")])
def test_another_version_or_none_at_all_is_an_error_that_says_what_to_install(monkeypatch, found, code):
    def version_of(name):
        if found is None:
            raise deepeval_environment.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(deepeval_environment, "version", version_of)
    deepeval_environment._checked.cache_clear()
    try:
        with pytest.raises(MetricError, match=r"4\.3\.1") as refused:
            measured(swahili_fluency, Judge())
        assert refused.value.code == code
    finally:
        deepeval_environment._checked.cache_clear()
