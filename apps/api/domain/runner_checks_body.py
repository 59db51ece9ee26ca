"""The body of what a runner checked on the agent's own side."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import MaxLen, MinLen

from apps.api.domain.request_fields import Id
from apps.core.shapes import NOT_BLANK, Shape, Text, described


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerCheck(Shape):
    """One assertion of one conversation, and what it came to."""

    conversation: Id
    assertion: Annotated[Text, MaxLen(200), NOT_BLANK, described("As it is written; once a conversation.")]
    outcome: Annotated[Literal["pass", "fail", "skipped"], described("skipped: it could not be checked there.")]
    reason: Annotated[Text, MaxLen(2000)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerChecksRequest(Shape):
    """What only the agent's own side can check: its rows, its log, its state machine."""

    results: Annotated[list[RunnerCheck], MinLen(1), MaxLen(5000)]
