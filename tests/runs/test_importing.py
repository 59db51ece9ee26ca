"""Files of conversations: good lines are in whole, bad ones are named, and nothing is lost in between."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.catalog.models import GoldenVersion, StoredFile
from apps.core.digest import sha256_hex
from apps.core.document_parsing import parse_document
from apps.core.errors import BadInput
from apps.core.timestamps import parse_timestamp
from apps.runs.chat_files.services.import_report import FileReport
from apps.runs.imports.services.importing import import_documents
from apps.runs.imports.services.jsonl import import_file
from apps.runs.models import Conversation, TestRun, Turn
from tests.runs.stage import NOW
from tests.shared_data import SHARED

DATA = SHARED / "data"
REAL_FILES = {
    "service_dialogues/sgd_services.jsonl": 160,
    "service_dialogues/star.jsonl": 275,
    "agent_trajectories/tau2_gpt41.jsonl": 28,
    "agent_trajectories/tau2_other_agents.jsonl": 25,
    "agent_trajectories/tau_bench_airline.jsonl": 50,
}


def line(id: Any = "c-1", **more: Any) -> bytes:
    turns = [{"role": "user", "content": f"I am {id}"}, {"role": "assistant", "content": "Karibu"}]
    return json.dumps({"id": id, "turns": turns, **more}).encode()


def imported(folder: Path, *lines: bytes, into: str = "run", end: bytes = b"\n") -> FileReport:
    file = folder / "some.jsonl"
    file.write_bytes(end.join(lines))
    return import_file(path=file, into=into, name="some", now=NOW)


def refused(report: FileReport) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in report.refused]


def test_a_good_file_becomes_a_completed_run_with_everything_in_it(tenant, tmp_path):
    turns = [
        {"role": "user", "content": "Niaje 😀", "ts": "2026-11-20T10:30:00Z"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "k1", "name": "look", "arguments": {"day": "Ijumaa", "n": 1.5}}],
            "ts": "2026-11-20T10:30:01.250Z",
            "latency_ms": 1250,
        },
        {"role": "tool", "content": "[]", "tool_call_id": "k1", "name": "look"},
        {"role": "assistant", "content": "Saa nne", "mood": "good"},
    ]
    raw = {
        "id": "whole",
        "source": "here",
        "language": "sw",
        "domain": "salon",
        "labels": {"won": True},
        "turns": turns,
    }
    report = imported(tmp_path, json.dumps(raw).encode())
    assert (report.kept, report.turns, report.tool_calls, report.refused) == (1, 4, 1, ())
    run = TestRun.objects.get(pk=str(report.run_id))
    assert (run.kind, run.status, run.name, run.ended_at) == ("imported", "completed", "some", NOW)
    found = Conversation.objects.get(run=run)
    assert (found.external_id, found.kind, found.status, found.blame) == ("whole", "imported", "ended", None)
    assert (found.language, found.domain, found.source, found.labels) == ("sw", "salon", "here", {"won": True})
    rows = list(found.turns.order_by("position"))
    assert [row.content for row in rows] == [turn["content"] for turn in turns]
    assert rows[1].tool_calls == turns[1]["tool_calls"]
    assert (rows[1].ts, rows[1].latency_ms) == (parse_timestamp("2026-11-20T10:30:01.250Z"), 1250)
    assert (rows[2].tool_call_id, rows[2].name) == ("k1", "look")
    assert rows[3].extra == {"mood": "good"}


def test_a_broken_line_in_the_middle_is_named_and_the_others_are_in(tenant, tmp_path):
    report = imported(tmp_path, line("a"), b'{"id": "broken", "turns": [', line("b"), b"[]", line("c"))
    assert refused(report) == [(2, "not_json"), (4, "invalid_document")]
    assert list(Conversation.objects.order_by("position").values_list("external_id", flat=True)) == ["a", "b", "c"]


def test_messages_of_models_apis_are_in_as_they_are_and_what_stands_otherwise_is_told(tenant, tmp_path):
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    call = {"id": "t1", "type": "function", "function": {"name": "book", "arguments": '{"day": fri'}}
    report = imported(
        tmp_path,
        json.dumps(
            {"id": 7, "messages": [{"role": "user", "content": [{"type": "text", "text": "like"}, picture]}]}
        ).encode(),
        json.dumps({"id": "b", "messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}).encode(),
        json.dumps(
            {"id": "c", "messages": [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Yes?"}]}
        ).encode(),
        json.dumps({"id": "d", "messages": [{"role": "narrator", "content": "Night fell."}]}).encode(),
    )
    assert (report.kept, report.turns, refused(report)) == (3, 4, [(4, "invalid_document")])
    assert report.notes == (
        "7, turn 0: image stands as a word in brackets",
        "b, turn 0: the arguments of book are no JSON and stand as they were",
    )
    assert Turn.objects.get(conversation__external_id="b").tool_calls[0]["arguments"] == {"raw": '{"day": fri'}


def test_blank_lines_count_in_the_numbering_and_are_no_fault(tenant, tmp_path):
    report = imported(tmp_path, b"", line("a"), b"   ", b"", b"nonsense", line("b"), b"")
    assert (report.kept, refused(report)) == (2, [(5, "not_json")])


def test_windows_line_ends_and_a_byte_order_mark_are_taken(tenant, tmp_path):
    report = imported(tmp_path, b"\xef\xbb\xbf" + line("a"), line("b"), end=b"\r\n")
    assert (report.kept, report.refused) == (2, ())


def test_the_second_of_two_equal_ids_is_refused_with_the_line_of_the_first(tenant, tmp_path):
    report = imported(tmp_path, line("a"), line("b"), line("a"))
    assert refused(report) == [(3, "duplicate_id")]
    assert "line 1" in report.refused[0].message


@pytest.mark.parametrize(
    "bad, code",
    [
        (b'{"id": "x", "turns": [{"role": "user", "content": "caf\xe9"}]}', "not_utf8"),
        (line("nul\x00"), "invalid_document"),
        (b'{"id": "half", "turns": [{"role": "user", "content": "\\ud800"}]}', "invalid_document"),
        (b'{"id": "n", "turns": [{"role": "user", "content": "x", "latency_ms": NaN}]}', "invalid_document"),
        (b'{"id": "n"}', "invalid_document"),
        (b'{"id": "n", "turns": []}', "invalid_document"),
        (b'{"id": "n", "turns": [{"role": "wizard", "content": "x"}]}', "invalid_document"),
        (b'{"id": "deep", "turns": ' + b"[" * 5000 + b"]" * 5000 + b"}", None),
        (line("x" * 201), "invalid_document"),
        (b'{"id": "n", "turns": [{"role": "user", "content": "x", "ts": "yesterday"}]}', "invalid_document"),
    ],
)
def test_what_cannot_be_stored_is_refused_by_itself(tenant, tmp_path, bad, code):
    report = imported(tmp_path, line("a"), bad, line("b"))
    assert (report.kept, [number for number, _ in refused(report)]) == (2, [2])
    assert code is None or refused(report) == [(2, code)]
    assert report.refused[0].message


def test_a_line_without_an_id_is_named_by_its_number(tenant, tmp_path):
    imported(tmp_path, b'{"turns": [{"role": "user", "content": "x"}]}')
    assert Conversation.objects.get().external_id == "line-1"


def test_a_file_of_nothing_but_bad_lines_makes_no_run(tenant, tmp_path):
    report = imported(tmp_path, b'{"id": 1}', b'{"id": 2, "turns": []}')
    assert (report.run_id, report.kept, len(report.refused)) == (None, 0, 2)
    with pytest.raises(BadInput, match="its form is not known"):
        imported(tmp_path, b"no", b"neither")
    assert not TestRun.objects.exists()


def test_inline_documents_with_one_id_twice_are_refused_whole(tenant):
    documents = [parse_document(json.loads(line("same"))) for _ in range(2)]
    with pytest.raises(BadInput) as problem:
        import_documents(documents=documents, name="x", triggered_by="", now=NOW)
    assert (problem.value.code, problem.value.pointer) == ("duplicate_id", "/conversations/1/id")
    assert not TestRun.objects.exists()


def test_golden_sessions_keep_the_document_and_its_digest(tenant, tmp_path):
    report = imported(tmp_path, line("g1", language="sw", labels={"ok": True}), line("g2"), into="golden")
    assert (report.kept, report.run_id) == (2, None)
    golden = GoldenVersion.objects.get(golden__name="g1")
    assert golden.document["labels"] == {"ok": True}
    assert golden.digest == sha256_hex(golden.document)
    assert not TestRun.objects.exists()


def test_a_golden_session_that_is_there_is_refused_and_left_as_it_is(tenant, tmp_path):
    imported(tmp_path, line("g1"), into="golden")
    before = GoldenVersion.objects.get(golden__name="g1").digest
    report = imported(tmp_path, line("g1", language="sw"), line("g2"), into="golden")
    assert (report.kept, refused(report)) == (1, [(1, "golden_exists")])
    assert GoldenVersion.objects.get(golden__name="g1").digest == before


_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_texts, min_size=1, max_size=6), st.dictionaries(_texts, st.integers() | _texts, max_size=3))
def test_whatever_was_said_is_kept_to_the_letter(tenant, said, labels):
    turns = [{"role": "user", "content": text} for text in said]
    run = import_documents(
        documents=[parse_document({"id": "x", "turns": turns, "labels": labels})], name="x", triggered_by="", now=NOW
    )
    stored = Conversation.objects.get(run_id=run)
    assert list(stored.turns.order_by("position").values_list("content", flat=True)) == said
    assert stored.labels == labels


@pytest.mark.parametrize("name, count", REAL_FILES.items())
@pytest.mark.shared
def test_real_files_are_in_whole(tenant, name, count):
    file = DATA / name
    raw = [json.loads(text) for text in file.read_text().splitlines() if text.strip()]
    report = import_file(path=file, into="run", name=name, now=NOW)
    assert (report.kept, report.refused) == (count, ())
    stored: dict[str, list[Turn]] = {}
    for turn in Turn.objects.filter(conversation__run=report.run_id).order_by("conversation", "position"):
        stored.setdefault(str(turn.conversation_id), []).append(turn)
    rows = Conversation.objects.filter(run=report.run_id).order_by("position")
    for given_document, row in zip(raw, rows, strict=True):
        assert row.external_id == given_document["id"]
        assert row.labels == (given_document.get("labels") or {})
        assert row.language == (given_document.get("language") or given_document.get("lang") or "")
        for given_turn, turn in zip(given_document["turns"], stored[str(row.id)], strict=True):
            assert_kept(given_turn, turn)


def assert_kept(given_turn: dict[str, Any], turn: Turn) -> None:
    assert (turn.role, turn.content) == (given_turn["role"], given_turn.get("content") or "")
    calls = given_turn.get("tool_calls") or []
    assert [(call["name"], call["arguments"]) for call in turn.tool_calls] == [
        (call["name"], call.get("arguments") or {}) for call in calls
    ]
    if given_turn.get("ts"):
        assert turn.ts == parse_timestamp(given_turn["ts"])


def test_a_golden_sessions_files_are_kept_by_digest_and_only_from_its_own_folder(tenant, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"abc")
    turns = [{"role": "user", "content": "see", "attachments": [{"name": "a.txt", "path": "a.txt"}]}]
    outside = [{"role": "user", "content": "see", "attachments": [{"name": "p", "path": "/etc/passwd"}]}]
    file = tmp_path / "golden.jsonl"
    file.write_text("\n".join(json.dumps({"id": id, "turns": t}) for id, t in (("good", turns), ("bad", outside))))
    report = import_file(path=file, into="golden", name="golden", now=NOW)
    assert [(one.line, one.code) for one in report.refused] == [(2, "bad_attachment")]
    assert "/turns/0/attachments/0/path" in report.refused[0].message
    (kept,) = GoldenVersion.objects.get().document["turns"][0]["attachments"]
    assert kept == {"name": "a.txt", "sha256": hashlib.sha256(b"abc").hexdigest(), "media_type": "text/plain"}
    assert bytes(StoredFile.objects.get(sha256=kept["sha256"]).content) == b"abc"
    assert import_file(path=file, into="run", name="run", now=NOW).kept == 2  # words, and nothing is opened
    assert StoredFile.objects.count() == 1
