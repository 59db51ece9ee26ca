"""A replay whose worker or agent was killed: gone on with where the transcript proves it, else anew, and said so."""

import asyncio
import re
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from apps.connectors.agents.base import AgentSession
from apps.connectors.agents.capabilities import TranscriptMessage
from apps.connectors.errors import Unreachable
from apps.core.conversation import TurnRole, Utterance
from apps.runs.models import Conversation
from apps.runs.queries.replayed import replayed_conversations
from apps.runs.services.players.resuming import LOOKS, proven_turns
from apps.runs.services.playing import PlayingWork
from tests.examples.pega.calls import EXPECTED, ROOT, running
from tests.runs.stage import NOW, at, make_agent, make_work, only, play, replays, said
from tests.runs.test_replays import campaign, gated, golden, pega_agent

U, A = TurnRole.USER, TurnRole.ASSISTANT
WHEN = datetime(2026, 3, 1, tzinfo=UTC)


# --- What a transcript proves -----------------------------------------------------------------------------------------
class StoredTranscript:
    """An agent that has these messages; one that is down where they are None."""

    def __init__(self, *messages: tuple[TurnRole, str], down: bool = False) -> None:
        self.messages, self.down, self.looks = messages, down, 0

    async def look_again(self, session, client):
        self.looks += 1
        if self.down:
            raise Unreachable("nobody listens", sent=False)
        return tuple(TranscriptMessage(role=role, text=text, at=WHEN) for role, text in self.messages)


def proven(agent: StoredTranscript, *before: tuple[TurnRole, str]) -> list[tuple[TurnRole, str]] | None:
    async def sleep(_):
        pass

    turns = [Utterance(role=role, content=text) for role, text in before]
    found = asyncio.run(
        proven_turns(agent, turns, session=AgentSession(), client=None, sleep=sleep, clock=lambda: WHEN)
    )
    return None if found is None else [(turn.role, turn.content) for turn in found]


HI, YES, FRIDAY, WHICH = (U, "Hi"), (A, "Yes?"), (U, "Friday"), (A, "Which hour?")
GREETING = (A, "Welcome.")


@pytest.mark.parametrize(
    "there, before, found",
    [
        ([GREETING, HI, YES], [HI, YES], [HI, YES]),
        ([GREETING, HI, YES, FRIDAY, WHICH], [HI, YES, FRIDAY], [HI, YES, FRIDAY, WHICH]),  # answered to nobody
        ([GREETING, HI, YES], [HI, YES, FRIDAY], [HI, YES]),  # the last one never arrived
        ([GREETING], [HI], []),
        ([GREETING], [], []),  # opened, and nothing was sent
        ([GREETING, HI, YES], [], None),  # sent, and not stored before the worker was lost
        ([GREETING, HI, YES, FRIDAY, WHICH], [HI, YES], None),
        ([GREETING, HI, YES, FRIDAY], [HI, YES, FRIDAY], None),  # taken and not answered: never sent again
        ([GREETING], [HI, YES, FRIDAY], None),
        ([GREETING, (U, "Other"), YES], [HI, YES], None),
    ],
)
def test_a_transcript_proves_where_a_replay_stands_or_it_does_not(there, before, found):
    assert proven(StoredTranscript(*there), *before) == found


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
