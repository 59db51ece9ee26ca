"""The words of a message: one subject, one line an alert, the worst first. Plain text; each channel dresses it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from apps.core.plurals import many

MAX_LINES = 20


class AlertEvent(StrEnum):
    """The event of a message: a condition is wrong, or is not seen any more."""

    OPENED = "alert.opened"
    RESOLVED = "alert.resolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageLine:
    """One alert: what is wrong, and where to look."""

    rule: str
    severity: str
    sentence: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Message about alerts.

    `id` stays the same for every attempt and channel. `seen_at`: when the rules were looked at.
    """

    id: str
    tenant: str
    lines: Sequence[MessageLine]
    url: str
    count: int
    seen_at: datetime
    event: AlertEvent = AlertEvent.OPENED

    @property
    def subject(self) -> str:
        over = "No longer so: " if self.event is AlertEvent.RESOLVED else ""
        many_alerts = f"{many(self.count, 'alert')}: " if self.count > 1 else ""
        return f"[{self.tenant}] {over}{many_alerts}{self.lines[0].sentence}"[:200]

    @property
    def text(self) -> str:
        """Every alert with its address, then how many more there are, and when that was seen."""
        over = self.event is AlertEvent.RESOLVED
        said = [
            f"{'NO LONGER SO' if over else line.severity.upper()}: {line.sentence}"
            + (f"\n  {line.url}" if line.url else "")
            for line in self.lines
        ]
        more = self.count - len(self.lines)
        rest = [f"… and {many(more, 'more alert')}"] if more else []
        seen = f"Seen at {self.seen_at.astimezone(UTC):%H:%M UTC on %-d %B %Y}."
        return "\n".join([*said, *rest, "", seen, f"All alerts: {self.url}"])
