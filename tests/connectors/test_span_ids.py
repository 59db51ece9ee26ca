"""Ids of spans as every exporter writes them."""

from typing import Any

import pytest

from apps.connectors.tracing.otlp.reading import JSON, read_spans
from apps.connectors.tracing.otlp.span_ids import span_id_of, trace_id_of

TRACE, SPAN = "5a8effff97810 3813d269b633813fc60c".replace(" ", "")[:32], "eee19b7ec3c1b174"


@pytest.mark.parametrize(
    "trace, span",
    [
        (TRACE, SPAN), (TRACE.upper(), SPAN.upper()),
        ("Wo7/95gDgQPSabYzgT/GDA==", "7uGbfsPBsXQ="), ("Wo7_95gDgQPSabYzgT_GDA", "7uGbfsPBsXQ"),
        ("5a8efff7-9803-8103-d269-b633813fc60c", "eee19b7e-c3c1b174"), ("abc", "1"), ("trace of order 7", "é"), (7, 9),
    ],
)  # fmt: skip
def test_an_id_is_hex_of_its_length_and_the_same_each_time(trace: Any, span: Any) -> None:
    found = trace_id_of(trace), span_id_of(span)
    assert (len(found[0]), len(found[1])) == (32, 16)
    assert int(found[0], 16)
    assert int(found[1], 16)
    assert found == (trace_id_of(trace, {}), span_id_of(span, {}))


def test_base64_is_the_id_that_its_bytes_are() -> None:
    assert trace_id_of("Wo7/95gDgQPSabYzgT/GDA==") == "5a8efff798038103d269b633813fc60c"
    assert span_id_of("7uGbfsPBsXQ=") == "eee19b7ec3c1b174"


def test_a_missing_parent_stays_missing_and_a_missing_id_is_made_of_the_span() -> None:
    assert span_id_of("") == span_id_of(None) == span_id_of("0" * 16) == ""
    body = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "a"}, {"name": "b", "parentSpanId": "1"}]}]}]}'
    first, second = read_spans(body, media=JSON)
    assert (len(first.trace_id), len(first.span_id), first.parent_id) == (32, 16, "")
    assert first.span_id != second.span_id
    assert second.parent_id == span_id_of("1")
    assert read_spans(body, media=JSON)[0] == first
