"""What a scenario asks of each reply: time, length, JSON; and what a schema may not reach for."""

import asyncio

import pytest

from apps.catalog.scenarios.domain.assertions import frozen_assertions, parse_assertions
from apps.checks.domain.reply_findings import reply_assertions
from apps.checks.metrics.base import Case, MetricError
from apps.checks.metrics.scenario_replies import measure
from apps.core.errors import BadInput
from apps.runs.goldens.domain.played_scenario import played_scenario


def found(limits, *replies, latency_ms=None):
    spec = frozen_assertions(parse_assertions([{"replies": limits}]))
    turns = [{"role": "user", "content": "Hi"}] + [
        {"role": "assistant", "content": text, "latency_ms": latency_ms} for text in replies
    ]
    return played_scenario(spec, turns, end_reason="", extra={})


def faults(limits, *replies, latency_ms=None):
    played = found(limits, *replies, latency_ms=latency_ms)
    return [one.why for one in reply_assertions(played.reply_limits, played.replies).faults]


SHAPE = {"type": "object", "required": ["hours"], "properties": {"pattern": {"type": "string"}}}


@pytest.mark.parametrize(
    "limits, good, bad",
    [
        ({"json": True}, '{"a": 1}', "Hello"),
        ({"json": SHAPE}, '{"hours": "9-5"}', '{"open": 1}'),
        ({"json": True}, "", "{"),
        ({"json": True}, "[]", '{"a": 1, "a": 2}'),
        ({"words": {"min": 2, "max": 3}}, "two words", "one"),
        ({"words": {"max": 3}}, "one", "one two three four"),
    ],
)
def test_one_reply_beyond_the_limit_fails_it(limits, good, bad):
    assert faults(limits, good) == []
    assert len(faults(limits, good, bad, bad)) == 1


def test_a_slow_reply_fails_and_an_unmeasured_one_decides_nothing():
    assert faults({"latency_ms": 2000}, "a", latency_ms=1999) == []
    assert faults({"latency_ms": 2000}, "a", latency_ms=2001) == ["A reply took 2,001 ms; the limit is 2,000 ms."]
    case = Case(id="x", turns=(), scenario=found({"latency_ms": 2000}, "a"))
    with pytest.raises(MetricError, match="timed"):
        asyncio.run(measure(case, None))


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"latency_ms": 0},
        {"latency_ms": "fast"},
        {"words": {"min": 5, "max": 1}},
        {"words": {}},
        {"json": {"$ref": "file:///etc/passwd"}},
        {"json": {"items": [{"$ref": "#"}]}},
        {"json": {"type": "string", "pattern": "(a+)+$"}},
        {"json": {"patternProperties": {"(a+)+$": {}}}},
        {"json": {"type": "no such type"}},
        {"json": {"enum": ["x" * 20_000]}},
        {"cost": 1},
    ],
)
def test_what_cannot_be_kept_or_reaches_elsewhere_is_refused_with_its_pointer(limits):
    with pytest.raises(BadInput) as refused:
        parse_assertions([{"replies": limits}])
    assert refused.value.pointer.startswith("/assertions/0/replies")
