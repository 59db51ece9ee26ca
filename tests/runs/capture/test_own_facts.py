"""A document that is a golden session already keeps what it says of itself when it is captured."""

import json

import pytest

from apps.core.errors import BadInput
from apps.runs.goldens.services.capture.capturing import capture_session
from apps.runs.goldens.services.importing import import_golden_file
from tests.runs.stage import NOW, make_agent, only, replays

BOOK = {"name": "book", "arguments": {"phone": "{{ customer.phone }}"}, "match": "exact"}
DOCUMENT = {
    "id": "own",
    "language": "en",
    "turns": [
        {"role": "assistant", "content": "Welcome."},
        {"role": "user", "content": "Which days?", "file_attachment": {"name": "Zelle.pdf", "sha256": "a" * 64}},
        {
            "role": "assistant", "content": "Here are the free days.", "wait_for_pattern": "(?i)free days?",
            "expected_tools": ["search", BOOK], "step_agents": [{"name": "calendar", "source": "content"}],
            "gate_timeout": 77, "description": "Days",
        },
        {"role": "user", "content": "On {{ day+3 long }}"},
        {"role": "assistant", "content": "Which of the free days?", "wait_for_pattern": "days"},
    ],
    "case": {"id": "C-1", "status": "Resolved", "stages": []},
}  # fmt: skip


@pytest.fixture
def captured(tenant, tmp_path):
    make_agent()

    def capture(document=DOCUMENT):
        file = tmp_path / "own.json"
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        return capture_session(agent="bot", file=file, now=NOW)

    return capture


def test_gates_tools_files_and_variables_of_a_document_stay(captured):
    result = captured()
    _, user, first, _, second = result.document["turns"]
    own = DOCUMENT["turns"][2]
    for key in ("wait_for_pattern", "expected_tools", "step_agents", "gate_timeout", "description"):
        assert first[key] == own[key]
    assert (first["gate_strength"], second["gate_strength"], second["wait_for_pattern"]) == ("unique", "weak", "days")
    assert user["file_attachment"] == {"path": "attachments/Zelle.pdf", "name": "Zelle.pdf", "sha256": "a" * 64}
    assert result.document["variables"] == {
        "customer.phone": {"fill": "identity", "kind": "phone"},
        "day+3 long": {"fill": "now", "kind": "date"},
    }
    assert result.document["case"] == DOCUMENT["case"]
    assert result.document["all_tools_used"] == ["search", "book"]
    assert [one for one in result.remarks if "weak" in one] == [
        "turn 2: its own gate is kept, and is weak: it does not tell this reply from earlier ones"
    ]
    assert captured().is_new is False


def test_the_seeds_turn_pairs_are_captured_as_they_are(captured):
    pairs = [
        {"input": "", "response": "Welcome."},
        {"input": "Hi", "response": "Which day?", "wait_for_pattern": "day", "expected_tools": ["search"]},
    ]
    result = captured({"name": "seed", "turns": pairs})
    assert [turn["role"] for turn in result.document["turns"]] == ["assistant", "user", "assistant"]
    assert result.document["turns"][2]["expected_tools"] == ["search"]


def test_a_gate_that_does_not_fit_its_own_reply_is_told_apart_from_a_weak_one(captured):
    result = captured(turn_with(wait_for_pattern="zzzz never"))
    assert result.remarks == (
        "turn 1: its own gate is kept, and does not fit its own reply: no replay would ever pass it, write it anew",
    )


def turn_with(**more):
    return {"id": "x", "turns": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Day?", **more}]}


WRONG = [
    (turn_with(wait_for_pattern="(a+)+$"), "/turns/1/wait_for_pattern"),
    (turn_with(wait_for_pattern="(("), "/turns/1/wait_for_pattern"),
    (turn_with(expected_tools=[{"name": "b", "order": "later"}]), "/turns/1/expected_tools/0/order"),
    (turn_with(expected_tools=[{"name": "b", "forbidden": 1}]), "/turns/1/expected_tools/0/forbidden"),
    (turn_with(expected_tools=[{"name": "b", "status": 200}]), "/turns/1/expected_tools/0/status"),
    (turn_with(file_attachment={"name": "a.pdf", "sha256": "nothex"}), "/turns/1/file_attachment/sha256"),
    (turn_with(expected_tools=[{"name": "b", "arguments": {"x": ["{{ customer.nothing }}"]}}]),
     "/turns/1/expected_tools"),
    ({"id": "x", "turns": [{"role": "user", "content": "I am {{ customer.nothing }}"}]}, "/turns/0/content"),
    ({"id": "x", "turns": [{"role": "user", "content": "{{ day+99999999 }}"}]}, "/turns/0/content"),
    ({"id": "x", "turns": [{"role": "user", "content": "{{ day+3 roman }}"}]}, "/turns/0/content"),
    ({"id": "x", "turns": [{"input": "{{customer.phone}}", "response": "Yes?"}]}, "/turns/0/content"),
]  # fmt: skip


@pytest.mark.parametrize("document, pointer", WRONG)
def test_what_cannot_be_used_is_refused_by_captures_and_imports_alike(captured, tmp_path, document, pointer):
    with pytest.raises(BadInput) as refused:
        captured(document)
    assert refused.value.pointer == pointer
    report = import_golden_file(path=tmp_path / "own.json", now=NOW)
    assert report.kept == 0
    assert pointer in report.refused[0].message


def test_a_key_that_stands_twice_is_refused(captured, tmp_path):
    text = '{"id": "x", "turns": [{"role": "user", "content": "Hi", "content": "Ho"}]}'
    with pytest.raises(BadInput, match="'content' stands twice") as refused:
        captured(text)
    assert refused.value.code == "doubled_key"
    for name in ("own.json", "lines.jsonl"):
        (tmp_path / name).write_text(text + "\n")
        report = import_golden_file(path=tmp_path / name, now=NOW)
        assert (report.kept, report.refused[0].code) == (0, "doubled_key")


def test_a_variable_that_nobody_listed_is_filled_all_the_same(tenant, tmp_path):
    make_agent()
    turns = [
        {"role": "user", "content": "Call {{ customer.phone }}"},
        {"role": "assistant", "content": "Ok"},
    ]
    (tmp_path / "g.json").write_text(json.dumps({"id": "g", "turns": turns}))
    assert import_golden_file(path=tmp_path / "g.json", now=NOW).kept == 1
    spec = only(replays("g")).spec
    assert spec["golden"]["document"]["turns"][0]["content"] == "Call +254700000001"
