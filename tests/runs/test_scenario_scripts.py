"""What a scenario fixes beforehand: lines, files, hooks; and what it asserts of tools, of the end and of a state."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.catalog.domain.catalog_yaml import dump, load
from apps.catalog.files.domain.document import read_catalog
from apps.catalog.models import Scenario
from apps.catalog.scenarios.domain.assertions import ENDS
from apps.catalog.scenarios.domain.script import script_document
from apps.checks.models import CheckResult
from apps.checks.services.enqueue_checks import enqueue_checks
from apps.checks.services.run_checks import measure_due_checks
from apps.core.errors import BadInput
from apps.runs.domain.states import EndReason
from apps.runs.models import TestRun
from apps.runs.playing.domain.battle_script import files_at, line_at
from apps.runs.playing.services import control
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import NOW, battles, make_agent, make_scenarios, make_work, of, only, play, said

ECHO = {"text": "you said: {text}"}
BOOKING = {
    "text": "Booked.", "ended": True,
    "tool_calls": [{"id": "c1", "name": "book_slot", "arguments": {"day": "friday", "price": 800}, "result": "ok"}],
}  # fmt: skip


def scenario(text: str) -> Any:
    """A scenario file, read."""
    (item,) = read_catalog(load(f"id: s\n{text}", "s.yaml"))["scenarios"].values()
    return item.content


def plan(*, opening: str = "Hi.", text: str = "", **fields: Any) -> str:
    """One scenario, s0, with what a file would say."""
    make_scenarios(opening=opening)
    read = scenario(text)
    Scenario.objects.filter(slug="s0").update(script=read.script, assertions=read.assertions, **fields)
    return "s0"


# --- Lines ------------------------------------------------------------------------------------------------------------
def test_fixed_lines_are_said_word_for_word_and_free_ones_by_the_persona(tenant: str) -> None:
    make_agent(*[ECHO] * 9)
    plan(text="turns: [Friday please., {free: 1}, At ten., {end: true}]")
    play_one = battles()
    play()
    row = only(play_one)
    lines = [text for _, text in said(row, "user")]
    assert (lines[0], lines[1], lines[3]) == ("Hi.", "Friday please.", "At ten.")
    assert lines[2] not in ("", *lines[:2])
    assert (len(lines), row.end_reason) == (4, "script_ended")


def test_without_an_opening_the_first_line_begins(tenant: str) -> None:
    make_agent(*[ECHO] * 3)
    plan(opening="", text="turns: [Habari., {end: true}]")
    run = battles()
    play()
    assert said(only(run)) == [("user", "Habari."), ("assistant", "you said: Habari.")]


def test_files_go_with_their_line(tenant: str) -> None:
    bodies: list[dict[str, Any]] = []

    def answer(request: Request) -> Answer:
        bodies.append(json.loads(request.body))
        return Answer(body=b'{"reply": "Thanks."}')

    with LoopbackServer(answer) as server:
        make_agent(kind="http", address=server.url, body={"text": "{{ text }}", "files": "{{ attachments }}"})
        paid = "{say: Paid., attachments: [{name: r.txt, text: KES 800}]}"
        text = f"attachments: [{{name: id.txt, text: ID 1}}]\nturns: [{paid}, {{end: true}}]"
        plan(text=text)
        run = battles()
        play()
    names = [[one["name"] for one in body["files"]] for body in bodies]
    assert names == [["id.txt"], ["r.txt"]]
    assert base64.b64decode(bodies[1]["files"][0]["base64"]) == b"KES 800"
    assert [turn.attachments[0]["name"] for turn in only(run).turns.filter(role="user")] == ["id.txt", "r.txt"]


@settings(deadline=None)  # the first example loads what the others find
@given(st.lists(st.one_of(st.integers(1, 4), st.text("abc", min_size=1)), max_size=8), st.booleans())
def test_every_number_of_a_turn_has_its_line(parts: list[int | str], opens: bool) -> None:
    turns = [{"free": part} if isinstance(part, int) else {"say": part} for part in parts]
    spec = {"opening": "hello" if opens else "", "script": {"turns": turns}}
    told: list[str | None] = ["hello"] if opens else []
    for part in parts:
        told += [None] * part if isinstance(part, int) else [part]
    lines = [line_at(spec, number) for number in range(len(told) + 2)]
    assert [line.text if line else None for line in lines] == [*told, None, None]
    assert all(files_at(spec, number) == () for number in range(len(told) + 2))


# --- Hooks ------------------------------------------------------------------------------------------------------------
class Booth:
    """A remote agent's back door: what was called, and the state it has."""

    def __init__(self, *, broken: str = "") -> None:
        self.calls: list[tuple[str, str, Any]] = []
        self.broken = broken

    def __call__(self, request: Request) -> Answer:
        body = json.loads(request.body) if request.body else None
        self.calls.append((request.method, request.path, body))
        if request.path == self.broken:
            return Answer(status=500, body=b"kaput")
        return Answer(body=b'{"count": 1, "items": [{"day": "friday"}]}')

    @property
    def paths(self) -> list[str]:
        return [path for _, path, _ in self.calls]


def hooks(url: str) -> str:
    return (
        f"before: [{{url: '{url}/reset', body: {{who: '{{{{ conversation }}}}', of: '{{{{ scenario }}}}'}}}}]\n"
        f"after: [{{url: '{url}/clean', method: DELETE}}]"
    )


def test_hooks_surround_a_battle(tenant: str) -> None:
    booth = Booth()
    with LoopbackServer(booth) as server:
        make_agent()
        plan(text=hooks(server.url))
        run = battles()
        play()
    row = only(run)
    assert (row.status, booth.paths) == ("ended", ["/reset", "/clean"])
    assert booth.calls[0] == ("POST", "/reset", {"who": str(row.pk), "of": "s0"})


@pytest.mark.parametrize("broken", ["/reset", "/clean"])
def test_a_hook_that_fails_is_the_platforms_fault_and_scored_by_nobody(tenant: str, broken: str) -> None:
    with LoopbackServer(Booth(broken=broken)) as server:
        make_agent()
        plan(text=hooks(server.url))
        run = battles()
        play()
    row = only(run)
    assert (row.status, row.blame, row.error_code) == ("failed", "platform", "hook_failed")
    assert "answered with 500: kaput" in row.error_message
    assert bool(said(row)) is (broken == "/clean")


def test_the_hook_afterwards_runs_where_the_agent_failed(tenant: str) -> None:
    booth = Booth()
    with LoopbackServer(booth) as server:
        make_agent({"fail": "agent_failed"})
        plan(text=hooks(server.url))
        run = battles()
        play()
    assert (only(run).blame, booth.paths) == ("agent_quality", ["/reset", "/clean"])


def test_the_hook_afterwards_runs_after_a_failed_one_before_and_hides_no_fault(tenant: str) -> None:
    booth = Booth(broken="/reset")
    with LoopbackServer(booth) as server:
        make_agent()
        plan(text=hooks(server.url))
        run = battles()
        play()
    assert booth.paths == ["/reset", "/clean"]
    assert "/before/0 answered with 500" in only(run).error_message


def test_a_hook_afterwards_that_fails_leaves_the_agents_fault_the_agents(tenant: str) -> None:
    with LoopbackServer(Booth(broken="/clean")) as server:
        make_agent({"fail": "agent_failed"})
        plan(text=hooks(server.url))
        run = battles()
        play()
    assert only(run).blame == "agent_quality"
    assert "/after/0 answered with 500" in only(run).error_message


def test_the_hook_afterwards_runs_where_the_run_was_cancelled(tenant: str) -> None:
    booth = Booth()
    with LoopbackServer(booth) as server:
        make_agent(*["Go on."] * 9)
        plan(text=hooks(server.url))
        run = battles()
        work = make_work()
        store = work.store

        def store_and_cancel(deliveries: Any) -> Any:
            stored = store(deliveries)
            if TestRun.objects.get(pk=run).status == "running":
                control.cancel_run(run_id=run, now=NOW)
            return stored

        work.store = store_and_cancel  # type: ignore[method-assign]
        play(work=work)
    assert (only(run).status, booth.paths) == ("cancelled", ["/reset", "/clean"])


def test_a_port_that_a_hook_may_not_use_is_the_hooks(tenant: str) -> None:
    make_agent()
    plan(text=hooks("http://127.0.0.1:1"))
    run = battles()
    play()
    assert "hook address '127.0.0.1' is refused: port 1" in only(run).error_message
    assert "agent address" not in only(run).error_message


# --- Assertions -------------------------------------------------------------------------------------------------------
def outcomes(run: Any) -> dict[str, tuple[str, str]]:
    control.finish_runs(now=NOW)
    enqueue_checks(now=NOW)
    measure_due_checks(now=lambda: NOW, until=NOW + timedelta(minutes=1))
    rows = CheckResult.objects.filter(conversation__run_id=run)
    return {row.check_name: (row.outcome, row.reason) for row in rows}


@pytest.mark.parametrize(
    "asserted, outcome, why",
    [
        ("{tool: book_slot}", "pass", "All 1 assertions hold."),
        ("{tool: book_slot, arguments: {day: friday}, status: answered}", "pass", "All 1"),
        ("{tool: book_slot, arguments: {day: '^fri'}, match: regex}", "pass", ""),
        ("{tool: book_slot, arguments: {day: monday}}", "fail", "$.day is 'friday' (expected 'monday')"),
        ("{tool: refund}", "fail", "refund was never called; book_slot was."),
        ("{tool: refund, forbidden: true}", "pass", ""),
        ("{tool: book_slot, forbidden: true}", "fail", "book_slot is forbidden and was called."),
        ("{tool: book_slot, arguments: {price: 900}, forbidden: true}", "pass", ""),
        ("{tool: book_slot, times: 1, only: true}", "pass", ""),
        ("{tool: book_slot, times: 2}", "fail", "book_slot was called once; expected 2 times at least."),
        ("{tool: refund, times: {max: 2}}", "pass", ""),
    ],
)
def test_what_a_scenario_asserts_of_tools(tenant: str, asserted: str, outcome: str, why: str) -> None:
    make_agent(BOOKING)
    plan(text=f"assertions: [{asserted}]")
    run = battles()
    play()
    found = outcomes(run)["ScenarioToolsMetric"]
    assert found[0] == outcome, found
    assert why in found[1]


EVERY_HOUR = {
    "text": "Booked.", "ended": True,
    "tool_calls": [{"name": "book_slot", "arguments": {"hour": hour % 24}} for hour in range(25)],
}  # fmt: skip


@pytest.mark.parametrize(
    "asserted, outcome, why",
    [
        ("{tool: book_slot, arguments: {hour: 9}}", "pass", ""),
        ("{tool: book_slot, arguments: {hour: 9}, only: true}", "fail", "also called otherwise, 24 times"),
        ("{tool: book_slot, times: {min: 1, max: 2}}", "fail", "called 25 times; expected at most 2 times"),
        ("{tool: book_slot, arguments: {hour: 0}, times: 1}", "fail", "called 2 times; expected once"),
        ("{tool: book_slot, arguments: {hour: 30}, times: {max: 1}, only: true}", "fail", "also called otherwise"),
    ],
)
def test_how_often_a_tool_is_called_and_what_beside_it_can_be_asserted(
    tenant: str, asserted: str, outcome: str, why: str
) -> None:
    make_agent(EVERY_HOUR)
    plan(text=f"assertions: [{asserted}]")
    run = battles()
    play()
    found = outcomes(run)["ScenarioToolsMetric"]
    assert found[0] == outcome, found
    assert why in found[1]


@pytest.mark.parametrize(
    "wrong, pointer",
    [
        ("{tool: a, times: 0}", "/times"), ("{tool: a, times: {min: 3, max: 2}}", "/times/max"),
        ("{tool: a, times: often}", "/times"), ("{tool: a, only: 1}", "/only"),
        ("{tool: a, times: {about: 3}}", "/times/about"), ("{tool: a, forbidden: true, only: true}", ""),
    ],
)  # fmt: skip
def test_a_count_that_cannot_be_is_refused_with_its_place(wrong: str, pointer: str) -> None:
    with pytest.raises(BadInput) as caught:
        scenario(f"assertions: [{wrong}]")
    assert str(caught.value.pointer).endswith(f"/assertions/0{pointer}")


@pytest.mark.parametrize(
    "asserted, check, shown",
    [
        ("{tool: charge_card, forbidden: true}", "ScenarioToolsMetric", "tool_calls"),
        ("{tool: book_slot}", "ScenarioToolsMetric", "tool_calls"),
        ("{ended: agent_closed}", "ScenarioEndStateMetric", "ended"),
    ],
)
def test_a_check_over_what_the_agents_replies_do_not_show_is_no_pass_and_says_what_to_add(
    tenant: str, asserted: str, check: str, shown: str
) -> None:
    with LoopbackServer(lambda request: Answer(body=b'{"reply": "Booked, bye!"}')) as server:
        make_agent(kind="http", address=server.url)
        plan(text=f"assertions: [{asserted}]")
        run = battles()
        play()
        outcome, why = outcomes(run)[check]
    assert outcome == "unmeasurable"
    assert f'{shown}: "$.path"' in why


def test_an_empty_list_of_tool_calls_shows_that_none_was_used(tenant: str) -> None:
    with LoopbackServer(lambda request: Answer(body=b'{"reply": "No.", "tool_calls": []}')) as server:
        make_agent(kind="http", address=server.url)
        plan(text="assertions: [{tool: charge_card, forbidden: true}]")
        run = battles()
        play()
        assert outcomes(run)["ScenarioToolsMetric"][0] == "pass"


@pytest.mark.parametrize(
    "asserted, outcome, why",
    [
        ("{ended: [agent_closed, goal_met]}", "pass", ""),
        ("{ended: goal_met}", "fail", "It ended with agent_closed; expected goal_met."),
        ("{state: {url: 'URL/bookings', path: $.count, equals: 1}}", "pass", ""),
        ("{state: {url: 'URL/bookings', path: $.count, equals: true}}", "fail", "$.count of"),
        ("{state: {url: 'URL/bookings', path: '$.items[*].day', equals: friday}}", "pass", ""),
        ("{state: {url: 'URL/bookings', path: $.none, equals: 1}}", "fail", "is nothing; expected 1"),
        ("{state: {url: 'URL/down', path: $.count, equals: 1}}", "unmeasurable", "status 500"),
        (
            "{state: {url: 'URL/down', path: $.count, equals: 1}}, {ended: goal_met}",
            "fail",
            "It ended with agent_closed",
        ),
    ],
)
def test_what_a_scenario_asserts_of_the_end(tenant: str, asserted: str, outcome: str, why: str) -> None:
    with LoopbackServer(Booth(broken="/down")) as server:
        make_agent(BOOKING)
        plan(text=f"assertions: [{asserted.replace('URL', server.url)}]")
        run = battles()
        play()
    found = outcomes(run)["ScenarioEndStateMetric"]
    assert found[0] == outcome, found
    assert why in found[1]


def test_repeats_have_states_of_their_own(tenant: str) -> None:
    booth = Booth()
    with LoopbackServer(booth) as server:
        make_agent(BOOKING)
        plan(
            text=f"assertions: [{{state: {{url: '{server.url}/b/{{{{ conversation }}}}', path: $.count, equals: 1}}}}]"
        )
        run = battles(repeats=2)
        play()
    assert sorted(booth.paths) == sorted(f"/b/{row.pk}" for row in of(run))


# --- Files ------------------------------------------------------------------------------------------------------------
def test_every_end_that_may_be_asserted_is_one_of_a_conversation() -> None:
    assert set(ENDS) <= {reason.value for reason in EndReason}


def test_a_script_written_out_and_read_again_is_the_same() -> None:
    text = (
        "turns: [Hi., {free: 2}, {say: Here., attachments: [{name: a.txt, text: x}]}, {end: true}]\n"
        "attachments: [{name: b.png, base64: aGk=, media_type: image/png}]\n"
        "before: [{url: 'https://a.example/reset', headers: {x-a: b}, status: 204}]\n"
    )
    read = scenario(text).script
    again = scenario(dump(script_document(read))).script
    assert again == read


@pytest.mark.parametrize(
    "text, line, words",
    [
        ("turns:\n  - Hi.\n  - {free: 0}\n", 4, "/turns/1/free"),
        ("turns:\n  - {say: a, free: 1}\n", 3, "one of say, free, end"),
        ("turns:\n  - {end: true}\n  - Hi.\n", 4, "nothing comes after"),
        ("turns:\n  - {say: ''}\n", 3, "/turns/0/say"),
        ("attachments:\n  - {name: a, base64: '***'}\n", 3, "is not base64"),
        ('before:\n  - {url: "http://x/", headers: {a: "b\\r\\nc: d"}}\n', 3, "printable ASCII in one line"),
        ('before:\n  - {url: "http://x/", headers: {"é": b}}\n', 3, "is no header's name"),
        ("attachments:\n  - {name: a, text: x, base64: eA==}\n", 3, "as `text` or as `base64`"),
        ("before:\n  - {url: 'ftp://x'}\n", 3, "begins with http"),
        ("before:\n  - {url: 'http://x/{{ nothing }}'}\n", 3, "nothing"),
        ("before:\n  - {url: 'http://x', headers: {authorization: Bearer abc}}\n", 3, "secret"),
        ("assertions:\n  - {tool: a, match: fuzzy}\n", 3, "/assertions/0/match"),
        ("assertions:\n  - {tool: a, arguments: {x: '(('}, match: regex}\n", 3, "/assertions/0/arguments/x"),
        ("assertions:\n  - {ended: [happy]}\n", 3, "/assertions/0/ended/0"),
        ("assertions:\n  - {state: {url: 'http://x', path: '$..[', equals: 1}}\n", 3, "is not a JSONPath"),
        ("assertions:\n  - {state: {url: 'http://x', path: $.a}}\n", 3, "equals is missing"),
        ("assertions:\n  - {metric: A, tool: b}\n", 3, "has one of"),
        ("colour: red\n", 2, "colour"),
    ],
)
def test_a_file_that_is_wrong_names_line_and_field(text: str, line: int, words: str) -> None:
    with pytest.raises(BadInput) as raised:
        scenario(text)
    assert words in raised.value.message
    assert raised.value.extra["line"] == line
