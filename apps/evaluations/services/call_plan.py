"""Which questions one judgement asks: of the judge, of a second judge on a share, of a panel where a score fails.

Everything is known before anybody is asked, so that kept answers are looked up for a whole batch at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.connectors.llms.base import LLM

BUDGET = "budget"  # why a cross-check was left out


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelMember:
    """A further judge. It has no fallback: another model would be another opinion."""

    llm: LLM
    role: str

    @property
    def identity(self) -> dict[str, Any]:
        """Which model on which server, as JSON."""
        return {**self.llm.spec.identity(), "model": self.llm.spec.model}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One question to one model: about all criteria (`criteria` empty) or about some, for the `repeat`-th time.

    `key` is what its answer is kept under; None where nothing is kept.
    """

    purpose: Purpose
    llm: LLM
    fallback: LLM | None = None
    criteria: tuple[str, ...] = ()
    repeat: int = 1
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """What is asked for certain (`judge`, `cross_check`), and what is asked where a score fails (`panel`).

    A model that cross-checks and sits on the panel is asked once: it is then the same Question. `left_out` says why a
    conversation that was chosen for the cross-check has none.
    """

    judge: tuple[PlannedCall, ...]
    cross_check: PlannedCall | None = None
    panel: tuple[PlannedCall, ...] = ()
    left_out: str = ""

    def questions(self) -> Iterator[PlannedCall]:
        """Every question that may be asked, each once."""
        yield from self.judge
        if self.cross_check is not None:
            yield self.cross_check
        yield from (one for one in self.panel if one is not self.cross_check)

    def certain(self) -> Iterator[PlannedCall]:
        """The questions that do not wait for an answer."""
        yield from self.judge
        if self.cross_check is not None:
            yield self.cross_check

    def frugal(self) -> "CallPlan":
        """The same without a cross-check: money runs short."""
        if self.cross_check is None:
            return self
        seats = tuple(replace(one, purpose=Purpose.PANEL) if one is self.cross_check else one for one in self.panel)
        return CallPlan(judge=self.judge, panel=seats, left_out=BUDGET)

    @property
    def keys(self) -> set[str]:
        return {one.key for one in self.questions() if one.key}
