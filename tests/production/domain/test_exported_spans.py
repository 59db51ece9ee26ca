"""Whatever an agent says of itself, and whatever stands in a text: spans can be built, sent and read."""

import json
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from apps.connectors.tracing.otlp.export import export_request, not_taken
from apps.production.exports.domain.exported_spans import (
    LONGEST,
    ExportedSubject,
    ExportedTurn,
    ExportedWork,
    exported_spans,
    trace_of,
)
from apps.production.langfuse.domain.spans import langfuse_names
from tests.loopback.langfuse import attributes_of

AT = datetime(2026, 11, 24, 10, 0, tzinfo=UTC)
ID = uuid.UUID(int=7)
HOSTILE = "<script>alert(1)</script>\x00\ud800 {{7*7}} \u202e"


def sent(*turns: ExportedTurn, **more: Any) -> list[dict[str, Any]]:
    subject = ExportedSubject(
        tenant_id="acme", conversation_id=ID, prompt_version="p@1", trace_id=trace_of(ID, 1), name="n", **more
    )
    work = ExportedWork(seed="s", name="n", kind="span", started_at=AT, ended_at=AT)
    body = export_request(exported_spans(subject, work, (), turns, naming=langfuse_names))
    spans = ExportTraceServiceRequest.FromString(body).resource_spans[0].scope_spans[0].spans
    return [attributes_of(one) for one in spans]


def turn(text: str = "hi", position: int = 0, **more: Any) -> ExportedTurn:
    return ExportedTurn(position=position, role="assistant", text=text, at=AT, **more)


def test_texts_that_are_no_unicode_arrive_as_text_and_markup_as_it_is():
    _, agent = sent(turn(HOSTILE), said={"scenario": HOSTILE})
    assert agent["langfuse.observation.output"] == HOSTILE.replace("\ud800", "?")
    assert agent["langfuse.trace.metadata.scenario"] == HOSTILE.replace("\ud800", "?")


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), 10**400, -1, True, "0.1", None, [1], 10**6])
def test_a_cost_beyond_belief_is_unknown(cost: Any):
    _, agent = sent(turn(usage={"cost_usd": cost, "model": "m", "input_tokens": cost}))
    assert agent["cost_usd"] == "unknown"
    assert "langfuse.observation.cost_details" not in agent


_NAMES = st.sampled_from(["model", "cost_usd", "input_tokens", "output_tokens"])
_VALUES = st.integers() | st.floats() | st.text() | st.booleans() | st.none()


@given(usage=st.dictionaries(_NAMES, _VALUES))
@settings(max_examples=60, deadline=None)
def test_any_usage_gives_five_facts_and_json_that_can_be_read(usage: dict[str, Any]):
    for span in sent(turn(usage=usage)):
        assert {"tenant_id", "conversation_id", "prompt_version", "model", "cost_usd"} <= span.keys()
        details = span.get("langfuse.observation.usage_details", "{}")
        assert all(type(one) is int for one in json.loads(details, parse_constant=pytest.fail).values())


def test_what_an_agent_calls_itself_does_not_fill_a_project():
    _, agent = sent(turn("x" * 60_000, usage={"model": "m" * 100_000}), said={"persona": "p" * 100_000})
    assert len(agent["model"]) == 200
    assert len(agent["langfuse.trace.metadata.persona"]) < 2_100
    assert len(agent["langfuse.observation.output"]) < LONGEST + 50


def test_a_long_conversation_is_one_request_of_some_megabytes():
    spans = sent(*(turn("y" * 50_000, position=n) for n in range(400)))
    assert len(spans) == 401
    assert sum(len(one.get("langfuse.observation.output", "")) for one in spans) < 2_100_000


def test_a_tenant_or_a_conversation_cannot_be_renamed_by_what_is_said_of_it():
    root, _ = sent(turn(), said={"tenant_id": "other", "conversation_id": "other"})
    assert (root["tenant_id"], root["langfuse.trace.metadata.tenant_id"]) == ("acme", "acme")


@pytest.mark.parametrize(
    "answer, said",
    [
        (b"", ""), (b"{}", ""), (b"<html>", ""), (b"[1]", ""), (b'{"partialSuccess": 1}', ""), (b"\xff\xfe", ""),
        (b'{"partialSuccess": {"rejectedSpans": 2, "errorMessage": "old"}}', "2 spans were not taken: old"),
        (b"{" * 100_000, ""),
    ],
)  # fmt: skip
def test_whatever_a_receiver_answers_is_read_or_is_nothing(answer: bytes, said: str):
    assert not_taken(answer) == said
