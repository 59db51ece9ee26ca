"""What the node keeps: conversations with their messages, uploads, and how to find them. Safe between threads."""

import itertools
import random
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from examples.pega.campaign import Campaign, Spoken

FIRST_LIVE_NUMBER = 5001


@dataclass(slots=True, kw_only=True)
class Message:
    """One row of a transcript. `html` is what the data view keeps, where it differs from `content`."""

    id: str
    role: str
    content: str
    created: datetime
    html: str = ""
    attachments: tuple[dict[str, str], ...] = ()
    liked: bool | None = None


@dataclass(slots=True, kw_only=True)
class Pending:
    """A reply that is not ready yet."""

    spoken: Spoken
    ready: datetime


@dataclass(slots=True, kw_only=True)
class CampaignConversation:
    """One conversation and its case. `taken` counts the messages that were accepted, nudges apart."""

    id: str
    context_id: str
    created: datetime
    campaign: Campaign
    chance: random.Random
    name: str = "Campaign Assistant"
    messages: list[Message] = field(default_factory=list)
    closed: bool = False
    live: bool = True
    taken: int = 0
    pending: Pending | None = None
    undelivered: Spoken | None = None
    refused: dict[str, int] = field(default_factory=dict)
    first_look: datetime | None = None
    stage_looks: int = 0
    revision: int = 1
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def updated(self) -> datetime:
        """When the last message came."""
        return self.messages[-1].created if self.messages else self.created

    def visible(self, now: datetime, lag: timedelta) -> list[Message]:
        """What the data view shows: nothing at the first look and `lag` after it, then what is older than `lag`."""
        if self.first_look is None:
            self.first_look = now
        if now < self.first_look + lag:
            return []
        return [message for message in self.messages if message.created + lag <= now]


class Archive:
    """All conversations and uploads of the node."""

    def __init__(self, *, seed: int) -> None:
        self._seed = seed
        self._by_id: dict[str, CampaignConversation] = {}
        self._uploads: dict[str, str] = {}
        self._numbers, self._messages, self._files = (
            itertools.count(FIRST_LIVE_NUMBER),
            itertools.count(1),
            itertools.count(1),
        )
        self._lock = threading.Lock()

    def begin(self, *, context_id: str, now: datetime, number: int | None = None) -> CampaignConversation:
        """A new conversation with its case; a number is taken where none is given."""
        with self._lock:
            number = next(self._numbers) if number is None else number
            conversation = CampaignConversation(
                id=f"PXCONV-{number}",
                context_id=context_id,
                created=now,
                campaign=Campaign(number=number),
                chance=random.Random(f"{self._seed}-{number}"),
            )
            self._by_id[conversation.id] = conversation
        return conversation

    def find(self, conversation_id: str) -> CampaignConversation | None:
        """The conversation of that id."""
        return self._by_id.get(conversation_id)

    def of_case(self, business_id: str) -> CampaignConversation | None:
        """The conversation whose case it is."""
        with self._lock:
            return next((one for one in self._by_id.values() if one.campaign.case_id == business_id), None)

    def every(self) -> list[CampaignConversation]:
        """All of them, newest first."""
        with self._lock:
            return sorted(self._by_id.values(), key=lambda one: (one.created, one.id), reverse=True)

    def add(
        self,
        conversation: CampaignConversation,
        role: str,
        content: str,
        *,
        at: datetime,
        html: str = "",
        attachments: tuple[dict[str, str], ...] = (),
    ) -> Message:
        """Append a message under a new id."""
        message = Message(
            id=f"MSG-{next(self._messages)}", role=role, content=content, created=at, html=html, attachments=attachments
        )
        conversation.messages.append(message)
        conversation.revision += 1
        return message

    def keep_upload(self, name: str) -> str:
        """Remember an upload; its temporary id."""
        with self._lock:
            upload_id = f"TEMP-{next(self._files):06d}"
            self._uploads[upload_id] = name
        return upload_id

    def upload_name(self, upload_id: str) -> str | None:
        """The name of an upload, or None."""
        return self._uploads.get(upload_id)
