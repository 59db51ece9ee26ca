"""One side of a gate as plain data: the trials of its cases, and who judged them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from apps.statistics.decision import Decision


class JudgedAs(StrEnum):
    """`other_judge`: a fallback model, or the model of another fingerprint, answered."""

    SCORED = "scored"
    ERROR = "error"
    OTHER_JUDGE = "other_judge"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFact:
    """One check of one conversation. `measured_by` tells apart checks that a judge graded (its fingerprint and the
    metric's version); "" needs none. `score` is on `scale` (1 or 10)."""

    outcome: Decision
    score: float | None = None
    scale: float = 1.0
    measured_by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTrial:
    """One conversation: a trial of the case `digest`. `blame` is "" where nobody is at fault.

    `passed` is None where no score says so; `blockers` are the blocking criteria that fail it beyond the judge's noise.
    """

    digest: str
    case: str
    conversation: str
    language: str = ""
    blame: str = ""
    judged: JudgedAs = JudgedAs.NOT_JUDGED
    score: float | None = None
    criteria: Mapping[str, float] = field(default_factory=dict)
    passed: bool | None = None
    blockers: tuple[str, ...] = ()
    checks: Mapping[str, CheckFact] = field(default_factory=dict)

    @property
    def agent_failed(self) -> bool:
        return self.blame == AGENT

    @property
    def counts(self) -> bool:
        """Whether it says anything of the agent: what judge, platform, simulator, golden session, transport or budget
        did is out of every denominator."""
        return self.blame in ("", AGENT)


AGENT = "agent_quality"
TRANSPORT = "agent_transport"
BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSide:
    """An evaluation and the run it is of. `fingerprint` is the judge of most of its scores, "" without one.

    `certified` holds, by criterion, whether the judge is certified in every language it was asked in. `quotes` counts
    evidence by kind; `stopped_by_budget`: what is left of it waits for money; `personas` counts the personas that were
    played by whether they may play today; `simulator` counts battles by the verdict on their simulated customer.
    """

    evaluation: str
    commit: str = ""
    status: str = "completed"
    fingerprint: str = ""
    trials: Sequence[GateTrial] = ()
    age_s: int = 0
    stopped_by_budget: bool = False
    battles: int = 0
    personas: Mapping[bool, int] = field(default_factory=dict)
    simulator: Mapping[str, int] = field(default_factory=dict)
    certified: Mapping[str, bool] = field(default_factory=dict)
    quotes: Mapping[str, int] = field(default_factory=dict)

    @property
    def counted(self) -> list[GateTrial]:
        return [trial for trial in self.trials if trial.counts]

    @property
    def judged(self) -> bool:
        """Whether anything was to be judged at all."""
        return any(trial.judged is not JudgedAs.NOT_JUDGED for trial in self.trials)

    def by_case(self) -> dict[str, list[GateTrial]]:
        """The trials that count, by case."""
        found: dict[str, list[GateTrial]] = {}
        for trial in self.counted:
            found.setdefault(trial.digest, []).append(trial)
        return found
