"""Losses that go step by step: each change takes less than the margin, and none of them is the one that took it all. A
gate remembers how the agent did that the oldest gate of the last 90 days compared with. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from apps.core.digest import sha256_hex
from apps.core.plurals import many
from apps.gates.domain.asserting_less import KEPT_DAYS
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.judging_changes import ChangeKind, JudgingChange
from apps.gates.domain.losses import MetricOutcome, gate_metrics
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.paired_metrics import SCORE, PairedValues
from apps.gates.domain.policy import GatePolicy
from apps.gates.domain.side import GateSide, compared_scores

OWN_SHARE = 0.5  # of the margin: what a change takes itself, before it has to answer for what went before


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptScores:
    """The part of its baseline that a gate keeps: the judge, and each case's score by the beginning of its digest."""

    judge: str
    commit: str
    days: int
    cases: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """A loss that is shown against `since`. `own` is what this change took of it."""

    since: KeptScores
    before: float
    now: float
    n: int
    own: float

    @property
    def change(self) -> JudgingChange:
        """The change as a person accepts it."""
        return JudgingChange(
            kind=ChangeKind.DRIFTED,
            name=f"score of the last {KEPT_DAYS} days",
            before=f"{self.before:.2f}",
            after=f"{self.now:.2f}",
            what=f"over {many(self.n, 'case')}, against {self.since.commit[:12]} of {many(self.since.days, 'day')} ago",
            less=True,
            digest=sha256_hex([self.since.commit, f"{self.before:.1f}", f"{self.now:.1f}"]),
        )

    def reasons(self, policy: GatePolicy) -> list[GateReason]:
        """Return the reason to stop if this change causes a relevant share of the drift; else none."""
        if self.own < OWN_SHARE * policy.margin:
            return []
        sentence = (
            f"The score fell step by step: {self.before:.2f} at {self.since.commit[:12]} "
            f"({many(self.since.days, 'day')} ago), {self.now:.2f} now over {many(self.n, 'case')}, and "
            f"{self.own:.2f} of it by this change. A curator accepts that on this gate's page, or it comes back."
        )
        return [GateReason(code=GateReasonCode.DRIFTED, sentence=sentence)]


def drift_of(
    candidate: GateSide, baseline: GateSide | None, since: KeptScores | None, policy: GatePolicy
) -> Drift | None:
    """The loss since then, where it is shown and larger than the margin; None where none is."""
    if since is None or baseline is None or since.judge != candidate.fingerprint != "":
        return None
    here, there = compared_scores(candidate), compared_scores(baseline)
    shared = [one for one in here if one in since.cases and one in there]
    question = PairedValues(
        metric=SCORE,
        primary=True,
        baseline={one: since.cases[one] for one in shared},
        candidate={one: here[one] for one in shared},
    )
    answers = gate_metrics([question], policy=policy, seed=len(shared)) if shared else []
    if not answers or answers[0].outcome is not MetricOutcome.LOSS:
        return None
    own = fsum(there[one] - here[one] for one in shared) / len(shared)
    return Drift(since=since, before=answers[0].baseline, now=answers[0].candidate, n=len(shared), own=own)
