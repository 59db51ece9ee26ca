"""A replay whose worker or agent was killed: gone on with where the transcript proves it, else anew, and said so."""

import asyncio
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from apps.connectors.agents.base import AgentSession
from apps.connectors.agents.capabilities import TranscriptMessage
from apps.connectors.errors import Unreachable
from apps.core.conversation import TurnRole, Utterance
from apps.runs.goldens.domain.gate_keeping import NUDGE
from apps.runs.goldens.queries.replayed import replayed_conversations
from apps.runs.models import Conversation
from apps.runs.playing.services.player_loop import PlayingWork
from apps.runs.playing.services.players.resuming import LOOKS, InterruptedReplay
from apps.tenants.services import update_workflow_config
from tests.examples.pega.calls import EXPECTED, ROOT, running
from tests.runs.stage import NOW, at, make_agent, make_work, only, play, replays, said
from tests.runs.test_replays import campaign, gated, golden, pega_agent

U, A = TurnRole.USER, TurnRole.ASSISTANT
WHEN = datetime(2026, 3, 1, tzinfo=UTC)


# --- What a transcript proves -----------------------------------------------------------------------------------------
class StoredTranscript:
    """An agent that has these messages, and from a given look on the later ones; one that is down where it says so."""

    reply_within_s = 30.0

    def __init__(self, *messages: tuple[TurnRole, str], later=(), from_look: int = 0, down: bool = False) -> None:
        self.messages, self.later, self.from_look, self.down, self.looks = messages, later, from_look, down, 0

    async def look_again(self, session, client):
        self.looks += 1
        if self.down:
            raise Unreachable("nobody listens", sent=False)
        shown = (*self.messages, *(self.later if self.looks >= self.from_look else ()))
        return tuple(TranscriptMessage(role=role, text=text, at=WHEN) for role, text in shown)

    def session_after(self, session, messages):
        return AgentSession(context_id=session.context_id, state={"seen": len(messages)})


SCRIPT = ("Hi", "Friday", "At ten")


def proven(agent, *before: tuple[TurnRole, str], age_s: float = 60, script=SCRIPT) -> list[tuple[TurnRole, str]] | None:
    async def sleep(_):
        pass

    sent_at = WHEN - timedelta(seconds=age_s)
    turns = [Utterance(role=role, content=text, ts=sent_at, nudge=role is U and text == NUDGE) for role, text in before]
    lost = InterruptedReplay(
        before=turns,
        script=[Utterance(role=U, content=text) for text in script],
        session=AgentSession(),
        client=None,
        sleep=sleep,
        clock=lambda: WHEN,
    )
    found = asyncio.run(lost.proven(agent))
    return None if found is None else [(turn.role, turn.content) for turn in found[0]]


HI, YES, FRIDAY, WHICH, TEN, DONE = (U, "Hi"), (A, "Yes?"), (U, "Friday"), (A, "Which hour?"), (U, "At ten"), (A, "OK")
GREETING, NUDGED = (A, "Welcome."), (U, NUDGE)


@pytest.mark.parametrize(
    "there, before, found",
    [
        ([GREETING, HI, YES], [HI, YES], [HI, YES]),
        ([GREETING, HI, YES, FRIDAY, WHICH], [HI, YES, FRIDAY], [HI, YES, FRIDAY, WHICH]),  # answered to nobody
        ([GREETING, HI, YES], [HI, YES, FRIDAY], [HI, YES]),  # the last one never arrived
        ([GREETING], [HI], []),
        ([GREETING], [], []),  # opened, and nothing was sent
        # sent, and not stored before the worker was lost: the next of the script, or nudges
        ([GREETING, HI, YES], [], [HI, YES]),
        ([GREETING, HI, YES, FRIDAY, WHICH], [HI, YES], [HI, YES, FRIDAY, WHICH]),
        ([GREETING, HI, YES, FRIDAY, WHICH], [HI], [HI, YES, FRIDAY, WHICH]),
        ([HI, YES, FRIDAY, WHICH, TEN, DONE], [HI], [HI, YES, FRIDAY, WHICH, TEN, DONE]),
        ([HI, YES, NUDGED, WHICH, FRIDAY, DONE], [HI, YES], [HI, YES, NUDGED, WHICH, FRIDAY, DONE]),
        ([HI, YES, NUDGED, WHICH, FRIDAY, DONE], [HI, YES, NUDGED], [HI, YES, NUDGED, WHICH, FRIDAY, DONE]),
        ([HI, YES, TEN, DONE], [HI, YES], None),  # not the next one
        ([HI, YES, FRIDAY, WHICH, TEN, DONE, FRIDAY, WHICH], [HI, YES], None),  # more than the script has
        ([GREETING, HI, YES, FRIDAY], [HI, YES, FRIDAY], None),  # taken and not answered: never sent again
        ([GREETING, HI, YES, FRIDAY], [HI, YES], None),
        ([GREETING], [HI, YES, FRIDAY], None),
        ([GREETING, (U, "Other"), YES], [HI, YES], None),
        ([(U, "Call +254712345678"), YES], [(U, "Call +254 7** *** 678"), YES], [(U, "Call +254 7** *** 678"), YES]),
    ],
)
def test_a_transcript_proves_where_a_replay_stands_or_it_does_not(there, before, found):
    assert proven(StoredTranscript(*there), *before) == found


def test_a_line_that_reads_like_a_nudge_proves_nothing():
    assert proven(StoredTranscript(HI, YES, NUDGED, WHICH), HI, YES, script=("Hi", NUDGE)) is None


@pytest.mark.parametrize("age_s, found", [(2, [HI, YES, FRIDAY, WHICH]), (21, None)])
def test_a_turn_that_was_taken_is_waited_for_until_its_time_is_over(age_s, found):
    """Thirty seconds a turn: ten looks are enough behind a turn two seconds old, and too many behind one of 21."""
    agent = StoredTranscript(HI, YES, FRIDAY, later=(WHICH,), from_look=10)
    assert proven(agent, HI, YES, FRIDAY, age_s=age_s) == found


def test_what_was_on_its_way_a_moment_ago_is_waited_for():
    agent = StoredTranscript(HI, YES, later=(FRIDAY, WHICH), from_look=3)
    assert proven(agent, HI, YES, age_s=1) == [HI, YES, FRIDAY, WHICH]


@pytest.mark.parametrize("before", [[], [HI], [HI, YES, FRIDAY]])
def test_an_agent_that_cannot_be_asked_proves_nothing(before):
    agent = StoredTranscript(down=True)
    assert proven(agent, *before) is None
    assert agent.looks == LOOKS


# --- Workers that are lost --------------------------------------------------------------------------------------------
def half_played(run, turns: int = 3) -> Conversation:
    """Played so far by a worker that was then told to stop."""
    stop = {"left": turns}

    def time_up() -> bool:
        stop["left"] -= 1
        return stop["left"] < 0

    play(work=PlayingWork(now=lambda: NOW, sleep=lambda _: asyncio.sleep(0), time_up=time_up))
    return only(run)


def test_a_second_worker_lost_before_it_stored_anything_costs_no_turn(tenant):
    with running("--lag-s", "0") as base:
        pega_agent(base)
        run = replays(campaign())
        before = half_played(run)
        assert len(said(before, "user")) > 0
        make_work(NOW).claim(1)
        make_work(at(61)).claim(1)  # the next one is lost, too
        play(at(122))
    row = only(run)
    assert (row.status, row.attempt, row.error_message) == ("ended", 3, "")
    assert row.extra["replay"]["resumed"] is True
    assert row.session["context_id"] == before.session["context_id"]
    assert len(said(row, "user")) == len(EXPECTED["turns"])


def test_what_was_through_in_a_lost_session_is_sent_in_the_next_one(tenant):
    """The lost session has no id: nothing can be proven, and the lines of its record are not through any more."""
    make_agent(*["ok"] * 9)
    run = replays(golden("g", list(gated(*[(f"line {n}", "ok", "ok") for n in range(4)]))))
    half_played(run)
    Conversation.objects.filter(run_id=run).update(session={})
    assert only(run).extra["replay"]["lines"]
    make_work(NOW).claim(1)

    stop = {"left": 1}

    def time_up() -> bool:
        stop["left"] -= 1
        return stop["left"] < 0

    play(at(61), work=PlayingWork(now=lambda: at(61), sleep=lambda _: asyncio.sleep(0), time_up=time_up))
    play(at(62))
    row = only(run)
    assert (row.status, row.extra["replay"]["resumed"]) == ("ended", False)
    assert said(row, "user") == [("user", f"line {n}") for n in range(4)]


def test_the_latency_of_a_reply_that_came_to_nobody_is_unknown(tenant):
    with running("--lag-s", "0") as base:
        pega_agent(base)
        run = replays(campaign())
        row = half_played(run)
        last = row.turns.last_attempt().order_by("position").last()
        assert last is not None
        position = max(row.extra["replay"]["lines"], key=int)
        lines = {key: one for key, one in row.extra["replay"]["lines"].items() if key != position}
        last.delete()  # the worker was killed before it could store the reply
        Conversation.objects.filter(pk=row.pk).update(extra={"replay": {"lines": lines}})
        make_work(NOW).claim(1)
        play(at(61))
    row = Conversation.objects.select_related("run").get(pk=row.pk)
    assert (row.status, row.extra["replay"]["resumed"]) == ("ended", True)
    timed = {one.position: one.latency_s for one in replayed_conversations([row])[row.pk].turns}
    assert [place for place, seconds in timed.items() if seconds is None] == [int(position)]


@pytest.mark.parametrize("rows_lost", [2, 5])
def test_turns_that_no_worker_could_store_are_taken_from_the_transcript(tenant, rows_lost):
    """The worker was ahead of its rows: the agent has turns that nobody stored."""
    with running("--lag-s", "0") as base:
        pega_agent(base)
        run = replays(campaign())
        row = half_played(run, 5)
        rows = list(row.turns.last_attempt().order_by("position"))
        stored = rows[: len(rows) - rows_lost]
        row.turns.filter(position__gte=len(stored)).delete()
        Conversation.objects.filter(pk=row.pk).update(extra={"replay": {"lines": {}}})
        make_work(NOW).claim(1)
        play(at(61))
    row = Conversation.objects.select_related("run").get(pk=row.pk)
    assert (row.status, row.extra["replay"]["resumed"]) == ("ended", True)
    assert [text for _, text in said(row, "user")] == [one["input"] for one in EXPECTED["turns"]]
    assert [one.gate for one in replayed_conversations([row])[row.pk].turns] == ["matched"] * len(EXPECTED["turns"])
    assert row.session["state"]["turns"] == len(EXPECTED["turns"])


def test_a_replay_that_is_stored_masked_is_gone_on_with(tenant):
    update_workflow_config(slug=tenant, changes={"store": "masked"})
    with running("--lag-s", "0") as base:
        pega_agent(base)
        name = campaign()
        run = replays(name)
        spec = only(run).spec
        turns = spec["golden"]["document"]["turns"]
        first = next(turn for turn in turns if turn["role"] == "user")
        first["content"] += " My phone is +254712345678."
        Conversation.objects.filter(run_id=run).update(spec=spec)
        row = half_played(run, 4)
        assert "+254 7** *** 678" in said(row, "user")[0][1]
        make_work(NOW).claim(1)
        play(at(61))
    row = only(run)
    assert (row.status, row.attempt, row.extra["replay"]["resumed"]) == ("ended", 2, True)
    assert "712345" not in str(said(row))


# --- Agents that are killed -------------------------------------------------------------------------------------------
class KilledAgent:
    """The campaign agent as a process; killed at a given look of the worker, and started again on its port."""

    def __init__(self) -> None:
        self.process, self.base = self.started("0")

    def started(self, port: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "examples.pega", "--port", port, "--lag-s", "0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert found is not None
        return process, found[0]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def again(self) -> None:
        self.process, _ = self.started(self.base.rpartition(":")[2])


@pytest.mark.parametrize("back", [True, False])
def test_an_agent_killed_in_the_middle_fails_the_replay_by_name(tenant, back):
    agent = KilledAgent()
    looks = {"left": 4}

    def time_up() -> bool:
        looks["left"] -= 1
        if looks["left"] == 0:
            agent.kill()
            if back:
                agent.again()
        return False

    try:
        pega_agent(agent.base)
        run = replays(campaign())
        play(work=PlayingWork(now=lambda: NOW, sleep=lambda _: asyncio.sleep(0), time_up=time_up))
    finally:
        agent.kill()
    row = only(run)
    assert (row.status, row.blame) == ("failed", "agent_transport")
    assert re.search(r"404|not found" if back else r"cannot be reached|refused|connect", row.error_message, re.I)
    assert 0 < len(said(row, "user")) < len(EXPECTED["turns"])


def test_a_worker_lost_with_an_agent_that_forgot_everything_starts_anew(tenant):
    agent = KilledAgent()
    try:
        pega_agent(agent.base)
        run = replays(campaign())
        half_played(run)
        make_work(NOW).claim(1)
        agent.kill()
        agent.again()
        play(at(61))
    finally:
        agent.kill()
    row = only(run)
    assert (row.status, row.attempt, row.error_message) == ("ended", 2, "")
    assert row.extra["replay"]["resumed"] is False
    assert len(said(row, "user")) == len(EXPECTED["turns"])
