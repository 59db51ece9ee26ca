"""One message of a conversation, from acceptance to the reply, with everything that may go wrong on the way."""

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

from examples.pega import spoiling, understanding
from examples.pega.campaign import Spoken, reply
from examples.pega.conversations import CampaignConversation, Message, Pending
from examples.pega.node import Node
from examples.pega.switches import NodeFault, Variant
from examples.pega.wording import GREETING, GREETING_HTML, WORDS

ACKNOWLEDGEMENT = "One moment please, I am working on it."
STORMY_TURNS, STORM_REPEATS = (3, 8), 3
DEADLY_TURN = 5


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """The message was not taken: an HTTP status and Pega's words for it."""

    status: int
    classification: str
    message: str
    detail: str


class ConnectionDropped(Exception):
    """The connection is to be cut without an answer."""


def begin(node: Node, *, context_id: str = "") -> tuple[CampaignConversation, Message]:
    """A new conversation with its greeting."""
    now = node.clock.now()
    conversation = node.archive.begin(context_id=context_id, now=now)
    return conversation, node.archive.add(conversation, "ASSISTANT", GREETING, at=now, html=GREETING_HTML)


def take(
    node: Node, conversation: CampaignConversation, text: str, files: tuple[dict[str, str], ...]
) -> tuple[str, str]:
    """Accept one message and answer it: the reply and its id. Raises Refused or ConnectionDropped."""
    if not conversation.lock.acquire(blocking=False):
        raise locked(conversation)
    try:
        settle(node, conversation)
        if conversation.closed:
            raise Refused(409, "Conflict", "Error_Conversation_Closed", f"{conversation.id} is closed")
        spoken = _answered(node, conversation, text, files)
        if spoken is not None:
            return spoken
    finally:
        conversation.lock.release()
    raise ConnectionDropped


def locked(conversation: CampaignConversation) -> Refused:
    """Somebody else works on this conversation."""
    return Refused(423, "Locked", "Error_Resource_Locked", f"{conversation.id} is locked by another request")


def stormy(node: Node, conversation: CampaignConversation) -> None:
    """Raise what a node under a storm answers before it takes a message; on AgentX only."""
    turn = conversation.taken + 1
    before = conversation.refused.get(str(turn), 0)
    storm = turn in STORMY_TURNS and before < STORM_REPEATS
    if (node.has(NodeFault.STORM_423) and storm) or (node.has(NodeFault.LOCKED_ONCE) and turn == 1 and before < 1):
        conversation.refused[str(turn)] = before + 1
        raise locked(conversation)
    if node.has(NodeFault.STORM_500) and storm:
        conversation.refused[str(turn)] = before + 1
        raise Refused(500, "Internal Server Error", "Error_Internal_Server", "The node is busy; nothing was taken")


def settle(node: Node, conversation: CampaignConversation) -> None:
    """Put a late reply into the transcript once it is ready."""
    pending = conversation.pending
    if pending and pending.ready <= node.clock.now():
        conversation.pending, conversation.undelivered = None, pending.spoken
        _store(node, conversation, pending.spoken, at=pending.ready)


def settle_unless_busy(node: Node, conversation: CampaignConversation) -> None:
    """As settle, for one who only looks: while a message is in work there is nothing to settle."""
    if conversation.lock.acquire(blocking=False):
        try:
            settle(node, conversation)
        finally:
            conversation.lock.release()


def _answered(
    node: Node, conversation: CampaignConversation, text: str, files: tuple[dict[str, str], ...]
) -> tuple[str, str] | None:
    nudge = not files and understanding.is_nudge(text)
    dies = node.has(NodeFault.DIES_MID_TURN) and not nudge and conversation.taken + 1 == DEADLY_TURN
    if dies and not conversation.refused.get("died"):
        conversation.refused["died"] = 1
        if not node.has(Variant.DROPPED_TURN_LOST):
            _take_in(node, conversation, text, files)
            _later(node, conversation, _spoken(node, conversation, text, files))
        return None
    _take_in(node, conversation, text, files)
    if node.has(NodeFault.LATE_BY_ONE):
        spoken = _late(node, conversation, text, files, nudge)
    else:
        spoken = _spoken(node, conversation, text, files)
        node.clock.sleep(_thinking(node, conversation, spoken))
    return spoken.text, _store(node, conversation, spoken).id


def _take_in(node: Node, conversation: CampaignConversation, text: str, files: tuple[dict[str, str], ...]) -> None:
    node.archive.add(conversation, "USER", text, at=node.clock.now(), attachments=files)
    if files or not understanding.is_nudge(text):
        conversation.taken += 1


def _spoken(node: Node, conversation: CampaignConversation, text: str, files: tuple[dict[str, str], ...]) -> Spoken:
    faults, campaign = node.settings.faults, conversation.campaign
    wording = spoiling.wording_for(faults, conversation.chance)
    if spoiling.refuses(campaign, faults):
        return Spoken(parts=(spoiling.REFUSAL,), seconds=(5.0,))
    names = tuple(file["name"] for file in files)
    past = node.has(Variant.REFUSES_PAST_DATES)
    today = node.clock.now().date()
    spoken = reply(campaign, text, names, today=today, wording=wording, refuses_past_dates=past)
    if spoiling.closes(spoken, faults):
        conversation.closed = True
    return spoiling.spoil(spoken, campaign, faults)


def _late(
    node: Node, conversation: CampaignConversation, text: str, files: tuple[dict[str, str], ...], nudge: bool
) -> Spoken:
    """What is said at once while replies are late by one message."""
    pending, missed = conversation.pending, conversation.undelivered
    conversation.pending = conversation.undelivered = None
    if pending:  # one message after the other: the call waits for what is in work
        node.clock.sleep((pending.ready - node.clock.now()).total_seconds())
    if nudge:
        late = pending.spoken if pending else missed
        return late or _spoken(node, conversation, text, files)
    own = _spoken(node, conversation, text, files)
    seconds = _thinking(node, conversation, own) or own.seconds[-1]
    conversation.pending = Pending(spoken=own, ready=node.clock.now() + timedelta(seconds=seconds))
    return pending.spoken if pending else Spoken(parts=(ACKNOWLEDGEMENT,), seconds=(1.0,))


def _later(node: Node, conversation: CampaignConversation, spoken: Spoken) -> None:
    """The reply to a call that was dropped: it comes into the transcript when it is ready."""
    seconds = _thinking(node, conversation, spoken)
    if not seconds:
        _store(node, conversation, spoken)
        return
    timer = threading.Timer(seconds / node.settings.time_scale, _store, (node, conversation, spoken))
    timer.daemon = True
    timer.start()


def _thinking(node: Node, conversation: CampaignConversation, spoken: Spoken) -> float:
    low, high = (10.0, 60.0) if node.has(NodeFault.SLOW) else node.settings.delay_s
    pace = 3.0 if node.has(NodeFault.SLOWER_3X) else node.settings.pace
    return conversation.chance.uniform(low, high) + pace * spoken.seconds[-1]


def _store(node: Node, conversation: CampaignConversation, spoken: Spoken, *, at: datetime | None = None) -> Message:
    """All parts into the transcript; the last one is returned."""
    now, last = at or node.clock.now(), None
    for part in spoken.parts:
        html = WORDS[spoken.say].before_html if spoken.say and part == WORDS[spoken.say].before else ""
        last = node.archive.add(conversation, "ASSISTANT", part, at=now, html=html)
    assert last is not None  # noqa: S101 - a reply has at least one part
    return last
