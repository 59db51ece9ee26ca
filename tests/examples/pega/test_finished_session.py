"""PXCONV-4081 as the server holds it, against the expectation that was written by hand."""

import html
import json
import re
import time
from datetime import UTC, datetime

import pytest

from tests.examples.pega.calls import EXPECTED, PegaCalls, pega

ID = EXPECTED["conversation_id"]


def words(content: str) -> str:
    """Unescape once, then take tags out."""
    return re.sub(r"</?[a-z]+>", "", html.unescape(content))


def filled(node: PegaCalls, cid: str) -> dict:
    node.transcript(cid)
    time.sleep(0.35)
    return node.transcript(cid)


def moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%dT%H%M%S.%f GMT").replace(tzinfo=UTC)


def test_the_transcript_is_the_expected_one(node: PegaCalls) -> None:
    rows = filled(node, ID)["pyMessages"]
    assert [row["pyRole"] for row in rows[:2]] == ["ASSISTANT", "USER"], "a greeting first"
    assert words(rows[0]["pyContent"]) == EXPECTED["greeting"]["reply"]
    pairs: list[tuple[str, list[str], int]] = []
    for row in rows[1:]:
        at = moment(row["pxCreateDateTime"])
        if row["pyRole"] == "USER":
            began = at
            pairs.append((words(row["pyContent"]), [], 0))
        else:
            pairs[-1][1].append(words(row["pyContent"]))
            pairs[-1] = (*pairs[-1][:2], round((at - began).total_seconds() * 1000))
    assert [(said, "\n\n".join(replies), took) for said, replies, took in pairs] == [
        (turn["input"], turn["reply"], turn["latency_ms"]) for turn in EXPECTED["turns"]
    ]


def test_it_is_escaped_once_and_has_tags(node: PegaCalls) -> None:
    rows = filled(node, ID)["pyMessages"]
    assert rows[0]["pyContent"].startswith("&lt;p&gt;Welcome")
    assert any("`Save &amp;amp; win`" in row["pyContent"] for row in rows), "an entity that was really written"
    assert any("Weekend Saver &amp; Friends" in row["pyContent"] for row in rows)


def test_uploads_are_silent_and_unnamed(node: PegaCalls) -> None:
    rows = filled(node, ID)["pyMessages"]
    users = [row for row in rows if row["pyRole"] == "USER"]
    assert [number for number, row in enumerate(users, 1) if row["pyContent"] == ""] == [2, 11]
    assert not any("Marketing_Approval" in row["pyContent"] for row in rows)


def test_step_agents_show_in_all_four_places(node: PegaCalls) -> None:
    sources = EXPECTED["step_agents_by_source"]
    page = filled(node, ID)
    text = " ".join(row["pyContent"] for row in page["pyMessages"])
    assert "specialist agent" in text
    assert "knowledge base" in text
    case = page["pzCaseProcessingData"]
    for source, field in (
        ("field_prefill", "pzAssignmentFieldsMetaData"),
        ("previous_assignment", "pzPrevAssignmentFieldsMetaData"),
    ):
        assert isinstance(case[field], str), "JSON within JSON"
        found = [one["name"] for one in json.loads(case[field]) if one["defaultValue"]]
        assert found == sources[source]
    stages = node.http.get("/dx/api/application/v2/cases/AMANI-CAMPAIGN-WORK%20S-4081/stages").json()["stages"]
    steps = [
        step["name"]
        for stage in stages
        for sequence in stage["processSequences"]
        for process in sequence["processes"]
        for step in process["steps"]
        if step["visited_status"] == "completed" and re.search(r"\b(agent|auto|genai|kb)\b", step["name"], re.I)
    ]
    assert steps == sources["stages"]


def test_it_is_closed(node: PegaCalls) -> None:
    assert node.patch(ID, "hello").status_code == 409


@pytest.mark.parametrize("lag", ["0.2"])
def test_the_first_look_is_empty(lag: str) -> None:
    with pega("--lag-s", lag) as node:
        assert node.transcript(ID)["pyMessages"] == []
        time.sleep(0.25)
        assert len(node.transcript(ID)["pyMessages"]) == 1 + 12 + 13
