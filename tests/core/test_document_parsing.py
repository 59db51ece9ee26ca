"""The conversation document: what is taken, what is refused and where the finger points."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.conversation import DocumentError, TurnRole
from apps.core.document_parsing import DocumentLimits, document_as_json, parse_document
from apps.core.errors import BadInput
from tests.shared_data import SHARED

DATA = SHARED / "data"


def document(**changes: Any) -> dict[str, Any]:
    return {"id": "c1", "turns": [{"role": "user", "content": "Habari"}]} | changes


def with_turn(**turn: Any) -> dict[str, Any]:
    return document(turns=[{"role": "user", "content": "Habari"}, {"role": "assistant", "content": "Sawa"} | turn])


@pytest.mark.parametrize(
    "raw, pointer",
    [
        ([], ""),
        (None, ""),
        ("text", ""),
        ({"turns": [{"role": "user", "content": "x"}]}, "/id"),
        (document(id=""), "/id"),
        (document(id=True), "/id"),
        (document(id="x" * 201), "/id"),
        (document(turns=[]), "/turns"),
        (document(turns=None), "/turns"),
        (document(turns={"0": {}}), "/turns"),
        (document(messages=[{"role": "user", "content": "x"}]), "/messages"),
        (document(turns=["hello"]), "/turns/0"),
        (with_turn(role="bot"), "/turns/1/role"),
        (with_turn(role=None), "/turns/1/role"),
        (with_turn(role=["user"]), "/turns/1/role"),
        (with_turn(role="developer"), "/turns/1/role"),
        (with_turn(content=None), "/turns/1/content"),
        (with_turn(content=5), "/turns/1/content"),
        (with_turn(content=["a"]), "/turns/1/content"),
        (with_turn(content="a\0b"), "/turns/1/content"),
        (with_turn(content="a\ud800b"), "/turns/1/content"),
        (with_turn(content=None, tool_calls=[]), "/turns/1/content"),
        (with_turn(tool_calls={"name": "x"}), "/turns/1/tool_calls"),
        (with_turn(tool_calls="[]"), "/turns/1/tool_calls"),
        (with_turn(tool_calls=["x"]), "/turns/1/tool_calls/0"),
        (with_turn(tool_calls=[{"arguments": {}}]), "/turns/1/tool_calls/0/name"),
        (with_turn(tool_calls=[{"name": "f", "arguments": []}]), "/turns/1/tool_calls/0/arguments"),
        (with_turn(tool_calls=[{"name": "f", "arguments": "{"}]), "/turns/1/tool_calls/0/arguments"),
        (
            with_turn(tool_calls=[{"function": {"name": "f", "arguments": '{"a":NaN}'}}]),
            "/turns/1/tool_calls/0/function/arguments/a",
        ),
        (with_turn(tool_calls=[{"name": "f", "id": 5}]), "/turns/1/tool_calls/0/id"),
        (with_turn(tool_call_id=4), "/turns/1/tool_call_id"),
        (with_turn(name={}), "/turns/1/name"),
        (with_turn(ts="yesterday"), "/turns/1/ts"),
        (with_turn(ts="2026-11-20"), "/turns/1/ts"),
        (with_turn(ts=1700000000), "/turns/1/ts"),
        (with_turn(ts="0001-01-01T00:00:00+23:00"), "/turns/1/ts"),
        (with_turn(latency_ms="12"), "/turns/1/latency_ms"),
        (with_turn(latency_ms=-1), "/turns/1/latency_ms"),
        (with_turn(latency_ms=True), "/turns/1/latency_ms"),
        (with_turn(latency_ms=10**12), "/turns/1/latency_ms"),
        (with_turn(latency_ms=float("nan")), "/turns/1/latency_ms"),
        (with_turn(attachments="a.pdf"), "/turns/1/attachments"),
        (with_turn(attachments=[{"path": "a"}]), "/turns/1/attachments/0/name"),
        (document(labels=[]), "/labels"),
        (document(labels={"a/b": {"~": float("inf")}}), "/labels/a~1b/~0"),
        (document(labels={"n": 10**400}), "/labels/n"),
        (document(labels={"n": 10**5000}), "/labels/n"),
        (document(labels={"n\0": 1}), "/labels"),
        (document(labels={"n": {1, 2}}), "/labels/n"),
        (document(note="x\0"), "/note"),
        (document(language=3), "/language"),
        (document(language="sw", lang="en"), "/lang"),
        (document(domain=[]), "/domain"),
    ],
)
def test_a_wrong_document_is_refused_and_the_pointer_names_the_field(raw: Any, pointer: str) -> None:
    with pytest.raises(DocumentError) as caught:
        parse_document(raw, pointer="/conversations/3")
    assert caught.value.pointer == "/conversations/3" + pointer
    assert isinstance(caught.value, BadInput)
    assert caught.value.code == "invalid_document"
    assert str(caught.value).startswith(("/conversations/3",))


def test_nesting_too_deep_to_store_is_refused_not_a_crash() -> None:
    for depth in (70, 500, 100_000):
        nest: list[Any] = []
        for _ in range(depth):
            nest = [nest]
        with pytest.raises(DocumentError, match="nested"):
            parse_document(document(labels={"deep": nest}))


def test_too_many_turns_has_a_code_of_its_own() -> None:
    turns = [{"role": "user", "content": "x"}] * 6
    with pytest.raises(DocumentError) as caught:
        parse_document(document(turns=turns), limits=DocumentLimits(turns=5))
    assert (caught.value.code, caught.value.pointer) == ("too_many_turns", "/turns")
    assert len(parse_document(document(turns=turns), limits=DocumentLimits(turns=6)).turns) == 6


def test_openai_messages_are_taken_as_turns() -> None:
    got = parse_document(
        {
            "id": "m",
            "messages": [
                {"role": "developer", "content": "Be kind"},
                {"role": "user", "content": [{"type": "text", "text": "Book"}, {"type": "text", "text": "me"}]},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "t1", "type": "function", "function": {"name": "find", "arguments": '{"day": "Friday"}'}}
                    ],
                },
                {"role": "tool", "tool_call_id": "t1", "content": "[]"},
            ],
        }
    )
    assert [turn.role for turn in got.turns] == [TurnRole.SYSTEM, TurnRole.USER, TurnRole.ASSISTANT, TurnRole.TOOL]
    assert got.turns[1].content == "Book\nme"
    assert got.turns[2].content == ""
    call = got.turns[2].tool_calls[0]
    assert (call.id, call.name, call.arguments, call.extra) == ("t1", "find", {"day": "Friday"}, {})


def test_a_time_without_a_zone_is_utc_and_others_are_moved_there() -> None:
    got = parse_document(
        document(
            lang="sw",
            turns=[
                {"role": "user", "content": "a", "ts": "2025-08-01T16:21:59.772164"},
                {"role": "user", "content": "b", "ts": "2025-08-01T19:21:59+03:00"},
            ],
        )
    )
    assert got.language == "sw"
    assert got.turns[0].ts == datetime(2025, 8, 1, 16, 21, 59, 772164, tzinfo=UTC)
    assert got.turns[1].ts == datetime(2025, 8, 1, 16, 21, 59, tzinfo=UTC)


def test_unknown_keys_are_kept_and_null_counts_as_absent() -> None:
    got = parse_document(
        document(
            license="MIT",
            domain=None,
            turns=[
                {"role": "user", "content": "", "acts": [1], "ts": None, "tool_calls": None},
                {"role": "assistant", "content": "x", "tool_calls": [{"name": "f", "requestor": "user"}]},
            ],
        )
    )
    assert got.extra == {"license": "MIT"}
    assert got.turns[0].extra == {"acts": [1]}
    assert got.turns[1].tool_calls[0].extra == {"requestor": "user"}


def test_a_document_without_an_id_takes_the_name_it_is_given() -> None:
    assert parse_document({"turns": [{"role": "user", "content": "x"}]}, default_id="line-3").id == "line-3"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcxyz"), inner, max_size=3),
    max_leaves=6,
)
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
objects = st.dictionaries(texts, json_values, max_size=2)
turns = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"]), "content": texts},
    optional={
        "ts": st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)).map(lambda d: d.isoformat()),  # noqa: DTZ001 - naive on purpose
        "latency_ms": st.integers(0, 10**6),
        "name": texts,
        "tool_call_id": texts,
        "tool_calls": st.lists(
            st.fixed_dictionaries({"name": st.just("f"), "arguments": objects}, optional={"id": texts}), max_size=2
        ),
        "attachments": st.lists(st.fixed_dictionaries({"name": st.just("a.pdf"), "path": texts}), max_size=1),
        "acts": json_values,
    },
)


@settings(max_examples=150, deadline=None)
@given(st.fixed_dictionaries({"id": st.just("c"), "turns": st.lists(turns, min_size=1, max_size=4), "labels": objects}))
def test_whatever_is_taken_survives_a_round_trip(raw: dict[str, Any]) -> None:
    first = parse_document(raw)
    written = json.loads(json.dumps(document_as_json(first)))
    assert parse_document(written) == first
    assert document_as_json(parse_document(written)) == document_as_json(first)


@settings(max_examples=200, deadline=None)
@given(json_values | st.fixed_dictionaries({"id": json_values, "turns": st.lists(json_values | turns)}))
def test_any_json_is_either_taken_or_refused_with_a_pointer(raw: Any) -> None:
    pointer: str | None = ""
    try:
        parse_document(raw)
    except DocumentError as error:
        pointer = error.pointer
    assert pointer is not None


@pytest.mark.shared
def test_every_shared_conversation_is_taken_whole() -> None:
    seen = 0
    for path in sorted(DATA.glob("*/*.jsonl")):
        for line in path.read_text().splitlines():
            raw = json.loads(line)
            if "turns" not in raw:
                continue
            seen += 1
            got = parse_document(raw)
            assert parse_document(document_as_json(got)) == got
            assert len(got.turns) == len(raw["turns"])
            calls = [call for turn in raw["turns"] for call in turn.get("tool_calls", [])]
            assert [call["arguments"] for call in calls] == [c.arguments for t in got.turns for c in t.tool_calls]
            assert sum("ts" in turn for turn in raw["turns"]) == sum(turn.ts is not None for turn in got.turns)
    assert seen > 2000
