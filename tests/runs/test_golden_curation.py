"""Curators edit gates and tools into a further version, and say when a golden session was wrong."""

import json

import pytest

from apps.catalog.goldens.queries.versions import current_goldens, golden_version
from apps.catalog.goldens.services.versions import store_golden_version
from apps.catalog.models import GoldenVersion
from apps.core.errors import BadInput, Conflict
from apps.dashboard.test_set.domain.golden_sentences import approved_sentence
from apps.runs.goldens.domain.edits import tool_lines
from apps.runs.goldens.services.approval import approve_golden
from apps.runs.goldens.services.blame import blame_golden
from apps.runs.goldens.services.editing import edit_golden
from apps.runs.models import Conversation
from tests.runs.stage import NOW, battles, make_agent, make_golden, make_scenarios, only, play, replays
from tests.runs.stage import approve_golden as approved

TURNS = [
    {"role": "user", "content": "Hi, I am on 0712 345 678"},
    {"role": "assistant", "content": "Welcome to the booking desk.", "wait_for_pattern": "booking",
     "expected_tools": [{"name": "find", "arguments": {"day": "x"}}, "book"]},
]  # fmt: skip


@pytest.fixture
def golden(tenant):
    approved("g", {"id": "g", "turns": TURNS})
    return current_goldens(["g"])["g"]


def test_an_edit_is_a_further_candidate_with_proven_gates(golden):
    edits = {
        1: {
            "wait_for_pattern": "booking desk",
            "expected_tools": tool_lines([TURNS[1]["expected_tools"][0]]),
            "description": "greets",
        }
    }
    candidate = edit_golden(version_id=golden.version_id, edits=edits, by="amina")
    assert (candidate.number, candidate.status, current_goldens(["g"])["g"].number) == (2, "candidate", 1)
    turn = candidate.document["turns"][1]
    assert (turn["gate_strength"], turn["description"]) == ("unique", "greets")
    assert turn["expected_tools"] == [TURNS[1]["expected_tools"][0]]  # its arguments stay
    assert GoldenVersion.objects.get(number=2).note == "edited by amina, from version 1"
    approve_golden(version_id=candidate.version_id, by="amina", now=NOW)
    assert current_goldens(["g"])["g"].number == 2


def test_what_a_curator_writes_is_kept_though_it_be_weak(tenant):
    more = [
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": "Welcome to the bar, booking done."},
    ]
    approved("w", {"id": "w", "turns": [*TURNS, *more]})
    first = current_goldens(["w"])["w"]
    turn = edit_golden(
        version_id=first.version_id,
        edits={3: {"wait_for_pattern": "Welcome", "expected_tools": ['{"name": "pay", "order": true}']}},
        by="amina",
    ).document["turns"][3]
    assert (turn["wait_for_pattern"], turn["gate_strength"]) == ("Welcome", "weak")
    assert turn["expected_tools"] == [{"name": "pay", "order": True}]


def test_an_edit_that_changes_nothing_is_no_version_and_an_empty_field_is_taken_out(golden):
    assert edit_golden(version_id=golden.version_id, edits={1: {"description": ""}}, by="amina").number == 1
    found = edit_golden(version_id=golden.version_id, edits={1: {"wait_for_pattern": "", "expected_tools": []}}, by="a")
    assert set(found.document["turns"][1]) == {"role", "content"}


@pytest.mark.parametrize(
    "position, fields, pointer",
    [
        (1, {"wait_for_pattern": "(a+)+$"}, "/turns/1/wait_for_pattern"),
        (1, {"wait_for_pattern": "a" * 1_000_000}, "/turns/1/wait_for_pattern"),
        (
            1,
            {"expected_tools": [{"name": "x", "match": "regex", "arguments": {"a": "(a|aa)+$"}}]},
            "/turns/1/expected_tools/0/arguments/a",
        ),
        (1, {"wait_for_pattern": "Goodbye"}, "/turns/1/wait_for_pattern"),  # its own reply never shows it
        (1, {"expected_tools": ["book", "[1,2"]}, "/turns/1/expected_tools/1"),
        (1, {"expected_tools": ['{"name": "x", "match": "fuzzy"}']}, "/turns/1/expected_tools/0/match"),
        (1, {"content": "said otherwise"}, "/turns/1/content"),
        (0, {"description": "x"}, "/turns/0"),
        (9, {"description": "x"}, "/turns/9"),
        (1, {"gate_timeout": 0.0 - 1}, "/turns/1/gate_timeout"),
        (1, {"description": "x" * 2_001}, "/turns/1/description"),
    ],
)
def test_what_cannot_be_edited_is_refused_at_its_field(golden, position, fields, pointer):
    with pytest.raises(BadInput) as refused:
        edit_golden(version_id=golden.version_id, edits={position: fields}, by="amina")
    assert refused.value.pointer == pointer
    assert GoldenVersion.objects.count() == 1


def test_approving_an_edited_version_keeps_its_variables(tenant):
    approved("h", {"id": "h", "turns": TURNS})
    first = edit_golden(version_id=current_goldens(["h"])["h"].version_id, edits={1: {"description": "a"}}, by="amina")
    approve_golden(version_id=first.version_id, by="amina", now=NOW)
    second = edit_golden(version_id=first.version_id, edits={1: {"description": "b"}}, by="amina")
    approve_golden(version_id=second.version_id, by="amina", now=NOW)
    document = golden_version(second.version_id).document
    assert list(document["variables"]) == ["customer.phone"]
    assert document["turns"][0]["content"] == "Hi, I am on {{ customer.phone }}"
    assert "0712" not in json.dumps(document)


def test_a_wrong_golden_is_blamed_with_a_reason_once(tenant):
    make_agent("Hello")
    run = replays(make_golden("g", "Hi", "Welcome"))
    conversation = only(run)
    with pytest.raises(Conflict) as refused:
        blame_golden(conversation_id=conversation.pk, by="amina", reason="old price", now=NOW)
    assert refused.value.code == "not_over"
    play()
    with pytest.raises(BadInput):
        blame_golden(conversation_id=conversation.pk, by="amina", reason=" ", now=NOW)
    blame_golden(conversation_id=conversation.pk, by="amina", reason="old price", now=NOW)
    blame_golden(conversation_id=conversation.pk, by="wanjiru", reason="again", now=NOW)
    row = Conversation.objects.get(pk=conversation.pk)
    assert (row.blame, row.extra["golden_wrong"]["by"]) == ("golden", "amina")
    assert row.extra["golden_wrong"]["reason"] == "old price"


def test_only_replays_can_have_a_wrong_golden(tenant):
    make_agent()
    make_scenarios()
    run = battles()
    play()
    with pytest.raises(Conflict) as refused:
        blame_golden(conversation_id=only(run).pk, by="amina", reason="x", now=NOW)
    assert refused.value.code == "not_a_replay"


def test_approving_an_older_version_says_which_one_a_replay_plays(golden):
    older, newer = [
        edit_golden(version_id=golden.version_id, edits={1: {"description": words}}, by="amina") for words in "ab"
    ]
    assert approve_golden(version_id=newer.version_id, by="amina", now=NOW).replayed == 3
    done = approve_golden(version_id=older.version_id, by="amina", now=NOW)
    assert (done.number, done.replayed) == (2, 3)
    assert approved_sentence(2, replayed=3).startswith("Version 2 is approved. A replay still plays version 3")
    assert approved_sentence(3, replayed=3) == "Version 3 is approved: a replay plays it from now on."


def test_a_golden_that_waits_for_approval_says_so_where_it_is_to_be_replayed(tenant):
    make_agent()
    store_golden_version(name="fresh", document={"id": "fresh", "turns": TURNS})
    with pytest.raises(BadInput, match=r"Version 1 of 'fresh' waits for approval.*--approve") as refused:
        replays("fresh")
    assert refused.value.code == "unknown_golden_sessions"
