"""A suite's file becomes tests of layer 1 in a user's pytest."""

import json

import pytest
from langchain_core.tools import tool

from pytest_ratiba.config import read_project
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.fsm.prompts import render_problems, tool_problems
from pytest_ratiba.fsm.suite import read_suite
from pytest_ratiba.fsm.walks import coverage, read_walks, violations

MACHINE = """
name: booking
initial: greeting
states:
  greeting: {waits_for: user}
  offering: {waits_for: user}
  paid: {terminal: true}
  gone: {terminal: true}
transitions:
  - {from: greeting, event: asked, to: offering}
  - {from: offering, event: confirmed, to: paid, guard: slot_free}
  - {from: "*", event: timeout, to: gone}
"""
SUITE = """
machine: {file: ../booking/fsm.yaml}
timeout_event: timeout
fire: 'booking.machine:fire'
refuses: 'booking.machine:IllegalEvent'
guards: {slot_free: {passes: {free: true}, fails: {free: false}}}
transcripts: [recorded/*.jsonl]
coverage: 0.5
prompts: [{files: ../booking/prompts/*.md, engine: mustache, values: {salon: Amani, today: Friday}}]
tools: 'booking.machine:TOOLS'
"""
CODE = """
class IllegalEvent(Exception):
    pass

EDGES = {("greeting", "asked"): "offering", ("greeting", "timeout"): "gone", ("offering", "timeout"): "gone"}

def fire(state, event, context):
    if (state, event) == ("offering", "confirmed") and context.get("free"):
        return "paid"
    if (state, event) not in EDGES:
        raise IllegalEvent(event)
    return EDGES[state, event]

TOOLS = [{"type": "function", "function": {"name": "book", "description": "Books.", "parameters":
    {"type": "object", "properties": {"day": {"type": "string"}}, "required": ["day"]}}}]
"""


@pytest.fixture
def booking(user_project):
    user_project.write("booking/fsm.yaml", MACHINE)
    user_project.write("booking/__init__.py", "")
    user_project.write("booking/machine.py", CODE)
    user_project.write("booking/prompts/hello.md", "You work at {{ salon }}. Today is {{ today }}.\n")
    lines = [
        {"event_type": "reply_sent", "conversation_id": "c"},
        {
            "event_type": "fsm_transition",
            "conversation_id": "c",
            "from": "greeting",
            "event": "asked",
            "to": "offering",
        },
        {
            "event_type": "fsm_transition",
            "conversation_id": "c",
            "from": "offering",
            "event": "confirmed",
            "to": "paid",
        },
    ]
    user_project.write("tests/recorded/c.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    user_project.write("tests/booking.fsm.yaml", SUITE)
    return user_project


def test_each_check_is_a_test_and_what_is_wrong_is_named(booking):
    answer = booking.pytest("-q", "-m", "layer1", "tests")
    assert "17 passed" in answer.stdout, answer.stdout + answer.stderr
    assert "2 of 4 transitions, 1 of 2 pairs of transitions covered" in answer.stdout

    booking.write(
        "booking/fsm.yaml", MACHINE.replace("to: offering}", "to: offering}\n  - {from: paid, event: x, to: gone}")
    )
    booking.write("booking/prompts/hello.md", "You work at {{ salon }}. {{ name }}!\n")
    booking.write("booking/machine.py", CODE.replace("raise IllegalEvent(event)", "return EDGES[event]"))
    booking.write("tests/booking.fsm.yaml", SUITE.replace("coverage: 0.5", "coverage: 1.0"))
    answer = booking.pytest("-q", "tests")
    for said in (
        "paid --x--> gone leaves a terminal state",
        "hello.md: name has no value",
        "hello.md: today is given, and the template does not use it",
        "offering crashed on asked: KeyError: 'asked'",
        "no scenario takes greeting --timeout--> gone",
    ):
        assert said in answer.stdout, answer.stdout
    assert "Traceback" not in answer.stdout


@pytest.mark.parametrize(
    "old, new, says",
    [
        ("timeout_event", "timout_event", "/timout_event: unknown key; did you mean timeout_event?"),
        ("../booking/fsm.yaml", "../none.yaml", "/machine/file: cannot be read"),
        ("engine: mustache", "engine: erb", "/prompts/0/engine: 'erb' is none of format"),
        ("recorded/*.jsonl", "nothing/*.jsonl", "/transcripts/0: 'nothing/*.jsonl' matches no file"),
        ("coverage: 0.5", "coverage: 50", "/coverage: 50 is no share from 0 to 1"),
        ("booking.machine:fire", "booking.machine:ire", "/fire: booking.machine:ire"),
    ],
)
def test_a_wrong_suite_is_told_by_its_pointer(booking, old, new, says):
    path = booking.write("tests/booking.fsm.yaml", SUITE.replace(old, new))
    with pytest.raises(ProjectError) as caught:
        read_suite(path, read_project(booking.folder))
    assert f"booking.fsm.yaml: {says}" in str(caught.value)


def test_a_wrong_state_is_told_by_its_place(booking):
    booking.write("booking/fsm.yaml", MACHINE.replace("to: paid", "to: payed"))
    with pytest.raises(ProjectError, match=r"fsm.yaml: /transitions/1/to: 'payed' is none of the states"):
        read_suite(booking.folder / "tests" / "booking.fsm.yaml", read_project(booking.folder))


def test_a_walk_that_leaves_the_machine_is_told_step_by_step(booking, tmp_path):
    chart = read_suite(booking.folder / "tests" / "booking.fsm.yaml", read_project(booking.folder)).chart
    path = tmp_path / "walks.yaml"
    path.write_text("- {id: w, transitions: [{from: offering, event: asked, to: paid}]}\n")
    (walk,) = read_walks(path)
    assert violations(chart, walk) == [
        "w, step 1: offering --asked--> paid starts in offering, but it was in greeting",
        "w, step 1: offering --asked--> paid is not declared",
    ]
    assert coverage(chart, [walk]).covered == 0
    path = tmp_path / "walks.jsonl"
    path.write_text('{"event_type": "fsm_transition", "from": "a"}\n')
    with pytest.raises(ProjectError, match=r"walks.jsonl:1: a transition has from, event and to"):
        read_walks(path)


@pytest.mark.parametrize(
    "engine, text",
    [("format", "Hi {name}"), ("template", "Hi $name"), ("mustache", "Hi {{name}}"), ("jinja", "Hi {{ name }}")],
)
def test_every_engine_finds_names_without_values_and_values_without_use(engine, text):
    assert render_problems(text, engine, {"name": "Wanjiru"}) == []
    assert render_problems(text, engine, {}) == ["name has no value"]
    assert render_problems(text, engine, {"name": "W", "day": 1}) == ["day is given, and the template does not use it"]
    broken = {"format": "{", "template": "$", "jinja": "{% if %}"}.get(engine)
    if broken:
        assert render_problems(broken, engine, {}) != []


@pytest.mark.parametrize(
    "wrong, says",
    [
        ({"name": "book it", "description": "x", "input_schema": {"type": "object"}}, "1 to 64 letters"),
        ({"name": "book", "input_schema": {"type": "object"}}, "no description"),
        ({"name": "book", "description": "x"}, "not a JSON Schema of type object"),
        ({"name": "b", "description": "x", "parameters": {"type": "object", "required": ["day"]}}, "day is required"),
        ({"name": "b", "description": "x", "parameters": {"type": "object", "properties": 3}}, "$.properties"),
        (3, "neither a mapping nor a tool"),
    ],
)
def test_a_wrong_tool_is_told(wrong, says):
    assert any(says in problem for problem in tool_problems(wrong))


def test_a_tool_of_langchain_is_read_too():
    @tool
    def book(day: str) -> str:
        """Books a slot."""
        return day

    assert tool_problems(book) == []


INLINE = "machine: {initial: a, states: {a: {}, e: {terminal: true}}, transitions: [{from: a, event: go, to: e}]}\n"


def test_a_machine_may_stand_in_the_suite_itself(user_project):
    path = user_project.folder / "x.fsm.yaml"
    path.write_text(INLINE)
    assert read_suite(path, read_project(user_project.folder)).chart.states == ("a", "e")


@pytest.mark.parametrize(
    "more, says",
    [
        ("coverage: 1.0\n", "/coverage: is checked with `transcripts:` only"),
        ("guards: {nope: {}}\nfire: 'os:getcwd'\n", "/guards/nope: is the guard of no transition"),
        ("timeout_event: x\ntimeout_event: y\n", "'timeout_event' stands twice here"),
    ],
)
def test_what_would_never_be_checked_is_refused(user_project, more, says):
    path = user_project.folder / "x.fsm.yaml"
    path.write_text(INLINE + more)
    with pytest.raises(ProjectError) as caught:
        read_suite(path, read_project(user_project.folder))
    assert says in str(caught.value)
