"""Replies that are no answer: without the nonce, refused, held back by a filter; and conversations that hold scores."""

import json

import pytest

from apps.core.document_parsing import parse_document
from apps.evaluations.models import CriterionScore, Judgement
from apps.evaluations.services.creating import request_evaluation
from apps.reports.queries.evaluation_document import evaluation_summary
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
