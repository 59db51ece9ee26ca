"""Keys of a golden session's file: a misspelt one would hold nothing, in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from apps.core.errors import BadInput
from apps.runs.goldens.domain.documents import golden_document
from tests.shared_data import SHARED

REPLY = {"role": "assistant", "content": "Which day?"}


def read(**document: Any) -> dict[str, Any]:
    return golden_document({"id": "x", **document}, is_upload=lambda reply: False)


def turns(**of_reply: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Hi"}, {**REPLY, **of_reply}]


@pytest.mark.parametrize(
    "document, pointer, meant",
    [
        ({"turns": turns(), "profil": "p.json"}, "/profil", "profile"),
        ({"turns": turns(wait_for_patern="day")}, "/turns/1/wait_for_patern", "wait_for_pattern"),
        ({"messages": turns(wait_for_patern="day")}, "/messages/1/wait_for_patern", "wait_for_pattern"),
        ({"turns": turns(expectd_tools=["search"])}, "/turns/1/expectd_tools", "expected_tools"),
        (
            {"turns": turns(expected_tools=[{"name": "search", "argumnets": {}}])},
            "/turns/1/expected_tools/0/argumnets",
            "arguments",
        ),
        (
            {"turns": turns(tool_calls=[{"name": "search", "argumnets": {}}])},
            "/turns/1/tool_calls/0/argumnets",
            "arguments",
        ),
        ({"turns": turns(step_agents=[{"name": "A", "sorce": "x"}])}, "/turns/1/step_agents/0/sorce", "source"),
        (
            {"turns": [{"role": "user", "content": "", "file_attachment": {"name": "a.pdf", "sha": "1"}}, REPLY]},
            "/turns/0/file_attachment/sha",
            "sha256",
        ),
        (
            {"turns": [{"role": "user", "content": "", "attachments": [{"name": "a.pdf", "pth": "1"}]}, REPLY]},
            "/turns/0/attachments/0/pth",
            "path",
        ),
        ({"turns": [{"input": "Hi", "response": "Day?", "wait_for_patern": "x"}]}, "/turns/0/wait_for_patern", "wait"),
    ],
)
def test_a_key_that_is_not_known_is_refused_with_its_place(document: dict[str, Any], pointer: str, meant: str) -> None:
    with pytest.raises(BadInput, match=meant) as refused:
        read(**document)
    assert refused.value.pointer == pointer
    assert pointer in refused.value.message


@pytest.mark.parametrize(
    "key, value", [("wait_for_pattern", "Hi"), ("expected_tools", ["search"]), ("gate_timeout", 9)]
)
def test_what_only_a_reply_can_hold_is_refused_at_a_customers_turn(key: str, value: Any) -> None:
    with pytest.raises(BadInput, match="turn of the agent") as refused:
        read(turns=[{"role": "user", "content": "Hi", key: value}, REPLY])
    assert refused.value.pointer == f"/turns/0/{key}"


def test_own_notes_have_a_place_and_a_key_without_a_value_says_nothing() -> None:
    noted = turns(metadata={"seen": True}, refusal=None, anything=None)
    assert read(turns=noted, metadata={"team": "salon"}, comment=None)["metadata"] == {"team": "salon"}


@pytest.mark.shared
@pytest.mark.parametrize("folder", ["service_dialogues", "agent_trajectories", "judge", "multilingual"])
def test_real_conversations_load_as_they_are(folder: str) -> None:
    files = sorted((SHARED / "data" / folder).glob("*.jsonl"))
    read_whole = 0
    for file in files:
        for line in Path(file).read_text(encoding="utf-8").splitlines()[:20]:
            record = json.loads(line)
            if isinstance(record, dict) and "turns" in record:
                golden_document(record, is_upload=lambda reply: False)
                read_whole += 1
    assert read_whole >= 20
