"""This module describes a played scenario in the form that assertions read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_ratiba.errors import ProjectError


class AssertionSetupError(ProjectError):
    """An assertion cannot be checked as it is written: which key, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOutcome:
    """A played scenario.

    `turns` are those of the conversation document (`role`, `content`, `tool_calls`, `latency_ms`); `transitions` are
    (from, event, to) in order; `log` are the event log's lines as mappings with an `event_type`; `connect` opens a
    connection into the scenario's schema; `folder` is where files named by assertions stand.
    """

    turns: Sequence[Mapping[str, Any]] = ()
    transitions: Sequence[tuple[str, str, str]] = ()
    state: str | None = None
    log: Sequence[Mapping[str, Any]] = ()
    connect: Any = None
    folder: Path = field(default_factory=Path)

    @property
    def replies(self) -> list[Mapping[str, Any]]:
        """The agent's turns with words, in order."""
        return [turn for turn in self.turns if turn.get("role") == "assistant" and turn.get("content")]
