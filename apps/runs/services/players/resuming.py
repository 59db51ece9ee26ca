"""Where a replay stands whose worker was lost: proven by the agent's own transcript, or not at all."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from apps.connectors.agents.base import AgentSession
from apps.connectors.agents.capabilities import KeepsTranscript, TranscriptMessage
from apps.connectors.errors import ConnectorError
from apps.core.conversation import TurnRole, Utterance

LOOKS = 4  # the transcript is about two seconds behind (seeds 004, ADR-008): a first look and three more
LOOK_EVERY_S = 2.0


async def proven_turns(
    agent: KeepsTranscript,
    before: Sequence[Utterance],
    *,
    session: AgentSession,
    client: Any,
    sleep: Callable[[float], Awaitable[Any]],
    clock: Callable[[], Any],
) -> list[Utterance] | None:
    """The lost attempt's turns as far as the agent has them, with a reply that came when nobody was there to store it;
    None where the transcript does not prove it.

    It proves it where the agent has every user turn that was stored, word by word, or all but the last one: then that
    one was never delivered. A turn that it has and has not answered proves nothing: it can be neither waited for
    without end nor sent again. At most LOOKS looks; sends nothing.
    """
    sent = [turn for turn in before if turn.role == TurnRole.USER]
    messages: tuple[TranscriptMessage, ...] | None = None
    for look in range(LOOKS):
        if look:
            await sleep(LOOK_EVERY_S)
        try:
            messages = await agent.look_again(session, client)
        except ConnectorError:
            continue
        if len(_users(messages)) >= len(sent) and (not messages or messages[-1].role == TurnRole.ASSISTANT):
            break
    if messages is None:
        return None
    there = _users(messages)
    if [_plain(text) for text in there] != [_plain(turn.content) for turn in sent][: len(there)]:
        return None
    if len(there) == len(sent):
        whole = [*before, *_reply_that_came(messages, before, clock)]
        return None if whole and whole[-1].role == TurnRole.USER else whole
    if len(there) == len(sent) - 1 and before[-1].role == TurnRole.USER:
        return list(before[:-1])  # the last turn never arrived
    return None


def _reply_that_came(
    messages: Sequence[TranscriptMessage], before: Sequence[Utterance], clock: Callable[[], Any]
) -> list[Utterance]:
    if not before or before[-1].role != TurnRole.USER:
        return []
    last = max(at for at, message in enumerate(messages) if message.role == TurnRole.USER)
    return [
        Utterance(role=TurnRole.ASSISTANT, content=message.text, ts=message.at or clock())
        for message in messages[last + 1 :]
        if message.text.strip()
    ]


def _users(messages: Sequence[TranscriptMessage]) -> list[str]:
    return [message.text for message in messages if message.role == TurnRole.USER]


def _plain(text: str) -> str:
    return " ".join(text.split())
