"""Replays of the finished campaign session on a clock that is not waited for, each turn behind its gate.

Agent and node are those of examples/pega, in this process; the gates are sensed from the session, the keeper is the
product's. What was really said is known here: each reply begins with a heading of its own step, in one of its wordings.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.core.patterns import Pattern, compile_pattern
from apps.runs.domain.gates import sense
from apps.runs.goldens.domain.gate_keeping import GateKeeper, GateState
from examples.pega import serving
from examples.pega.conversations import CampaignConversation
from examples.pega.node import Node, NodeSettings
from examples.pega.recorded import TURNS, add_finished_session
from examples.pega.switches import NodeFault
from examples.pega.wording import WORDS, Say

SAYS = tuple(Say)
SLOWEST_S = 60.0


class IdleClock:
    """The node's time: it moves when somebody sleeps, and at no other time."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.moment += timedelta(seconds=max(0.0, seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenTurn:
    """One turn of the session: what is sent, how long the reply took, and its gate."""

    text: str
    file: str
    golden_s: float
    gate: Pattern | None


@dataclass(slots=True, kw_only=True)
class Replay:
    """What came of one replay. `wrong` turns went on at another step's reply; `shut` had the right reply before a nudge
    or the end; `desync_at` is the turn that gave up, `real` whether the right reply had really not come."""

    wrong: list[int] = field(default_factory=list)
    shut: list[int] = field(default_factory=list)
    nudges: int = 0
    waited: int = 0
    desync_at: int | None = None
    real: bool = False
    seconds: float = 0.0


def golden_turns() -> list[GoldenTurn]:
    """The session's turns with their sensed gates."""
    node = Node(settings=NodeSettings())
    document: list[dict[str, Any]] = []
    sent: list[datetime] = []
    took: list[float] = []
    for message in add_finished_session(node).messages[1:]:
        if message.role == "USER":
            document.append({"role": "user", "content": message.content})
            sent.append(message.created)
        elif document[-1]["role"] == "assistant":
            document[-1]["content"] += f"\n\n{message.content}"
            took[-1] = (message.created - sent[-1]).total_seconds()
        else:
            document.append({"role": "assistant", "content": message.content})
            took.append((message.created - sent[-1]).total_seconds())
    gates = sense(document)
    return [
        GoldenTurn(text=text, file=file, golden_s=seconds, gate=compile_pattern(gate.pattern) if gate.pattern else None)
        for (text, file), seconds, gate in zip(TURNS, took, gates, strict=True)
    ]


class CampaignTalk:
    """One conversation with the agent in this process."""

    def __init__(self, *, faults: frozenset[NodeFault], seed: int, delays: bool, transcript: bool) -> None:
        settings = NodeSettings(faults=faults, seed=seed, delay_s=(0.0, SLOWEST_S) if delays else (0.0, 0.0))
        self.node, self.clock, self.transcript = Node(settings=settings), IdleClock(), transcript
        self.node.clock = self.clock  # type: ignore[assignment]
        self.conversation: CampaignConversation = serving.begin(self.node)[0]
        self._since = 0

    def send(self, text: str, file: str = "") -> tuple[str, float]:
        """The reply to a turn of the session, and its seconds."""
        self._since = len(self.conversation.messages)
        return self._take(text, ({"ID": file, "name": file},) if file else ())

    def nudge(self, text: str) -> str:
        """The reply to a nudge, which is no turn of its own."""
        return self._take(text, ())[0]

    def look(self) -> str | None:
        """What the agent said since the turn, as its transcript shows it by now; None without a transcript."""
        if not self.transcript:
            return None
        serving.settle(self.node, self.conversation)
        now, lag = self.clock.now(), self.node.lag
        rows = self.conversation.messages[self._since :]
        return "\n".join(row.content for row in rows if row.role == "ASSISTANT" and row.created + lag <= now)

    def _take(self, text: str, files: tuple[dict[str, str], ...]) -> tuple[str, float]:
        began = self.clock.now()
        reply, _ = serving.take(self.node, self.conversation, text, files)
        return reply, (self.clock.now() - began).total_seconds()


def shows(text: str, say: Say) -> bool:
    """Whether the reply of this step is in the text, under any of its headings."""
    words = WORDS[say]
    return any(heading in text for heading in (words.heading, *words.other_headings))


async def replay(turns: Sequence[GoldenTurn], talk: CampaignTalk) -> Replay:
    """All turns, each behind its gate, until the end or a desync."""
    found, began = Replay(), talk.clock.now()
    for number, (turn, say) in enumerate(zip(turns, SAYS, strict=True), 1):
        reply, reply_s = talk.send(turn.text, turn.file)
        said = [reply]
        there_before_nudge: list[bool] = []

        def right_so_far(said: list[str] = said, say: Say = say) -> bool:
            return any(shows(text, say) for text in (*said, talk.look() or ""))

        async def nudge(
            words: str, said: list[str] = said, before: list[bool] = there_before_nudge, right: Any = right_so_far
        ) -> str:
            before.append(right())
            said.append(talk.nudge(words))
            return said[-1]

        async def look() -> str | None:
            return talk.look()

        async def sleep(seconds: float) -> None:
            talk.clock.sleep(seconds)

        gate = turn.gate
        keeper = GateKeeper(
            is_open=gate.found_in if gate else lambda _: True, nudge=nudge, look_again=look, sleep=sleep
        )
        result = await keeper.keep(reply, reply_s=reply_s, golden_s=turn.golden_s)
        right = right_so_far()
        found.nudges += result.nudges
        found.waited += result.state is GateState.WAITED
        if any(there_before_nudge):
            found.shut.append(number)
        if result.state is GateState.DESYNC:
            found.desync_at, found.real = number, not right
            break
        if not right:
            found.wrong.append(number)
    found.seconds = (talk.clock.now() - began).total_seconds()
    return found


def fixed_delay(turns: Sequence[GoldenTurn], talk: CampaignTalk, *, delay_s: float) -> Replay:
    """The same without gates: a fixed time after each reply, then on."""
    found, began = Replay(), talk.clock.now()
    for number, (turn, say) in enumerate(zip(turns, SAYS, strict=True), 1):
        reply, _ = talk.send(turn.text, turn.file)
        talk.clock.sleep(delay_s)
        if not any(shows(text, say) for text in (reply, talk.look() or "")):
            found.wrong.append(number)
    found.seconds = (talk.clock.now() - began).total_seconds()
    return found


def replay_once(turns: Sequence[GoldenTurn], *, faults: frozenset[NodeFault], seed: int, transcript: bool) -> Replay:
    """One replay with replies after 0 to 60 s."""
    talk = CampaignTalk(faults=faults, seed=seed, delays=True, transcript=transcript)
    return asyncio.run(replay(turns, talk))
