"""JSONPaths of users: RFC 9535 without regular expressions, and nothing that visits an answer over and over."""

import time

import pytest

from apps.connectors.agents.json_paths import Paths
from apps.connectors.agents.templates import Template
from apps.core.errors import BadInput

ANSWER = {
    "choices": [{"message": {"content": "hi"}}, {"message": {"content": "there"}}],
    "parts": [{"type": "text", "text": "a"}, {"type": "data", "text": "b"}, {"type": "text", "text": "c"}],
    "a b": {"x": 1},
}


def find(path, data=ANSWER):
    return Paths({"reply": path}, {"reply": ""}).find("reply", data)


@pytest.mark.parametrize(
    "path, found",
    [
        ("$.choices[0].message.content", ["hi"]),
        ("$.choices[-1].message.content", ["there"]),
        ("$.choices[*].message.content", ["hi", "there"]),
        ("$..content", ["hi", "there"]),
        ("$.parts[?(@.type=='text')].text", ["a", "c"]),
        ("$.parts[?@.type != 'text'].text", ["b"]),
        ("$.parts[0,1].text", ["a", "b"]),
        ("$.parts[1:].text", ["b", "c"]),
        ("$['a b'].x", [1]),
        ("$.parts[?length(@.text) > 3]", []),
        ("$.nothing", []),
    ],
)
def test_ordinary_paths_find_what_they_name(path, found):
    assert find(path) == found


@pytest.mark.parametrize(
    "path",
    [
        "$.parts[?@.text =~ /^(a+)+$/]",
        "$.parts[?match(@.text, '(a+)+b')]",
        "$.parts[?search(@.text, '(a+)+b')]",
        "$.parts[?@.x * 9 > 3]",
        "$..*..*",
        "$" + "[0,0]" * 12,
        "$..[?@..x]",
        "$.parts[?count($..*) > 1]",
        "$.parts[?@[?@[?@.x]]]",
        "$.parts[?$.parts == $.parts]",
        "$" + ".a" * 40,
        "$[?" + "(" * 300 + "@.a" + ")" * 300 + "]",
        "$[?@.a == 1e9999]",
        "$[99999999999999999999]",
        "$['a",
        "parts",
        "x" * 5_000,
    ],
)
def test_a_path_that_could_take_long_is_refused_when_it_is_set_up(path):
    with pytest.raises(BadInput) as caught:
        find(path)
    assert caught.value.pointer == "/options/reply"
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("path", ["$..*", "$..[?count(@.*) > 1]", "$[*][*]", "$..x"])
def test_a_large_or_deep_answer_takes_bounded_time(path):
    large = {"a": [{"b": "x" * 30, "c": {"d": [1, 2, 3]}} for _ in range(30_000)]}
    deep: object = {}
    for _ in range(900):
        deep = {"a": deep}
    started = time.process_time()
    assert find(path, large) == [] or path == "$[*][*]"
    assert find(path, deep) in ([], [{}]) or path == "$[*][*]"
    assert time.process_time() - started < 5


def test_a_request_body_may_be_so_deep_and_bring_in_so_much():
    deep: object = "{{ text }}"
    for _ in range(200):
        deep = [deep]
    for body, said in ((deep, "deeper than 64"), (["{{ text }}"] * 101, "100 are allowed")):
        with pytest.raises(BadInput, match=said):
            Template(body, "/options/body", names=("text",))
