"""Find the line that a replay had reached whose worker was lost.

The agent's own transcript proves it, or nothing does.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from apps.connectors.agents.base import AgentSession
from apps.connectors.agents.capabilities import KeepsTranscript, TranscriptMessage
from apps.connectors.errors import ConnectorError
from apps.core.conversation import TurnRole, Utterance
from apps.core.redaction import redact
from apps.runs.goldens.domain.gate_keeping import LOOK_EVERY_S, NUDGE

LOOKS = 4  # the transcript is about two seconds behind (brief 004): a first look and three more
SETTLED_S = LOOKS * LOOK_EVERY_S  # what was sent at the time of the last stored turn is in the transcript by then


@dataclass(slots=True, kw_only=True)
class InterruptedReplay:
    """A lost worker's attempt: `before` are the turns it stored, `script` all turns of the customer as this transport
    says them. `sleep` waits; what it was asked for counts as waited, so that a test's clock may stand still."""

    before: Sequence[Utterance]
    script: Sequence[Utterance]
    session: AgentSession
    client: Any
    sleep: Callable[[float], Awaitable[Any]]
    clock: Callable[[], Any]
    messages: Sequence[TranscriptMessage] | None = field(default=None, init=False)

    async def proven(self, agent: KeepsTranscript) -> tuple[list[Utterance], AgentSession] | None:
        """Return the attempt's turns as far as the agent has them, and the session after them.

        Turns that nobody was there to store are among them. None where the transcript does not prove it.

        It proves it where the agent has every user turn that was stored, word by word, and behind them nothing but the
        next ones of the script or nudges: the worker was lost between sending and storing. Or where it has all but the
        last one stored: then that one was never delivered. A turn that it has and does not answer in its time proves
        nothing: it can be neither waited for without end nor sent again. Sends nothing; looks LOOKS times, or until the
        last turn's time is over.
        """
        await self._look(agent)
        turns = self._compared()
        return None if turns is None else (turns, agent.session_after(self.session, self.messages or ()))

    async def _look(self, agent: KeepsTranscript) -> None:
        last = self.before[-1].ts if self.before else None
        age_s = (self.clock() - last).total_seconds() if last else max(SETTLED_S, agent.reply_within_s)
        looks = 0
        while True:
            with suppress(ConnectorError):  # it may answer the next time
                self.messages = await agent.look_again(self.session, self.client)
            looks += 1
            there = self.messages or ()
            open_turn = bool(there) and there[-1].role == TurnRole.USER
            whole = self.messages is not None and len(_users(there)) >= len(self._sent()) and not open_turn
            if age_s >= (agent.reply_within_s if open_turn else SETTLED_S) and (whole or looks >= LOOKS):
                return
            await self.sleep(LOOK_EVERY_S)
            age_s += LOOK_EVERY_S

    def _sent(self) -> list[Utterance]:
        return [turn for turn in self.before if turn.role == TurnRole.USER]

    def _compared(self) -> list[Utterance] | None:
        if self.messages is None:
            return None
        sent, there = self._sent(), _users(self.messages)
        if not all(same_words(text, turn.content) for text, turn in zip(there, sent, strict=False)):
            return None
        if len(there) < len(sent):
            arrived = list(self.before[:-1]) if self.before[-1].role == TurnRole.USER else None
            return arrived if len(there) == len(sent) - 1 else None  # the last turn never arrived
        return self._with_what_came(len(sent))

    def _with_what_came(self, stored: int) -> list[Utterance] | None:
        """The stored turns, and those that the agent has behind its customer's message number `stored`."""
        left = list(self.script[sum(1 for turn in self._sent() if not turn.nudge) :])
        turns, seen = list(self.before), 0
        unanswered = bool(turns) and turns[-1].role == TurnRole.USER
        for message in self.messages or ():
            by_customer = message.role == TurnRole.USER
            seen += by_customer
            if by_customer and seen > stored:
                turn = _turn_of_words(message.text, left)
                if turn is None:
                    return None
                turns.append(self._of_now(turn, message))
            elif not by_customer and message.text.strip() and (seen > stored or (seen == stored and unanswered)):
                turns.append(self._of_now(Utterance(role=TurnRole.ASSISTANT, content=message.text), message))
        return None if turns and turns[-1].role == TurnRole.USER else turns

    def _of_now(self, turn: Utterance, message: TranscriptMessage) -> Utterance:
        return replace(turn, ts=message.at or self.clock())


def _turn_of_words(text: str, left: list[Utterance]) -> Utterance | None:
    """The turn that these words are: the next one of the script, which is taken from `left`, or a nudge. None where
    they are neither, or might be both."""
    nudge = same_words(text, NUDGE)
    scripted = bool(left) and same_words(text, left[0].content)
    if nudge == scripted:
        return None
    return left.pop(0) if scripted else Utterance(role=TurnRole.USER, content=NUDGE, nudge=True)


def _users(messages: Sequence[TranscriptMessage]) -> list[str]:
    return [message.text for message in messages if message.role == TurnRole.USER]


def same_words(there: str, stored: str) -> bool:
    """Tell whether a message of a transcript is a stored one, which may have been masked."""
    return _plain(there) == _plain(stored) or _plain(redact(there)) == _plain(stored)


def _plain(text: str) -> str:
    return " ".join(text.split())
