"""Asked several times, or criterion by criterion; and low scores that must prove themselves."""

import json

import pytest

from tests.evaluations.bench import judged, ledger, only, scores
from tests.evaluations.doubt.three_judges import MODELS, answers

ALONE = ("judge",)


def three_answers(three, *firsts: float) -> None:
    answers(three["judge"], "openai", MODELS["judge"], *({"first": first, "second": 8} for first in firsts))


def test_a_criterion_is_the_mean_of_its_answers_with_the_judges_own_standard_error(three):
    three_answers(three, 5, 6, 10)
    found = only(judged(three.config(roles=ALONE, repeats=3)))
    first = found.scores.get(criterion="first")
    assert (first.score, first.answers) == (7.0, 3)
    assert first.standard_error == pytest.approx((7 / 3) ** 0.5)  # 5, 6, 10: variance 7
    assert sorted(one["score"] for one in first.opinions) == [5, 6, 10]
    assert found.scores.get(criterion="second").standard_error == 0
    assert ledger() == [("judge", "ok")] * 3


def test_repeats_are_kept_one_by_one_and_asked_again_for_nothing(three):
    config = three.config(roles=ALONE, repeats=3)
    three_answers(three, 5, 6, 10)
    first = judged(config)
    from apps.evaluations.requests.services.creating import request_evaluation  # noqa: PLC0415 - only here
    from tests.evaluations.bench import judge, minutes  # noqa: PLC0415 - only here

    request_evaluation(config=config, run_id=first.run_id, now=minutes(1))
    judge(minutes(1))
    assert three.asked["judge"] == 3


def test_one_answer_of_three_that_cannot_be_read_leaves_two(three):
    three["judge"].script("prose", "prose")
    found = only(judged(three.config(roles=ALONE, repeats=3)))
    assert found.status == "scored"
    assert found.scores.get(criterion="first").answers in (2, 3)


def test_per_criterion_asks_one_question_for_each(three):
    found = only(judged(three.config(roles=ALONE, asking="per_criterion")))
    assert scores(found) == {"first": 8.0, "second": 8.0}
    schemas = [
        list(json.loads(request.body)["response_format"]["json_schema"]["schema"]["properties"]["scores"]["properties"])
        for request in three["judge"].requests
    ]
    assert sorted(schemas) == [["first"], ["second"]]


def test_joint_and_per_criterion_have_different_fingerprints(three):
    joint, each = (
        only(judged(three.config(name="j", roles=ALONE))),
        only(judged(three.config(name="e", roles=ALONE, asking="per_criterion"))),
    )
    assert joint.fingerprint != each.fingerprint


def test_a_low_score_without_an_exact_quote_is_unscored(three):
    three.says(
        judge={
            "first": {"score": 3, "reason": "rude", "evidence": ['[1] "Never said."']},
            "second": {"score": 9, "reason": "fine", "evidence": []},
        }
    )
    found = only(judged(three.config(roles=ALONE, evidence_below=6)))
    first = found.scores.get(criterion="first")
    assert (first.score, first.status, first.unscored_reason) == (None, "unscored", "no_evidence")
    assert first.reason == "rude"
    assert found.weighted_score == 9


def test_a_low_score_with_an_exact_quote_stands(three):
    three.says(judge={"first": 3, "second": 9})
    assert scores(only(judged(three.config(roles=ALONE, evidence_below=6))))["first"] == 3.0


@pytest.mark.parametrize(
    "parameters",
    [
        {"repeats": 0},
        {"repeats": 11},
        {"asking": "twice"},
        {"panel": "jury"},
        {"evidence_below": 11},
        {"error_rate": 0},
    ],
)
def test_a_rule_that_cannot_be_is_refused_with_its_field(three, parameters):
    from apps.core.errors import BadInput  # noqa: PLC0415 - only here

    with pytest.raises(BadInput) as refused:
        three.config(roles=ALONE, **parameters)
    assert refused.value.pointer == f"/parameters/{next(iter(parameters))}"


def test_a_version_that_says_nothing_keeps_its_fingerprint(three):
    """Parameters that are absent are not filled in: what was certified before stays certified."""
    from apps.catalog.configs.queries.versions import resolve_config  # noqa: PLC0415 - only here

    assert set(resolve_config(three.config(roles=ALONE)).parameters) == {
        "rubric_language", "prompt_language", "reason_language", "allow_fallback_in_mean", "max_output_tokens",
    }  # fmt: skip


def test_one_conversation_opens_only_so_many_questions_at_once(tenant):
    """Ten repeats criterion by criterion are thirty questions: the provider sees eight of them at a time."""
    from tests.evaluations.bench import make_config  # noqa: PLC0415 - only here
    from tests.loopback.http_server import LoopbackServer  # noqa: PLC0415 - only here
    from tests.loopback.stub_model import Behaviour, StubModel  # noqa: PLC0415 - only here

    stub = StubModel(Behaviour(latency_s=0.01))
    with LoopbackServer(stub) as server:
        config = make_config(url=f"{server.url}/v1", parameters={"repeats": 10, "asking": "per_criterion"})
        found = only(judged(config))
    assert found.status == "scored"
    assert set(found.scores.values_list("answers", flat=True)) == {10}
    assert stub.stats()["calls"] == 30
    assert stub.stats()["most_at_once"] <= 8
