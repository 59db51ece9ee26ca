"""Replies that are no answer: without the nonce, refused, held back by a filter; and conversations that hold scores."""

import json

import pytest

from apps.core.document_parsing import parse_document
from apps.evaluations.models import CriterionScore, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.reports.results.queries.evaluation_document import evaluation_summary
from tests.evaluations import hostile
from tests.evaluations.bench import NOW, SALT, judge, judged, make_config, only, reply, scores
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

BARE = reply({"first": 8, "second": 7, "third": 6}, nonce=None)
CHANCES = 2  # what ended in an error is tried once more when the rest is done
FULL = reply({"first": 8, "second": 7, "third": 6})


def test_an_answer_without_the_nonce_is_asked_for_once_more_and_then_none(config, model):
    model.text = BARE
    found = only(judged(config))
    assert (found.status, len(model.requests)) == ("parse_error", 2 * CHANCES)
    assert "left out the question's number" in found.error_message
    assert found.raw_reply == BARE.replace(SALT, "*")  # nobody learns the key from it


def test_an_answer_that_has_the_nonce_the_second_time_counts(config, model):
    model.script(formats.answer("openai", BARE, model="stub-model"))
    assert scores(only(judged(config))) == {"first": 8, "second": 7, "third": 6}


def marked(**changed) -> Answer:
    """A whole answer under the nonce, in a choice that says it is none."""
    body = json.loads(formats.answer("openai", FULL, model="stub-model").body)
    choice = body["choices"][0]
    choice["message"] |= changed.pop("message", {})
    choice |= changed
    return Answer(body=json.dumps(body).encode())


@pytest.mark.parametrize(
    "changed, code",
    [
        ({"finish_reason": "content_filter"}, "content_filter"),
        ({"finish_reason": "refusal"}, "refusal"),
        ({"finish_reason": "SAFETY"}, "content_filter"),
        ({"message": {"refusal": FULL}}, "refusal"),
        ({"message": {"content": [{"type": "text", "text": FULL}, {"type": "refusal", "refusal": "no"}]}}, "refusal"),
    ],
)
def test_a_refusal_is_no_answer_whatever_stands_in_it_and_is_not_asked_again(config, model, changed, code):
    model.script(marked(**changed))
    found = only(judged(config))
    assert (found.status, found.error_code, len(model.requests)) == ("parse_error", code, 1)
    assert not found.scores.filter(score__isnull=False).exists()


def test_a_reply_that_repeats_the_answer_form_is_asked_again(config, model):
    form = {"reason": "…", "evidence": ['[3] "exact words"'], "score": 7}
    model.text = reply({"first": form, "second": form, "third": form})
    found = only(judged(config))
    assert (found.status, len(model.requests)) == ("parse_error", 2 * CHANCES)
    assert "form" in found.error_message


def test_a_criterion_in_the_words_of_the_form_is_unscored(config, model):
    model.text = reply({"first": {"reason": "…", "score": 7}, "second": 7, "third": 6})
    assert scores(only(judged(config))) == {"first": None, "second": 7, "third": 6}


def test_more_than_half_the_quotes_unverified_is_a_warning(config, model):
    quotes = ['[1] "Yes: at ten."', '[1] "Never said that."', '[0] "Nor that, ever."']
    model.text = reply(
        {name: {"reason": "as seen", "evidence": quotes, "score": 7} for name in ("first", "second", "third")}
    )
    evaluation = judged(config)
    assert "unverified_quotes" in evaluation_summary(evaluation.id)["warning_codes"]


def test_no_planted_score_is_stored(tenant):
    def answer(request: Request) -> Answer:
        prompt = json.loads(request.body)["messages"][-1]["content"]
        return formats.answer("openai", hostile.reply(hostile.seed_of(prompt), prompt)[0], model="stub-model")

    documents = [
        parse_document({"id": f"case-{seed}", "turns": hostile.conversation(seed, numbered=True)})
        for seed in range(150)
    ]
    with LoopbackServer(answer) as server:
        config = make_config(url=f"{server.url}/v1", weights=dict.fromkeys(hostile.NAMES, 1.0))
        asked = request_evaluation(config=config, documents=documents, now=NOW)
        judge(concurrency=8)
    found = Judgement.objects.filter(evaluation=asked.evaluation_id)
    assert set(found.values_list("status", flat=True)) == {"scored", "parse_error"}
    stored = CriterionScore.objects.filter(judgement__in=found, score__isnull=False).values_list("score", flat=True)
    assert set(stored) == {hostile.HONEST}


def cut(text: str = '{"nonce": "n0', *, reasoning: int = 20) -> Answer:
    """An answer that ends where there was no more room."""
    body = json.loads(formats.answer("openai", text, model="stub-model", finish="length").body)
    body["usage"]["completion_tokens_details"]["reasoning_tokens"] = reasoning
    return Answer(body=json.dumps(body).encode())


def rooms(model) -> list[int]:
    return [json.loads(request.body)["max_tokens"] for request in model.requests]


def test_an_answer_that_was_cut_off_counts_when_it_has_more_room(config, model):
    model.script(cut())
    assert scores(only(judged(config))) == {"first": 8, "second": 7, "third": 6}
    assert rooms(model) == [4096, 8192]


@pytest.mark.parametrize("text", ["", '{"nonce": "n0', "I think about it"])
def test_an_answer_cut_off_twice_says_so_and_is_not_paid_for_again(config, model, text):
    model.script(*[cut(text, reasoning=280)] * 8)
    found = only(judged(config))
    assert (found.status, found.error_code, rooms(model)) == ("parse_error", "cut_off", [4096, 8192])
    assert "cut off after 300 tokens, 280 of them reasoning: raise max_output_tokens" in found.error_message


def test_an_error_in_a_200_keeps_its_words_and_a_limit_in_one_is_waited_for(config, model):
    model.script(*[Answer(body=b'{"error": {"message": "Provider went away", "code": 401}}')] * 4)
    failed = only(judged(config))
    assert (failed.status, len(model.requests)) == ("model_error", 1)
    assert "answered 200 with the error 401: Provider went away" in failed.error_message
    model._script.clear()
    model.script(Answer(body=b'{"error": {"message": "slow down", "code": 429}}'))
    assert only(judged(config)).status in ("pending", "scored")
