"""What the agent keeps of one conversation, and what it gives back for one turn. Plain data."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from examples.booking_agent.language import Language
from examples.booking_agent.understanding import Asked

T = TypeVar("T")


def known(value: T | None) -> T:
    """A thing the booking has by now. Raises LookupError where a step was taken out of order (a bug)."""
    if value is None:
        raise LookupError("this step of the booking needs something that is not known yet")
    return value


class Payment(StrEnum):
    """Where the money stands."""

    OPEN = "open"
    PUSHED = "pushed"
    PAID = "paid"
    AT_SALON = "at_salon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool call the agent made during a turn, with what came back."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The shape in which the server publishes it."""
        return {"id": self.id, "name": self.name, "arguments": dict(self.arguments), "result": dict(self.result)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One reply. `ended` is True when the agent itself closed the conversation with it."""

    text: str
    language: Language
    tools: tuple[Tool, ...] = ()
    ended: bool = False


@dataclass(slots=True, kw_only=True)
class Memory:
    """One conversation. `key` seeds the choice of phrases: the first message, so that a replay reads the same."""

    key: str = ""
    turns: int = 0
    language: Language | None = None
    asked: Asked = Asked.NOTHING
    asks: dict[Asked, int] = field(default_factory=dict)
    service: str | None = None
    family: str | None = None
    day: dt.date | None = None
    period: str | None = None
    time: dt.time | None = None
    wanted_time: dt.time | None = None
    offered: tuple[dt.time, ...] = ()
    looked_up: dt.date | None = None
    slots: tuple[dt.time, ...] = ()
    name: str | None = None
    name_given_up: bool = False
    phone: str | None = None
    said_price: bool = False
    booked: bool = False
    booked_time: dt.time | None = None  # as told to the customer
    payment: Payment = Payment.OPEN
    prefers: Payment | None = None  # said before it was asked
    pushes: int = 0
    cancelled: bool = False
    ended: bool = False
    hurried: bool = False
    relapses: set[str] = field(default_factory=set)
    used: dict[str, int] = field(default_factory=dict)
    tool_count: int = 0

    @property
    def settled(self) -> bool:
        """Booked and the money question answered: only goodbye is left."""
        return self.booked and self.payment in (Payment.PAID, Payment.AT_SALON)
