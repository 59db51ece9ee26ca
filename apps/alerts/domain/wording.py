"""What a message says: one subject, one line an alert, the worst first. Plain text; each channel dresses it."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.plurals import many

MOST_LINES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageLine:
    """One alert: what is wrong, and where to look."""

    rule: str
    severity: str
    sentence: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """`id` stays the same for every attempt and channel."""

    id: str
    tenant: str
    lines: Sequence[MessageLine]
    url: str
    count: int

    @property
    def subject(self) -> str:
        if self.count == 1:
            return f"[{self.tenant}] {self.lines[0].sentence}"[:200]
        return f"[{self.tenant}] {many(self.count, 'alert')}: {self.lines[0].sentence}"[:200]

    @property
    def text(self) -> str:
        """Every alert with its address, then how many more there are."""
        said = [f"{one.severity.upper()}: {one.sentence}" + (f"\n  {one.url}" if one.url else "") for one in self.lines]
        more = self.count - len(self.lines)
        rest = [f"… and {many(more, 'more alert')}"] if more else []
        return "\n".join([*said, *rest, "", f"All alerts: {self.url}"])
