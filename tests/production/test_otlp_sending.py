"""Our runs and judge calls go to any receiver of OTLP: one trace a conversation, its scores beside it, masked, once."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.catalog.models import OutsideConnection
from apps.connectors.tracing.otlp.address import otlp_address
from apps.core.errors import BadInput
from apps.jobs.deliveries import delivery_kind_of
from apps.jobs.domain.interactive_states import InteractiveRequest
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.exports.domain.exported_spans import trace_of
from apps.production.langfuse.queries.sending import progress_of
from apps.production.models import OtlpReceiver
from apps.production.otlp.admin import OtlpReceiverForm
from apps.production.otlp.services.check_job import run
from apps.production.otlp.services.delivery import enqueue_otlp
from tests.loopback.http_server import Answer, LoopbackServer
from tests.loopback.otlp import OtlpCollector
from tests.production.langfuse_rows import otlp_receiver
from tests.production.played_rows import judged, played
from tests.production.sampling_rows import NIGHT

NOW = NIGHT + timedelta(days=1)


@pytest.fixture
def collector(tenant: str):
    found = OtlpCollector(authorization="Bearer abc", x_mlflow_experiment_id="7")
    with LoopbackServer(found) as server:
        headers = "authorization=Bearer%20abc, x-mlflow-experiment-id=7"
        otlp_receiver(server.url, sends_since=NIGHT, headers=headers)
        yield found


def deliver(now=NOW) -> None:
    enqueue_otlp(now=now)
    deliver_due(now=lambda: now, kinds=[delivery_kind_of("otlp_deliveries")])


def tried() -> dict[str, Any]:
    request = InteractiveRequest(subject_id=OtlpReceiver.objects.get().pk, arguments={}, answer={}, now=timezone.now)
    return dict(run(request).answer)


def test_a_conversation_and_its_judgement_are_one_trace_by_the_names_of_the_conventions(collector, judge_config):
    row = played(NOW, replies=("Karibu Wanjiku", "Friday at ten, 0722 000 111"))
    judged(row, judge_config, NOW)
    deliver()
    assert {trace for trace, _ in collector.spans} == {trace_of(row.pk, 1)}
    spans = {one["name"]: one for one in collector.spans.values()}
    root, reply, judge = spans["replay braids"], spans["agent turn 3"], spans[f"judge {judge_config}"]
    assert {one["gen_ai.conversation.id"] for one in collector.spans.values()} == {str(row.pk)}
    assert (root["parent"], root["openinference.span.kind"], root["ratiba.run_id"]) == ("", "CHAIN", str(row.run_id))
    (of_root,) = {span for (_, span), one in collector.spans.items() if one is root}
    assert (judge["parent"], judge["openinference.span.kind"]) == (of_root, "EVALUATOR")
    assert (reply["gen_ai.operation.name"], reply["gen_ai.response.model"]) == ("invoke_agent", "m-agent")
    assert json.loads(reply["gen_ai.output.messages"])[0]["parts"] == [
        {"type": "text", "content": "Friday at ten, +254 7** *** 111"}
    ]
    asked = spans["judge"]
    assert (asked["gen_ai.operation.name"], asked["gen_ai.usage.input_tokens"], asked["cost_usd"]) == ("chat", 10, 0.01)
    scores = {one["gen_ai.evaluation.name"]: one for one in judge["events"]}
    assert (scores["weighted_score"]["gen_ai.evaluation.score.value"], scores["tone"]["name"]) == (
        7.5, "gen_ai.evaluation.result"
    )  # fmt: skip
    assert scores["tone"]["gen_ai.evaluation.explanation"] == "She gave +254 7** *** 678 and was greeted."
    assert "345 678" not in json.dumps(list(collector.spans.values()))
    assert "langfuse" not in json.dumps(list(collector.spans.values()))
    assert collector.resources[0]["service.name"] == "ratiba-eval"


def test_a_day_s_outage_costs_time_and_doubles_no_span(collector, judge_config):
    for n in range(3):
        judged(played(NOW, replies=(f"reply {n}",)), judge_config, NOW)
    collector.faults = [Answer(status=503)] * 9 + [Answer(fault="reset"), Answer(status=401)]
    for hour in range(30):
        deliver(NOW + timedelta(hours=hour))
    assert len(collector.spans) == 3 * (3 + 2)
    assert set(OutboundDelivery.objects.values_list("status", flat=True)) == {"delivered"}
    before = (posts := collector.posts, dict(collector.spans))
    deliver(NOW + timedelta(days=3))
    assert (collector.posts, collector.spans) == before
    assert posts == 3 * 2 + 11


@pytest.mark.parametrize(
    "answer, said",
    [
        (Answer(status=413), "answered 413"),
        (Answer(body=b'{"partialSuccess": {"rejectedSpans": "3", "errorMessage": "too old"}}'),
         "3 spans were not taken: too old"),
    ],
)  # fmt: skip
def test_what_is_not_taken_is_refused_with_its_reason(collector, answer: Answer, said: str):
    played(NOW)
    collector.faults = [answer]
    deliver()
    delivery = OutboundDelivery.objects.get()
    assert (delivery.status, delivery.last_error) == ("refused", said)
    assert progress_of("otlp").endswith(said)


def test_nothing_leaves_where_nobody_entered_a_receiver_nor_of_a_trial(collector):
    played(NOW, kind="trial")
    played(NIGHT - timedelta(days=1))
    deliver()
    OtlpReceiver.objects.update(enabled=False)
    played(NOW)
    deliver()
    assert collector.posts == 0


def test_its_test_sends_no_span_and_says_what_is_wrong_without_a_header(collector, settings):
    settings.PRIVATE_HOSTS = ("127.0.0.0/8",)
    assert tried()["outcome"] == "answers"
    assert collector.spans == {}
    collector.headers = {"authorization": "another"}
    told = tried()
    assert (told["outcome"], "answered 401" in told["error"], "abc" in str(told)) == ("wrong", True, False)
    settings.PRIVATE_HOSTS = ()
    assert "RATIBA_PRIVATE_HOSTS" in tried()["error"]


@pytest.mark.parametrize(
    "entered, url",
    [
        ("https://p.example", "https://p.example/v1/traces"),
        ("https://p.example/v1/traces/", "https://p.example/v1/traces"),
        ("https://c.example/otlp", "https://c.example/otlp/v1/traces"),
    ],
)
def test_an_address_is_joined_as_exporters_do(entered: str, url: str):
    assert otlp_address(entered, "").url == url


@pytest.mark.parametrize("headers", ["Bearer s3cret", "a b=c", "x=", "x=ü", "x=%0d%0ay", "content-type=json", "a=1,b"])
def test_headers_that_are_none_are_refused_without_repeating_them(headers: str):
    with pytest.raises(BadInput) as refused:
        otlp_address("https://p.example", headers)
    assert headers not in refused.value.message


def form(row: OtlpReceiver | None = None, **entered: Any) -> OtlpReceiverForm:
    data = {"name": "theirs", "base_url": "https://p.example", "enabled": "on", "new_headers": "", **entered}
    return OtlpReceiverForm(data, instance=row or OtlpReceiver())


def test_the_form_names_the_field_that_is_wrong_and_one_receiver_has_our_work(collector):
    assert "switch that off first" in str(form().errors["enabled"])
    assert "name=value" in str(form(enabled="", new_headers="secret-word").errors["new_headers"])
    assert "refused" in str(form(enabled="", base_url="http://10.0.0.1").errors["base_url"])
    row = OtlpReceiver.objects.get()
    moved = form(row, base_url="https://elsewhere.example")
    assert list(moved.errors) == ["new_headers"]  # the stored ones go to no other server
    added = form(enabled="")
    assert added.is_valid(), added.errors  # headers are not needed


def test_a_receiver_takes_its_connection_along(collector):
    OtlpReceiver.objects.get().delete()
    assert not OutsideConnection.objects.exists()


def test_a_receiver_that_is_switched_on_again_sends_what_ends_from_then_on(collector):
    row = OtlpReceiver.objects.get()
    OtlpReceiver.objects.update(enabled=False)
    row.refresh_from_db()
    filled = form(row, base_url=row.connection.address, name=row.name)
    assert filled.is_valid(), filled.errors
    assert timezone.now() - filled.instance.sends_since < timedelta(minutes=1)
