"""The verdict that `try` prints: how sure it is, and how the agent is reached from pytest."""

import pytest

from apps.connectors.discovery.search import AgentWay
from ratiba_eval.first_verdict import how_reached, verdict_lines

PLAIN = {"message": "{{ text }}", "session_id": "{{ session }}"}


def found(interval):
    return {
        "decision": {"sentence": "passes: 9.13 reaches the pass mark 6.00"}, "weighted_score": 9.13,
        "interval": interval, "criteria": [], "warnings": [],
    }  # fmt: skip


def test_an_interval_of_the_whole_scale_is_said_in_words():
    assert verdict_lines(found([0.0, 10.0]), None)[1] == (
        "  9.13 of 10, from too few different customers to say how sure that is"
    )
    assert verdict_lines(found([8.0, 9.5]), None)[1] == "  9.13 of 10, 95 % interval 8.00 to 9.50"
    assert verdict_lines(found([9.13, 9.13]), None)[1] == (
        "  9.13 of 10, the same in every conversation: too little differs to say how sure that is"
    )
    assert verdict_lines(found(None), None)[1] == "  9.13 of 10"


@pytest.mark.parametrize(
    "kind, options, typed, line",
    [
        ("http", {"body": {"question": "{{ text }}"}}, "http://x:1/", "--on-server"),
        ("http", {"preset": "chat", "body": {"model": "m"}}, "http://x:1/v1", "--on-server"),
        ("http", {"body": PLAIN, "reply": "$.reply"}, "http://x:1/", "--address http://x:1/chat --kind http"),
        ("http", {"body": PLAIN, "reply": "$.a"}, "http://x:1/", "--address http://x:1/chat --kind http --reply '$.a'"),
        ("a2a", {}, "http://x:1", "--address http://x:1/chat"),
        ("http", {"body": PLAIN}, "127.0.0.1:9000", "--address http://x:1/chat --kind http"),
        ("http", {}, "my.module:reply", "--callable my.module:reply"),
    ],
)
def test_init_is_told_what_was_found(kind, options, typed, line):
    way = AgentWay(words="", kind=kind, address="http://x:1/chat", options=options)
    assert how_reached(way, typed) == line
