"""What a tenant keeps of phones: nothing where it stores masked, by whatever way a conversation comes in."""

import json
from pathlib import Path

import pytest

from apps.catalog.models import GoldenVersion
from apps.core.digest import sha256_hex
from apps.core.models import new_id
from apps.dashboard.conversations.domain.marking import pieces
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.domain.states import SimulatorVerdict
from apps.runs.imports.services.jsonl import import_file
from apps.runs.models import Conversation, Turn
from apps.runs.playing.services.simulator_verdicts import MAX_REPLAYS, ReviewOutcome, store_review
from apps.runs.playing.services.storing import end_play, failed_result
from apps.tenants.services import update_workflow_config
from tests.evaluations import bench
from tests.production.test_retention import columns_with
from tests.runs.stage import NOW, Clock, battles, make_agent, make_scenarios, only, play, said
from tests.runs.test_pulled_turns import Runner
from tests.runs.test_pulled_turns import play as pull

PHONE = "0712 345 678"
MASKED = "+254 7** *** 678"
TURNS = [
    {"role": "user", "content": f"Call me on {PHONE}, I paid UGX 350000"},
    {
        "role": "assistant",
        "content": "Asante.",
        "tool_calls": [{"id": "k1", "name": "note", "arguments": {"msisdn": 254712345678, "amount": 350000}}],
        "wait_for_pattern": r"\+2547\d{8}|254712345678",
        "heard": f"call {PHONE}",
    },
]


@pytest.fixture
def masked_tenant(tenant: str) -> str:
    update_workflow_config(slug=tenant, changes={"store": "masked"})
    return tenant


def line_file(folder: Path, turns: list[dict] = TURNS) -> Path:
    file = folder / "some.jsonl"
    file.write_text(json.dumps({"id": "c-1", "labels": {"contact": PHONE}, "turns": turns}))
    return file


def stored() -> str:
    rows = [*Turn.objects.values_list("content", "tool_calls", "extra")]
    rows += [*Conversation.objects.values_list("labels", "extra", "error_message")]
    return json.dumps(rows)


def test_a_tenant_that_stores_masked_holds_no_phone_of_an_imported_file(masked_tenant, tmp_path):
    import_file(path=line_file(tmp_path), into="run", name="some", now=NOW)
    first, second = Turn.objects.order_by("position")
    assert first.content == f"Call me on {MASKED}, I paid UGX 350000"
    assert second.tool_calls[0]["arguments"] == {"msisdn": MASKED, "amount": 350000}
    assert second.extra == {"wait_for_pattern": TURNS[1]["wait_for_pattern"], "heard": f"call {MASKED}"}
    assert Conversation.objects.get().labels == {"contact": MASKED}


def test_a_tenant_that_stores_as_is_keeps_what_was_said(tenant, tmp_path):
    import_file(path=line_file(tmp_path), into="run", name="some", now=NOW)
    assert Turn.objects.order_by("position").first().content == TURNS[0]["content"]


def test_conversations_posted_with_an_evaluation_are_stored_masked_too(masked_tenant):
    request_evaluation(
        config=bench.make_config(), documents=[bench.document("c-1", f"I am on {PHONE}", "Asante.")], now=NOW
    )
    assert Turn.objects.get(position=0).content == f"I am on {MASKED}"


def test_a_battle_is_stored_masked_and_heard_in_full(masked_tenant):
    make_agent(f"Is {PHONE} yours?", {"text": "Goodbye!", "ended": True})
    make_scenarios(opening=f"Hi, my number is {PHONE}.")
    run = battles()
    play()
    assert said(only(run))[:2] == [("user", f"Hi, my number is {MASKED}."), ("assistant", f"Is {MASKED} yours?")]
    assert "712" not in stored()


def held(*forms: str) -> set[str]:
    """Every column of the tenant's schema that holds the agent's number."""
    return columns_with("733 222 111", "733222111", "733 *222", *forms)


def test_a_number_that_the_agent_says_is_in_no_column_once_the_battle_is_over(masked_tenant):
    """Its runner's turns and the session that it carried hold all that was said, while it is said."""
    make_agent(kind="pulled", timeout_s=120.0)
    make_scenarios()
    run, clock = battles(max_turns=4, seed=3), Clock()
    call = {"id": "c1", "name": "call_back", "arguments": {"to": "0733 222 111"}, "result": {"of": "0733222111"}}

    def answer(turn):
        assert not turn["position"] or "0733 222 111" in json.dumps(turn["messages"])  # it is heard in full
        return {"content": "I call 0733 222 111.", "tool_calls": [call], "ended": bool(turn["position"])}

    pull(clock, Runner(clock, answer))
    assert only(run).session["context_id"]
    assert len(only(run).session["state"]["messages"]) > 3
    assert held() == set()


def test_what_ended_a_battle_and_what_a_review_and_a_call_said_is_masked_too(masked_tenant):
    make_agent("Hello", {"text": "Goodbye!", "ended": True})
    make_scenarios()
    row = only(battles())
    finding = {"code": "invented", "critical": True, "turn": 0, "quote": "on 0733 222 111", "why": "has 0733 222 111"}
    outcome = ReviewOutcome(
        verdict=SimulatorVerdict.BROKE, findings=(finding,), reason="says 0733 222 111", raw_reply="0733 222 111"
    )
    for attempt in range(MAX_REPLAYS + 1):
        token = new_id()
        Conversation.objects.filter(pk=row.pk).update(
            status="ended", simulator_verdict="pending", lease_token=token, attempt=attempt + 1
        )
        store_review(conversation_id=row.pk, token=token, outcome=outcome, now=NOW)
    row.refresh_from_db()
    assert (row.status, "The last time: has +254 7** *** 111" in row.error_message) == ("failed", True)
    end_play(row, failed_result("unexpected", "it said 0733 222 111"), now=NOW, masked=True)
    assert held() == set()


def test_golden_sessions_hold_no_phone_whatever_the_tenant_stores(tenant, tmp_path):
    own = [{key: value for key, value in turn.items() if key != "heard"} for turn in TURNS]
    own[1]["metadata"] = {"heard": TURNS[1]["heard"]}  # a golden session's notes of one's own stand there
    import_file(path=line_file(tmp_path, own), into="golden", name="", now=NOW)
    golden = GoldenVersion.objects.get()
    body = json.dumps(golden.document)
    assert MASKED in body
    assert PHONE not in body
    gate = golden.document["turns"][1]  # an expression is not masked; this one does not open for its own reply
    assert (gate["wait_for_pattern"], gate["gate_strength"]) == (TURNS[1]["wait_for_pattern"], "weak")
    assert golden.digest == sha256_hex(golden.document)


def test_a_masked_quote_is_marked_where_it_stands_in_the_turn():
    text = f"Niaje, my number is {PHONE} and I wait"
    cut = pieces(text, [("q0-0", f"my number is {MASKED}"), ("q0-1", "<number>")])
    assert [(piece.text, piece.marks) for piece in cut] == [
        ("Niaje, ", ""),
        (f"my number is {PHONE}", "q0-0"),
        (" and I wait", ""),
    ]
