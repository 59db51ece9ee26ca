"""Our runs and judge calls are traces in a team's Langfuse: five facts on every span, masked, once each, and a day's
outage costs time alone."""

import json
from datetime import timedelta
from typing import Any

import pytest

from apps.jobs.deliveries import delivery_kind_of
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.exports.domain.exported_spans import trace_of, trace_of_judgement
from apps.production.langfuse.services.runs import enqueue_runs
from apps.production.models import LangfuseSource
from apps.runs.models import Conversation, TestRun
from tests.loopback.http_server import Answer, LoopbackServer
from tests.loopback.langfuse import SCORES, SPANS, LangfuseProject
from tests.production.langfuse_rows import langfuse_source
from tests.production.played_rows import call, judged, played
from tests.production.sampling_rows import NIGHT

NOW = NIGHT + timedelta(days=1)
FIVE = {"tenant_id", "conversation_id", "prompt_version", "model", "cost_usd"}


@pytest.fixture
def langfuse(tenant: str):
    project = LangfuseProject()
    with LoopbackServer(project) as server:
        langfuse_source(server.url, sends_runs_since=NIGHT)
        yield project


def deliver(now=NOW) -> None:
    enqueue_runs(now=now)
    deliver_due(now=lambda: now, kinds=[delivery_kind_of("langfuse_deliveries")])


def spans_of(project: LangfuseProject, trace: str) -> list[dict[str, Any]]:
    return [span for (of, _), span in project.spans.items() if of == trace]


def test_a_played_conversation_and_its_judgement_are_two_traces_with_five_facts_on_every_span(langfuse, judge_config):
    row = played(NOW, replies=("Karibu Wanjiku", "Friday at ten, 0722 000 111"))
    judgement = judged(row, judge_config, NOW)
    deliver()
    conversation, judging = (
        spans_of(langfuse, trace_of(row.pk, 1)),
        spans_of(langfuse, trace_of_judgement(judgement.pk)),
    )
    assert (len(conversation), len(judging)) == (4, 2)  # root, two replies, a gate's call; root, the judge's call
    for span in conversation + judging:
        assert span.keys() >= FIVE
        assert (span["tenant_id"], span["conversation_id"]) == ("acme", str(row.pk))
        assert (span["prompt_version"], span["langfuse.environment"]) == ("booking@a1b2c3d", "ratiba-eval")
    root, first, second, gate = conversation
    assert (root["name"], root["parent"], root["cost_usd"], root["model"]) == ("replay braids", "", 0.002, "m-agent")
    assert (first["cost_usd"], first["model"]) == ("unknown", "m-agent")  # nobody said what a reply cost: not 0
    assert second["langfuse.observation.input"] == "Wanjiku here, +254 7** *** 678"
    assert second["langfuse.observation.output"] == "Friday at ten, +254 7** *** 111"
    assert second["ended"] - second["started"] == 400_000_000
    assert json.loads(gate["langfuse.observation.usage_details"]) == {"input": 10, "output": 5}
    assert (judging[0]["langfuse.observation.type"], judging[1]["model"], judging[1]["cost_usd"]) == (
        "evaluator", "m-1", 0.01
    )  # fmt: skip
    scores = {one["name"].partition(".")[2]: one for one in langfuse.scores.values()}
    assert {one["traceId"] for one in scores.values()} == {trace_of(row.pk, 1)}
    assert (scores["weighted_score"]["value"], scores["tone"]["comment"]) == (
        7.5, "She gave +254 7** *** 678 and was greeted."
    )  # fmt: skip
    assert "345 678" not in json.dumps(langfuse.documents)


def test_a_run_is_an_experiment_whose_items_are_its_tests(langfuse, judge_config):
    judged(row := played(NOW), judge_config, NOW)
    deliver()
    (root, *others) = conversation = spans_of(langfuse, trace_of(row.pk, 1))
    (of_root,) = {span for (_, span), one in langfuse.spans.items() if one is root}
    named = {"id": str(row.run_id), "name": "replay booking · booking@a1b2c3d · PR 12", "item.id": "braids",
             "item.root_observation_id": of_root}  # fmt: skip
    for span in conversation:
        assert {name: span[f"langfuse.experiment.{name}"] for name in named} == named
    assert {one["parent"] for one in others} == {of_root}
    assert not any(
        "langfuse.experiment.id" in one for one in langfuse.spans.values() if one["name"].startswith("judge")
    )


def test_a_day_s_outage_costs_time_and_doubles_no_span(langfuse, judge_config):
    for n in range(3):
        judged(played(NOW, replies=(f"reply {n}",)), judge_config, NOW)
    langfuse.faults = [Answer(status=503, body=b"down")] * 9 + [Answer(fault="reset"), Answer(status=401)]
    for hour in range(30):
        deliver(NOW + timedelta(hours=hour))
    assert (len(langfuse.spans), len(langfuse.scores)) == (3 * (3 + 2), 3 * 2)
    assert set(OutboundDelivery.objects.values_list("status", flat=True)) == {"delivered"}
    OutboundDelivery.objects.update(status="pending", attempts=0)  # as where every answer had been lost
    before = dict(langfuse.spans)
    deliver(NOW + timedelta(hours=31))
    assert (langfuse.spans, len(langfuse.scores)) == (before, 3 * 2)
    posts = langfuse.posts(SPANS)
    deliver(NOW + timedelta(days=3))
    assert langfuse.posts(SPANS) == posts


def test_what_is_played_again_is_another_trace_and_nothing_is_sent_of_what_is_not_over(langfuse):
    row = played(NOW)
    deliver()
    assert {trace for trace, _ in langfuse.spans} == {trace_of(row.pk, 1)}
    Conversation.objects.filter(pk=row.pk).update(status="running", attempt=2)
    deliver(NOW + timedelta(minutes=1))
    Conversation.objects.filter(pk=row.pk).update(status="ended", ended_at=NOW + timedelta(minutes=2))
    TestRun.objects.update(progress_at=NOW + timedelta(minutes=2))
    deliver(NOW + timedelta(minutes=3))
    assert {trace for trace, _ in langfuse.spans} == {trace_of(row.pk, 1), trace_of(row.pk, 2)}


def test_a_price_that_nobody_knows_is_unknown_and_a_failure_is_told(langfuse):
    row = played(NOW, replies=(), status="failed", error_message="The agent did not answer 0712 345 678.")
    call(row, "simulator", None, NOW)
    deliver()
    root, gate, asked = spans_of(langfuse, trace_of(row.pk, 1))
    assert (root["cost_usd"], gate["cost_usd"], asked["cost_usd"]) == ("unknown", 0.002, "unknown")
    assert root["status"] == "The agent did not answer +254 7** *** 678."


def test_what_the_receiver_left_out_is_refused_with_its_reason(langfuse):
    played(NOW)
    langfuse.faults = [Answer(body=b'{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}}')]
    deliver()
    delivery = OutboundDelivery.objects.get()
    assert (delivery.status, delivery.last_error) == ("refused", "3 spans were not taken: too old")


def test_nothing_leaves_where_nobody_switched_it_on_nor_of_a_trial(langfuse):
    played(NOW, kind="trial")
    played(NIGHT - timedelta(days=1))
    deliver()
    LangfuseSource.objects.update(sends_runs_since=None)
    played(NOW)
    deliver()
    assert (langfuse.posts(SPANS), langfuse.posts(SCORES)) == (0, 0)


def test_what_is_looked_at_does_not_grow_with_the_age_of_the_source(langfuse):
    played(NOW)
    deliver()
    later = NOW + timedelta(days=90)
    deliver(later)
    assert LangfuseSource.objects.get().runs_enqueued_until == later
    enqueue_runs(now=later + timedelta(hours=5))
    assert LangfuseSource.objects.get().runs_enqueued_until == later  # while nothing happens nothing is written


@pytest.mark.shared
def test_what_is_sent_is_what_the_published_api_describes(langfuse, judge_config):
    from tests.production.langfuse_api import fits  # noqa: PLC0415 - reads ../shared

    judged(played(NOW), judge_config, NOW)
    deliver()
    assert len(langfuse.documents) == 2
    for document in langfuse.documents:
        fits(document, path="/api/public/otel/v1/traces", method="post")
