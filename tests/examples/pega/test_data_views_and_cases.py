"""Sentences of the sheet about data views, cases and assignments, each against the running server."""

import json
import time
from urllib.parse import quote

import pytest

from tests.examples.pega.calls import V2, PegaCalls, pega

LIST = "D_pxAutopilotConversations"


def case_of(cid: str) -> str:
    return f"AMANI-CAMPAIGN-WORK S-{cid.removeprefix('PXCONV-')}"


def test_a_page_view_is_one_object_at_top_level(node: PegaCalls) -> None:
    page = node.transcript(node.create())
    assert {"pyID", "pyStatusWork", "pxCreateDateTime", "pyMessages", "pzCaseProcessingData"} == set(page)
    assert node.page("D_pxAutopilotConversation", InteractionID="PXCONV-1").status_code == 404
    assert node.http.get(f"{V2}/data_views/D_pxAutopilotConversation").status_code == 400
    assert node.page("D_Nobody", InteractionID="PXCONV-1").status_code == 404


def test_the_transcript_lags_behind_the_reply(node: PegaCalls) -> None:
    cid = node.create()
    node.transcript(cid)
    time.sleep(0.35)
    assert len(node.transcript(cid)["pyMessages"]) == 1
    node.say(cid, "Hello")
    assert len(node.transcript(cid)["pyMessages"]) == 1, "not yet"
    time.sleep(0.35)
    assert [row["pyRole"] for row in node.transcript(cid)["pyMessages"]] == ["ASSISTANT", "USER", "ASSISTANT"]


def test_prefills_change_with_the_step(node: PegaCalls) -> None:
    cid = node.create()
    node.play(cid, until=2)
    fields = json.loads(node.transcript(cid)["pzCaseProcessingData"]["pzAssignmentFieldsMetaData"])
    assert {"name": "Budget", "defaultValue": "80000"} in fields
    node.say(cid, "I approve.")
    before = json.loads(node.transcript(cid)["pzCaseProcessingData"]["pzPrevAssignmentFieldsMetaData"])
    assert {"name": "Budget", "defaultValue": "80000"} in before


def test_lists_come_by_pages(node: PegaCalls) -> None:
    made = {node.create() for _ in range(3)}
    condition = {"lhs": {"field": "pyID"}, "comparator": "IN", "rhs": {"values": sorted(made)}}
    query = {
        "select": [{"field": "pyID"}],
        "filter": {"filterConditions": {"F1": condition}, "logic": "F1"},
        "sortBy": [{"field": "pyID", "type": "DESC"}],
    }
    first = node.listed(query=query, paging={"pageNumber": 1, "pageSize": 2}, includeTotalCount=True).json()
    second = node.listed(query=query, paging={"pageNumber": 2, "pageSize": 2}).json()
    assert [row["pyID"] for row in first["data"] + second["data"]] == sorted(made, reverse=True)
    assert (first["hasMoreResults"], second["hasMoreResults"], first["totalCount"]) == (True, False, 3)
    assert "totalCount" not in second
    capped = node.listed(query=query, paging={"maxResultsToFetch": 1}).json()
    assert (len(capped["data"]), capped["hasMoreResults"]) == (1, True)
    counted = node.http.post(f"{V2}/data_views/{LIST}/count", json={"query": query}).json()
    assert counted["resultCount"] == 3


def test_conditions_combine(node: PegaCalls) -> None:
    cid = node.create()

    def where(logic: str, **conditions: tuple[str, str, object]) -> list[str]:
        listed = {
            name: {"lhs": {"field": field}, "comparator": comparator, "rhs": {"value": value}}
            for name, (field, comparator, value) in conditions.items()
        }
        answer = node.listed(query={"filter": {"filterConditions": listed, "logic": logic}})
        assert answer.status_code == 200, answer.text
        return [row["pyID"] for row in answer.json()["data"]]

    is_new, done, nobody = ("pyID", "EQ", cid), ("pyStatusWork", "STARTS_WITH", "Resolved"), ("pyID", "EQ", "x")
    assert where("F1", F1=is_new) == [cid]
    assert where("F1 AND F2", F1=is_new, F2=done) == []
    assert set(where("(F1 AND F2) OR F3", F1=is_new, F2=nobody, F3=done)) >= {"PXCONV-4081"}
    assert where("F1 AND (F2 OR F3)", F1=is_new, F2=nobody, F3=("pyStatusWork", "NEQ", "x")) == [cid]
    assert cid not in where("F1", F1=("pyID", "NOT_CONTAINS", cid))


@pytest.mark.parametrize(
    "body",
    [
        {"paging": {"maxResultsToFetch": 5, "pageSize": 5}},
        {"paging": {"maxResultsToFetch": 5001}},
        {"paging": {"pageSize": 0}},
        {"query": {"select": [{"field": "pyNothing"}]}},
        {"query": {"filter": {"filterConditions": {}, "logic": "F1"}, "sortBy": [{"field": "x"}]}},
        {"query": {"filter": {"filterConditions": {"F1": {"lhs": {"field": "pyID"}, "comparator": "LIKE"}}}}},
    ],
)
def test_a_wrong_query_is_refused(node: PegaCalls, body: dict) -> None:
    assert node.listed(**body).status_code == 400


def test_metadata_names_the_fields(node: PegaCalls) -> None:
    answer = node.http.get(f"{V2}/data_views/{LIST}/metadata").json()
    assert "pyStatusWork" in [one["ID"] for one in answer["fields"]]


def test_the_agents_rule_shows_its_prompt(node: PegaCalls) -> None:
    rule = node.page("D_GetAIAgentRule", AppliesTo="@BASECLASS", RuleName="CampaignAssistant").json()
    assert rule["pyGenAIDef"]["pySystemPrompt"]
    assert node.http.get(rule["pyAgentCardURL"]).status_code == 200


def test_a_case_is_found_by_its_handle_with_a_space(node: PegaCalls) -> None:
    cid = node.create()
    address = f"{V2}/cases/{quote(case_of(cid))}"
    assert node.http.get(address).status_code == 404, "no case yet"
    node.play(cid, until=1)
    answer = node.http.get(address)
    info = answer.json()["data"]["caseInfo"]
    assert (info["ID"], info["status"], bool(answer.headers["etag"])) == (case_of(cid), "Open", True)
    assert node.http.get(f"{V2}/cases/{case_of(cid).replace(' ', '+')}").status_code == 404


def test_stages_are_404_first_and_then_advance(node: PegaCalls) -> None:
    cid = node.create()
    address = f"{V2}/cases/{quote(case_of(cid))}/stages"
    node.play(cid, until=1)
    assert node.http.get(address).status_code == 404, "still being created"
    before = [stage["visited_status"] for stage in node.http.get(address).json()["stages"]]
    assert before == ["completed", "active", "future", "future", "future", "future"]


def test_the_whole_session_completes_all_stages(node: PegaCalls) -> None:
    cid = node.create()
    node.play(cid)
    address = f"{V2}/cases/{quote(case_of(cid))}/stages"
    node.http.get(address)
    assert {stage["visited_status"] for stage in node.http.get(address).json()["stages"]} == {"completed"}
    case = node.http.get(f"{V2}/cases/{quote(case_of(cid))}").json()["data"]["caseInfo"]
    assert (case["status"], case["assignments"]) == ("Resolved-Completed", [])


def test_an_assignment_needs_a_fresh_etag(node: PegaCalls) -> None:
    cid = node.create()
    node.play(cid, until=2)
    case = node.http.get(f"{V2}/cases/{quote(case_of(cid))}").json()["data"]["caseInfo"]
    address = f"{V2}/assignments/{quote(case['assignments'][0]['ID'])}"
    read = node.http.get(address)
    assert read.json()["uiResources"]["resources"]["fields"]["Budget"][0]["defaultValue"] == "80000"
    action = f"{address}/actions/Approve"
    assert node.http.patch(action, json={}).status_code == 412
    assert node.http.patch(action, json={}, headers={"if-match": '"old"'}).status_code == 409
    done = node.http.patch(action, json={}, headers={"if-match": read.headers["etag"]})
    assert done.status_code == 200
    again = node.http.get(address)
    assert node.http.patch(action, json={}, headers={"if-match": again.headers["etag"]}).status_code == 422


def test_stages_have_another_shape() -> None:
    with pega("--variant", "stages-b") as node:
        stages = node.http.get(f"{V2}/cases/{quote('AMANI-CAMPAIGN-WORK S-4081')}/stages").json()["stages"]
    assert [len(stage["processes"]) for stage in stages] == [1] * 6
    assert all(step["visited"] is True for stage in stages for step in stage["processes"][0]["steps"])
