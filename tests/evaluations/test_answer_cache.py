"""Kept answers: nobody pays twice for the same question, and whatever changes a question has it asked again."""

import json
from datetime import timedelta
from decimal import Decimal

import pgtrigger
import pytest
from django.db import connection

from apps.budgets.models import CachedResponse, ModelCall
from apps.budgets.services.response_cache import evict_cached
from apps.catalog.models import ModelProvider
from apps.core.events import EventType
from apps.evaluations.models import Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.imports.services.importing import import_documents
from tests.evaluations.bench import (
    GOOD_REPLY,
    NOW,
    document,
    judge,
    judged,
    judging_work,
    make_config,
    only,
    reply,
    scores,
)
from tests.loopback.http_server import Answer

IDS = ("c-1", "c-2", "c-3", "c-4", "c-5")


def asked(model) -> int:
    """How many requests reached the model since the last look."""
    count = len(model.requests)
    model.requests.clear()
    return count


def evaluate(config, documents, **options) -> Evaluation:
    run = import_documents(documents=documents, name="tests", triggered_by="tests", now=NOW)
    made = request_evaluation(config=config, run_id=run, now=NOW)
    with pgtrigger.ignore():  # the rows of another story
        Evaluation.objects.filter(pk=made.evaluation_id).update(options=options)
    judge()
    return Evaluation.objects.get(pk=made.evaluation_id)


def documents(**more):
    return [document(id, f"Hello from {id}", "Yes: at ten.", **more) for id in IDS]


@pytest.fixture
def events(caplog):
    """The fields of every event of a kind that was logged."""
    caplog.set_level("INFO", logger="ratiba.events")
    return lambda kind: [record.fields for record in caplog.records if getattr(record, "event_type", "") == kind.value]


@pytest.fixture
def first(config, model):
    evaluate(config, documents())
    assert asked(model) == len(IDS)
    return config


def test_the_same_question_is_not_asked_twice(first, model):
    again = evaluate(first, documents())
    assert asked(model) == 0
    assert set(again.judgements.values_list("status", "from_cache")) == {("scored", True)}
    assert scores(again.judgements.first()) == GOOD_REPLY
    calls = ModelCall.objects.filter(evaluation_id=again.id)
    assert set(calls.values_list("cached", "cost_usd", "input_tokens", "outcome")) == {(True, Decimal(0), 0, "ok")}


def test_a_kept_answer_gives_the_same_score_with_the_same_fingerprint(config, model):
    one, two = only(judged(config)), only(judged(config))
    assert (one.weighted_score, one.fingerprint, one.model) == (two.weighted_score, two.fingerprint, two.model)
    assert [s.evidence for s in one.scores.order_by("position")] == [
        s.evidence for s in two.scores.order_by("position")
    ]
    assert (one.from_cache, two.from_cache) == (False, True)


# --- What changes the question ----------------------------------------------------------------------------------------
def changed_transcript(config, model):
    return config, [document("c-1", "Hello from c-1", "No."), *documents()[1:]], {}


def changed_time(config, model):
    turns = [{"role": "user", "content": "Hello from c-2"}, {"role": "assistant", "content": "Yes: at ten."}]
    turns[1]["latency_ms"] = 900  # the judge is told how long the agent took
    return config, [documents()[0], document("c-2", turns=turns), *documents()[2:]], {}


def changed_scenario(config, model):
    return config, [document("c-9", "Hello from c-1", "Yes: at ten."), *documents()[1:]], {}


def changed_prompt(config, model):
    return config, documents(prompt_version="booking@b2c3d4e"), {}


def changed_model(config, model):
    return make_config(url=model.base_url("openai"), name="other", model="stub-model-2"), documents(), {}


def changed_template(config, model):
    return make_config(url=model.base_url("openai"), name="other", template="Kindly. {{ criteria }}"), documents(), {}


def changed_criterion(config, model):
    return make_config(url=model.base_url("openai"), name="other", description="Is it better?"), documents(), {}


def changed_parameters(config, model):
    return (
        make_config(url=model.base_url("openai"), name="other", parameters={"reason_language": "sw"}),
        documents(),
        {},
    )


def changed_repeat(config, model):
    return config, documents(), {"repeat": 2}


def changed_mind(config, model):
    return config, documents(), {"use_cache": False}


def changed_weights(config, model):
    weights = {"first": 9, "second": 1, "third": 1}
    return make_config(url=model.base_url("openai"), name="other", weights=weights), documents(), {}


def changed_nothing(config, model):
    return make_config(url=model.base_url("openai"), name="other"), documents(), {}


@pytest.mark.parametrize(
    "change, calls",
    [
        (changed_transcript, 1),
        (changed_time, 1),
        (changed_scenario, 1),
        (changed_prompt, 5),
        (changed_model, 5),
        (changed_template, 5),
        (changed_criterion, 5),
        (changed_parameters, 5),
        (changed_repeat, 5),
        (changed_mind, 5),
        (changed_weights, 0),
        (changed_nothing, 0),
    ],
)
def test_only_what_changed_is_asked_again(first, model, change, calls):
    config, again, options = change(first, model)
    evaluate(config, again, **options)
    assert asked(model) == calls
    evaluate(config, again, **options)
    assert asked(model) == (calls if options.get("use_cache") is False else 0)


# --- What is not kept -------------------------------------------------------------------------------------------------
def test_errors_are_never_kept(config, model):
    model.script(*["prose"] * 4)  # the question, its tighter repeat, and both again at the second chance
    assert only(judged(config)).status == "parse_error"
    model.script("401")
    assert only(judged(config)).status == "model_error"
    assert CachedResponse.objects.count() == 0
    assert only(judged(config)).status == "scored"


def test_a_judge_that_left_something_out_is_asked_again_next_time(config, model):
    model.text = reply({"first": 8, "second": 7})
    assert scores(only(judged(config)))["third"] is None
    assert CachedResponse.objects.count() == 0


def test_a_tighter_repeat_is_kept_with_the_question_it_repeats(config, model):
    model.text = reply({"third": 4})
    partial = {"choices": [{"message": {"content": reply({"first": 8, "second": 7})}, "finish_reason": "stop"}]}
    for _ in range(2):
        model.script(Answer(body=json.dumps(partial).encode()))
        assert scores(only(judged(config))) == {"first": 8, "second": 7, "third": 4}
    assert asked(model) == 2  # both of the first time


def test_what_a_fallback_answered_is_not_kept_as_the_model_s_own(backed, model, fallback):
    model.script("500", "500")
    assert only(judged(backed)).by_fallback
    assert not only(judged(backed)).by_fallback


def test_the_offline_rules_are_asked_every_time(tenant):
    config = make_config()
    judged(config)
    judged(config)
    assert CachedResponse.objects.count() == 0
    assert not Judgement.objects.filter(from_cache=True).exists()


# --- The store --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("body", ["", "nonsense", "0" * 64 + '\n{"nonce": "n", "answers": {}}', None])
def test_a_corrupt_entry_is_a_miss_a_warning_and_then_replaced(first, model, body, events):
    broken = CachedResponse.objects.first()
    text = broken.body[:-9] + "tampered!" if body is None else body
    CachedResponse.objects.filter(pk=broken.pk).update(body=text)
    evaluate(first, documents())
    assert asked(model) == 1
    assert events(EventType.KEPT_ANSWER_CORRUPT)[0]["key"] == bytes(broken.key).hex()
    evaluate(first, documents())
    assert asked(model) == 0


def test_another_tenant_s_answers_are_not_seen(first, model):
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM t_beta.budgets_cachedresponse")
        assert cursor.fetchone() == (0,)


def test_what_nobody_used_for_long_is_forgotten_and_the_longest_unused_where_room_is_short(first):
    assert evict_cached(now=NOW + timedelta(days=30), days=90, megabytes=512) == 0
    CachedResponse.objects.filter(pk=CachedResponse.objects.first().pk).update(last_used_at=NOW - timedelta(days=91))
    assert evict_cached(now=NOW, days=90, megabytes=512) == 1
    assert evict_cached(now=NOW, days=90, megabytes=0) == 4
    assert CachedResponse.objects.count() == 0


def test_use_is_noted_once_a_day(first, model):
    CachedResponse.objects.update(last_used_at=NOW - timedelta(days=2))
    evaluate(first, documents())
    assert set(CachedResponse.objects.values_list("last_used_at", flat=True)) == {NOW}


def test_looking_up_a_batch_is_one_query(first, django_assert_max_num_queries):
    run = import_documents(documents=documents(), name="t", triggered_by="t", now=NOW)
    request_evaluation(config=first, run_id=run, now=NOW)
    work = judging_work()
    with django_assert_max_num_queries(12) as found:
        assert len(work.claim(10)) == len(IDS)
    assert sum("cachedresponse" in query["sql"] for query in found.captured_queries) == 1


def test_evaluations_that_ask_the_same_share_a_judge(first, model, django_assert_max_num_queries):
    """A test runner posts each conversation as an evaluation of its own; another way of asking is another judge."""
    how = [{}, {}, {}, {"repeat": 2}, {"use_cache": False}]
    for number, options in enumerate(how):
        run = import_documents(documents=documents()[:1], name=str(number), triggered_by="t", now=NOW)
        request_evaluation(config=first, run_id=run, how=options, now=NOW)
    work = judging_work()
    # Twenty statements, each with its search_path: the budgets of new runs are made together, however many runs.
    with django_assert_max_num_queries(40):
        assert len(work.claim(10)) == len(how)
    judges = [id(judge) for judge in work._factory.judges.values()]
    assert (len(judges), len(set(judges))) == (5, 3)
    ModelProvider.objects.update(base_url="http://127.0.0.1:10/v1")
    run = import_documents(documents=documents()[:1], name="later", triggered_by="t", now=NOW)
    request_evaluation(config=first, run_id=run, now=NOW)
    work.claim(10)
    (newest,) = [judge for judge in work._factory.judges.values() if id(judge) not in judges]
    assert newest.primary.spec.base_url.startswith("http://127.0.0.1:10/")
