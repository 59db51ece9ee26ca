"""Golden sessions played again: gates, files, cases, and lost workers."""

import asyncio
import json
from typing import Any

import pytest

from apps.catalog.goldens.services.versions import release_golden_version, store_golden_version
from apps.catalog.models import Agent
from apps.core.attached_files import AttachedFile
from apps.runs.domain.gates import sense
from apps.runs.goldens.queries.replayed import replayed_conversations
from apps.runs.models import Conversation, Turn
from apps.runs.playing.services.player_loop import PlayingWork
from tests.examples.pega.calls import AGENT, EXPECTED, FORM, PREFIXES, TOKEN, running
from tests.runs.stage import NOW, at, make_agent, make_work, only, play, replays, said

FILE = AttachedFile(name="Zelle.pdf", content=b"%PDF brief")


def golden(name, turns, **more):
    """Stored and approved."""
    document = {"id": name, "language": "en", "turns": turns, **more}
    stored = store_golden_version(name=name, document=document, files={FILE.sha256: FILE})
    release_golden_version(version_id=stored.version_id, document=document, now=NOW, by="test")
    return name


def gated(*pairs):
    """(user, reply, pattern)…"""
    for user, reply, pattern in pairs:
        yield {"role": "user", "content": user}
        yield {"role": "assistant", "content": reply, "wait_for_pattern": pattern, "latency_ms": 2000}


def replay_of(run):
    row = Conversation.objects.select_related("run").get(pk=only(run).pk)
    return replayed_conversations([row])[row.pk]


# --- Gates ------------------------------------------------------------------------------------------------------------
def test_replies_that_show_what_they_must_are_followed_at_once(tenant):
    make_agent("Which day?", "Booked.")
    slept: list[float] = []
    run = replays(golden("g", list(gated(("Hi", "Which day?", "day"), ("Friday", "Booked!", "Booked")))))
    play(slept=slept)
    assert only(run).status == "ended"
    assert [turn.gate for turn in replay_of(run).turns] == ["matched", "matched"]
    assert sum(slept) == 0


def test_a_nudge_is_a_turn_of_its_own_that_judging_does_not_see(tenant):
    make_agent("One moment …", "Which day?", "Booked.")
    slept: list[float] = []
    run = replays(golden("g", list(gated(("Hi", "Which day?", "day"), ("Friday", "Booked!", "Booked")))))
    play(slept=slept)
    row = only(run)
    assert said(row, "user") == [("user", "Hi"), ("user", "Please continue."), ("user", "Friday")]
    assert [turn.content for turn in row.turns.transcript().filter(role="user").order_by("position")] == [
        "Hi",
        "Friday",
    ]
    assert [(turn.gate, turn.nudges) for turn in replay_of(run).turns] == [("nudged", 1), ("matched", 0)]
    assert sum(slept) == pytest.approx(7.0, abs=0.1)  # two golden seconds and the buffer of five


def test_after_three_nudges_nothing_more_is_sent_and_who_left_a_figure_out_is_to_blame(tenant):
    make_agent(*["Something else."] * 9)
    run = replays(
        golden("g", list(gated(("Hi", "Which day? It costs KES 5.", "day"), ("Friday", "Booked!", "Booked"))))
    )
    play()
    row = only(run)
    assert (row.status, row.blame, row.error_code) == ("failed", "agent_quality", "desync")
    assert row.error_message.startswith('Turn 1: after 3 nudges the reply did not show "day"')
    assert "Something else." in row.error_message
    assert row.error_message.endswith("It does not say KES 5.")
    assert said(row, "user") == [("user", "Hi"), *[("user", "Please continue.")] * 3]
    assert [(turn.gate, turn.reached) for turn in replay_of(run).turns] == [("desync", True), ("", False)]


def test_a_stuck_gate_where_only_the_words_differ_is_nobodys_fault_yet(tenant):
    make_agent(*["On what date would you like to come?"] * 9)
    run = replays(golden("g", list(gated(("Hi", "Which day?", "day"), ("Friday", "Booked!", "Booked")))))
    play()
    row = only(run)
    assert (row.status, row.blame, row.error_code) == ("failed", None, "desync")
    assert row.error_message.endswith("All that the golden reply tells was told.")


def test_an_agent_that_skips_a_step_is_to_blame_though_no_figure_is_missing(tenant):
    make_agent(*["Your booking is on its way now."] * 9)
    skipped = [("Hi", "Which day?", "day"), ("Friday", "Your booking is on its way now.", "booking")]
    run = replays(golden("g", list(gated(*skipped))))
    play()
    row = only(run)
    assert (row.status, row.blame, row.error_code) == ("failed", "agent_quality", "desync")
    assert row.error_message.count("on its way") == 1  # what was said after each nudge is told once
    assert row.error_message.endswith("It is the golden session's reply to turn 2.")


def test_a_gate_that_hangs_on_one_word_is_passed_shut_twice_in_a_row_at_most(tenant):
    weak = {"gate_strength": "weak", "gate_from": "sensed"}
    turns = list(
        gated(*((f"Turn {n}", f"Step {word}", word) for n, word in enumerate(("one", "two", "three", "four"))))
    )
    document = [{**turn, **weak} if turn["role"] == "assistant" else turn for turn in turns]
    make_agent("Step 1", "Step 2", "three", "Step 4")
    run = replays(golden("soft", document))
    play()
    assert only(run).status == "ended"
    assert [(turn.gate, turn.gate_shut) for turn in replay_of(run).turns] == [
        ("waited", True), ("waited", True), ("matched", False), ("waited", True),
    ]  # fmt: skip
    assert "nudge" not in {turn.purpose for turn in only(run).turns.all()}
    Agent.objects.all().update(name="before")
    make_agent(*["Something else."] * 9)
    lost = replays("soft")
    play()
    assert (only(lost).status, only(lost).error_code) == ("failed", "desync")
    assert [(turn.gate, turn.gate_shut) for turn in replay_of(lost).turns][:3] == [
        ("waited", True), ("waited", True), ("desync", False),
    ]  # fmt: skip


def test_a_pattern_that_takes_too_long_is_the_golden_sessions_fault(tenant):
    make_agent("a" * 3000 + "!")
    run = replays(golden("g", list(gated(("Hi", "aaa", r"(a|aa)+$")))))
    play()
    assert (only(run).status, only(run).blame) == ("failed", "golden")


def test_an_agent_without_uploads_is_told_of_the_file_in_brackets(tenant):
    make_agent("Got it.", "Thanks.")
    turns = [
        {"role": "user", "content": "", "file_attachment": {"name": "Zelle.pdf", "sha256": FILE.sha256}},
        {"role": "assistant", "content": "Got it."},
        {"role": "user", "content": ""},  # before a greeting: nothing is sent
        {"role": "user", "content": "Approve"},
    ]
    run = replays(golden("g", turns))
    play()
    assert said(only(run), "user") == [("user", "[I have attached a file: Zelle.pdf]"), ("user", "Approve")]


# --- The loopback Pega ------------------------------------------------------------------------------------------------
def campaign(name="campaign"):
    """The finished session, as a golden with sensed gates; its two files are one here."""
    turns = [{"role": "assistant", "content": EXPECTED["greeting"]["reply"]}]
    for one in EXPECTED["turns"]:
        user = {"role": "user", "content": one["input"]}
        if one["file_attachment"]:
            user["file_attachment"] = {**one["file_attachment"], "sha256": FILE.sha256}
        reply = {"role": "assistant", "content": one["reply"], "latency_ms": one["latency_ms"]}
        turns += [user, {**reply, "expected_tools": one["tools"]}]
    for gate in sense(turns):
        if gate.position and gate.pattern:
            turns[gate.position]["wait_for_pattern"] = gate.pattern
    return golden(name, turns)


def pega_agent(base):
    secrets: Any = {"client_secret": FORM["client_secret"]}
    options = {
        "agent_name": AGENT, "token_url": f"{base}{TOKEN}", "client_id": FORM["client_id"], "look_again_s": 0.2,
    }  # fmt: skip
    return Agent.objects.create(
        name="bot", kind="agentx", address=f"{base}{PREFIXES[0]}", options=options, timeout_s=30, secrets=secrets
    )


def test_a_campaign_on_pega_is_played_again_to_its_end_with_its_files_and_its_case(tenant):
    with running("--lag-s", "0.1") as base:
        pega_agent(base)
        run = replays(campaign())
        play()
    row = only(run)
    assert (row.status, row.error_message) == ("ended", "")
    found = replay_of(run)
    assert [turn.gate for turn in found.turns] == ["matched"] * len(EXPECTED["turns"])
    assert found.sees_cases
    assert {stage["status"] for stage in found.case["stages"]} == {"completed"}
    assert found.case["id"].startswith("AMANI-CAMPAIGN-WORK ")


def test_messages_that_come_late_are_waited_for_by_the_agents_own_transcript(tenant):
    with running("--lag-s", "0", "--fault", "late-by-one", "--time-scale", "40") as base:
        pega_agent(base)
        run = replays(campaign())

        async def sleep(seconds):
            await asyncio.sleep(seconds / 40)

        play(work=PlayingWork(now=lambda: NOW, sleep=sleep))
    row = only(run)
    assert (row.status, row.error_message) == ("ended", "")
    states = [turn.gate for turn in replay_of(run).turns]
    assert set(states) <= {"matched", "waited", "nudged"}
    assert "waited" in states


def test_a_replay_whose_worker_was_lost_goes_on_where_pegas_transcript_proves_it_stands(tenant):
    with running("--lag-s", "0") as base:
        pega_agent(base)
        run = replays(campaign())
        stop = {"left": 3}

        def time_up():
            stop["left"] -= 1
            return stop["left"] < 0

        play(work=PlayingWork(now=lambda: NOW, sleep=lambda _: asyncio.sleep(0), time_up=time_up))
        before = only(run)
        sent = said(before, "user")
        assert (before.status, 0 < len(sent) < len(EXPECTED["turns"])) == ("pending", True)
        lost = make_work(NOW)
        lost.claim(1)  # a worker takes it up and is gone
        play(at(61))
        row = only(run)
        assert (row.status, row.attempt, row.error_message) == ("ended", 2, "")
        assert row.extra["replay"]["resumed"] is True
        assert json.dumps(row.session["context_id"]) == json.dumps(before.session["context_id"])
        assert len(said(row, "user")) == len(EXPECTED["turns"])


def test_where_nothing_is_proven_it_starts_anew_and_says_so(tenant):
    make_agent(*["ok"] * 9)
    run = replays(golden("g", list(gated(("Hi", "ok", "ok"), ("Friday", "ok", "ok")))))
    make_work(NOW).claim(1)
    row = only(run)
    Turn.objects.create(conversation=row, attempt=1, position=0, purpose="customer", role="user", content="Hi")
    Conversation.objects.filter(run_id=run).update(session={"context_id": "old", "state": {}})
    play(at(61))
    row = only(run)
    assert (row.status, row.attempt, row.extra["replay"]["resumed"]) == ("ended", 2, False)


def test_a_replay_that_never_got_a_word_in_is_read_too(tenant):
    """Its checks are asked for like all others: one that cannot be read would hold up those of the whole tenant."""
    with running("--fault", "execution-error") as base:
        pega_agent(base)
        run = replays(campaign())
        play()
    row = only(run)
    assert row.status == "failed"
    assert "application" in row.error_message
    Turn.objects.filter(conversation=row).delete()
    assert [turn.at for turn in replay_of(run).turns] == [None] * len(EXPECTED["turns"])


def test_an_agent_that_closes_the_conversation_half_way_fails_by_its_own_fault(tenant):
    with running("--lag-s", "0", "--fault", "closes-early") as base:
        pega_agent(base)
        run = replays(campaign())
        play()
    row = only(run)
    assert (row.status, row.blame) == ("failed", "agent_quality")
    assert "closed the conversation" in row.error_message


def test_an_agent_that_hangs_up_before_the_last_turn_fails_and_at_the_last_one_does_not(tenant):
    make_agent({"text": "Goodbye!", "ended": True})
    run = replays(golden("g", list(gated(("Hi", "Which day?", "day"), ("Friday", "Booked!", "Booked")))))
    play()
    row = only(run)
    assert (row.status, row.blame, row.error_code) == ("failed", "agent_quality", "hung_up")
    assert (
        row.error_message == "Turn 1: the agent closed the conversation; 1 turn of the golden session was never sent."
    )
    assert said(row, "user") == [("user", "Hi")]
    last = replays(golden("h", list(gated(("Hi", "Goodbye!", "Goodbye")))))
    play()
    assert (only(last).status, only(last).end_reason) == ("ended", "agent_closed")


def test_a_file_that_could_only_be_named_is_the_transports_fault(tenant):
    make_agent("Please upload it.", *["Please upload it."] * 5)
    file = {"name": "Zelle.pdf", "sha256": FILE.sha256}
    turns = list(gated(("", "Thank you for the file.", "Thank you")))
    run = replays(golden("g", [{**turns[0], "file_attachment": file}, turns[1]]))
    play()
    row = only(run)
    assert (row.status, row.blame) == ("failed", "agent_transport")
    assert row.error_message.startswith("The transport scripted cannot upload Zelle.pdf")
