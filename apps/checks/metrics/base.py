"""A metric, its input and its answer: plain data, no Django, no network of its own."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from apps.connectors.llms.base import LLMRequest
from apps.connectors.llms.registry import key_variables
from apps.core.digest import sha256_hex
from apps.core.errors import Fault, RatibaError
from apps.runs.goldens.domain.played_scenario import PlayedScenario
from apps.runs.goldens.domain.replayed import ReplayedConversation
from apps.statistics.decision import Decision

SCALE = "0-1"
"""Metrics answer from 0 to 1, and 1 is always good. They never enter a mean of criteria, which are 0 to 10."""


class MetricError(RatibaError):
    """Error of a metric that could measure nothing; never a pass, and never a zero. `code` says why."""

    code = "metric_error"
    fault = Fault.REMOTE


class NotApplicable(Exception):
    """Error of a conversation without the metric's subject. The text says what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One conversation as a metric reads it. `turns` are turns of the conversation document, numbered from 0.

    `role` says who the agent is and what it should refuse, `facts` what is true, `expected_outcome` what a complete
    conversation achieves, all from its profile; `warnings` are codes of what stood in for one (`no_profile`). `shares`
    are the languages of the agent's words (domain/language_pick). `replay` is there for a golden session played again,
    `scenario` for a battle whose scenario asserts something of tools or of its end.
    """

    id: str
    turns: tuple[Mapping[str, Any], ...]
    language: str = ""
    role: str = ""
    facts: tuple[str, ...] = ()
    expected_outcome: str = ""
    warnings: tuple[str, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)
    replay: ReplayedConversation | None = None
    scenario: PlayedScenario | None = None

    @property
    def agent_turns(self) -> list[int]:
        """Numbers of the turns in which the agent says something."""
        return [n for n, turn in enumerate(self.turns) if turn.get("role") == "assistant" and turn_text(turn).strip()]

    @property
    def digest(self) -> str:
        """The digest of everything that a score depends on, 64 hex digits."""
        fields_that_count = ("role", "content", "tool_calls", "tool_call_id", "name")
        turns = [{key: turn.get(key) or "" for key in fields_that_count} for turn in self.turns]
        outcome = {"expected_outcome": self.expected_outcome} if self.expected_outcome else {}
        context = {"role": self.role, "facts": list(self.facts), "shares": dict(self.shares), **outcome}
        return sha256_hex({"turns": turns, **context})


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredMetric:
    """The finding of a metric: `score` from 0 to 1. Evidence entries are {"turn"?, "quote"?, "kind", …}. `position` is
    the turn it is about, where it is about one. `decision` is set where the score alone does not say it (an
    interval)."""

    score: float
    reason: str
    evidence: tuple[Mapping[str, Any], ...] = ()
    position: int | None = None
    decision: Decision | None = None


class MetricJudge(Protocol):
    """A model that answers one question; whoever makes it meters every call."""

    @property
    def name(self) -> str:
        """Provider and model."""
        ...

    async def ask(self, request: LLMRequest) -> str:
        """The reply's text. Raises MetricError."""
        ...


Measure = Callable[[Case, MetricJudge | None], Awaitable[MeasuredMetric]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric. `threshold` is its own line where nobody gives another; `wording` is every text a judge is told and
    every list a rule reads, which `tests/checks/metrics/test_versions.py` binds to `version`; `calls` is how many
    questions it may ask about a case at most. `language` is set for fluency: it applies only where the agent speaks it.
    """

    name: str
    module: str
    version: str
    threshold: float
    wording: tuple[str, ...]
    measure: Measure
    calls: Callable[[Case], int]
    language: str = ""

    @property
    def id(self) -> str:
        """The metric's id as in cache keys: `swahili_fluency:1.0.0`."""
        return f"{self.module}:{self.version}"

    @property
    def digest(self) -> str:
        return sha256_hex(list(self.wording))


def turn_text(turn: Mapping[str, Any]) -> str:
    """The words of a turn."""
    return str(turn.get("content") or "")


def needs_judge(judge: MetricJudge | None, what: str) -> MetricJudge:
    """The judge. Raises MetricError `no_judge` where there is none: rules cannot answer this."""
    if judge is None:
        raise MetricError(
            f"{what} needs a judge, and no model is configured: set a key (one of {', '.join(key_variables())}) or the "
            "tenant's model for the role judge. The offline rules do not answer for it.",
            code="no_judge",
        )
    return judge


def quoted(turn: int, words: str, kind: str = "exact", **more: Any) -> dict[str, Any]:
    """Return the evidence entry for words quoted from a turn."""
    return {"turn": turn, "quote": words[:500], "kind": kind, **more}


def lines(*groups: Sequence[str]) -> tuple[str, ...]:
    """Join groups of texts into one tuple."""
    return tuple(text for group in groups for text in group)
