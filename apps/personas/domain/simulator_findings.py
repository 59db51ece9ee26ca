"""Findings about a simulated customer, and the verdict that follows. Plain data."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from apps.runs.domain.states import SimulatorVerdict


class FaultKind(StrEnum):
    """Kind of a simulated customer's fault.

    `broke`: a behaviour or the language of the persona; `leaked`: that it is a model, or its instructions; `helped`: it
    did the agent's work; `hindered`: it kept back or twisted what it had to tell, or left in the middle.
    """

    BROKE = "broke"
    LEAKED = "leaked"
    HELPED = "helped"
    HINDERED = "hindered"


class FaultRule(StrEnum):
    """The faults that a rule finds without any model."""

    LEAK = "leak"
    REFUSAL = "refusal"
    AGENT_LINES = "agent_lines"
    RECITED = "recited"
    LOOP = "loop"
    LANGUAGE_SWITCH = "language_switch"


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatorFinding:
    """One fault: in which turn (from 0), with the words that prove it. Only what is `critical` and `verified` (a rule
    found it, or the words stand in that turn of the customer) makes a battle invalid. A rule's finding is critical
    where no customer would say so; all else that a rule finds is told beside the battle."""

    kind: FaultKind
    turn: int | None
    quote: str
    why: str
    rule: str = ""
    behaviour: str = ""
    should_have: str = ""
    critical: bool = True
    verified: bool = True

    @property
    def decides(self) -> bool:
        """Tell whether this one finding makes the battle invalid."""
        return self.critical and self.verified

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}


def verdict_of(findings: Sequence[SimulatorFinding], *, asked: bool) -> SimulatorVerdict:
    """The gravest of what counts: a leak before a broken part before help before hindrance. Without any, `kept` where a
    model was asked and `unmeasured` where none was."""
    kinds = {finding.kind for finding in findings if finding.decides}
    for kind in (FaultKind.LEAKED, FaultKind.BROKE, FaultKind.HELPED, FaultKind.HINDERED):
        if kind in kinds:
            return SimulatorVerdict(kind.value)
    return SimulatorVerdict.KEPT if asked else SimulatorVerdict.UNMEASURED
