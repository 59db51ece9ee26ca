"""Getting one turn to a Pega agent, once: what to do when it is locked, or when no answer comes back.

Locked (423): wait with back-off, within the turn's time. No answer although something may have arrived: look at the
conversation before anything is sent again. Is the turn in it, its reply counts, or is waited for. Is it not, and is
there time, it goes out once more; that one being locked out means that the first is still at work.
"""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from apps.connectors.agents.base import AgentSession
from apps.connectors.agents.capabilities import TranscriptMessage
from apps.connectors.errors import ConnectorError, RemoteFailure, Unreachable
from apps.connectors.pega.conversations import AgentXAnswer
from apps.connectors.pega.errors import ConversationLocked
from apps.core.conversation import TurnRole

LOCKED_PAUSE_S, MAX_LOCKED_PAUSE_S = 0.5, 5.0  # first wait on a lock, doubled each time up to the second
LOOKS = 4  # a first look and three more: the transcript may lag (brief 004)
_GATEWAY = (502, 503, 504)  # said by what stands in front of the agent: the turn may have arrived

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class TurnDelivery:
    """One turn under way. `send` sends it, given the seconds that are left; `transcript` reads the conversation;
    `earlier` tells the messages that were there before this turn (their last id, and how many were the customer's)."""

    send: Callable[[float], Awaitable[AgentXAnswer]]
    transcript: Callable[[], Awaitable[tuple[TranscriptMessage, ...]]]
    earlier: tuple[str, int]
    timeout_s: float
    look_again_s: float
    who: str
    sleep: Sleep
    clock: Callable[[], float] = time.monotonic

    async def deliver(self) -> AgentXAnswer:
        """The agent's answer. Raises Unreachable (timed out) when the time is over, and what `send` raises."""
        ends, lost, pause = self.clock() + self.timeout_s, None, LOCKED_PAUSE_S
        while True:
            try:
                return await self.send(max(ends - self.clock(), 0.001))
            except ConversationLocked as error:
                if self.clock() + pause >= ends:
                    raise self._time_is_over(lost, error) from error
            except (Unreachable, RemoteFailure) as error:
                if not _may_have_arrived(error):
                    raise
                answer = await self._look(ends)
                if answer is not None:
                    return answer
                if lost is not None or self._late(error, ends):
                    raise
                lost = error
                continue
            await self.sleep(pause)
            pause = min(pause * 2, MAX_LOCKED_PAUSE_S)
            if lost is not None:
                answer = await self._look(ends)
                if answer is not None:
                    return answer

    async def _look(self, ends: float) -> AgentXAnswer | None:
        """The reply to this turn in the transcript; None where the turn is not there. Raises Unreachable where it is
        there and no reply comes. Looks for as long as the transcript may lag, or the turn has time."""
        looks = 0
        while True:
            await self.sleep(self.look_again_s)
            new = _after(await self.transcript(), self.earlier)
            looks += 1
            replies = [message for message in new[1:] if message.role is TurnRole.ASSISTANT]
            if replies:
                words = "\n\n".join(message.text for message in replies)
                return AgentXAnswer(text=words, message_id=replies[-1].message_id)
            if looks >= LOOKS and not new:
                return None
            if looks >= LOOKS and self.clock() + self.look_again_s >= ends:
                raise Unreachable(f"{self.who} took the turn and did not answer it in time", timed_out=True)

    def _late(self, error: ConnectorError, ends: float) -> bool:
        timed_out = isinstance(error, Unreachable) and error.timed_out
        return timed_out or isinstance(error, RemoteFailure) or self.clock() >= ends

    def _time_is_over(self, lost: ConnectorError | None, error: ConversationLocked) -> ConnectorError:
        return lost or Unreachable(
            f"{self.who}: the conversation was still locked by another request after {self.timeout_s:g} s",
            timed_out=True,
            sent=False,
            status=error.status,
        )


def after_turn(session: AgentSession, answer: AgentXAnswer) -> AgentSession:
    """The session with the turn counted and the id of its reply."""
    state = {**session.state, "turns": int(session.state.get("turns", 0)) + 1}
    state |= {"message_id": answer.message_id} if answer.message_id else {}
    return AgentSession(context_id=session.context_id, state=state)


def after_transcript(session: AgentSession, messages: Sequence[TranscriptMessage]) -> AgentSession:
    """The session behind these messages: the next turn is none of them."""
    state = {key: value for key, value in session.state.items() if key != "message_id"}
    state["turns"] = sum(1 for message in messages if message.role is TurnRole.USER)
    if messages and messages[-1].message_id:
        state["message_id"] = messages[-1].message_id
    return AgentSession(context_id=session.context_id, state=state)


def _may_have_arrived(error: ConnectorError) -> bool:
    if isinstance(error, Unreachable):
        return error.sent
    return error.status in _GATEWAY


def _after(messages: tuple[TranscriptMessage, ...], earlier: tuple[str, int]) -> list[TranscriptMessage]:
    """The messages of this turn: from the first of the customer's that was not there before."""
    last_id, customer_turns = earlier
    ids = [message.message_id for message in messages]
    if last_id and last_id in ids:
        rest = list(messages[ids.index(last_id) + 1 :])
        places = [place for place, message in enumerate(rest) if message.role is TurnRole.USER]
        return rest[places[0] :] if places else []
    places = [place for place, message in enumerate(messages) if message.role is TurnRole.USER]
    return list(messages[places[customer_turns] :]) if len(places) > customer_turns else []
