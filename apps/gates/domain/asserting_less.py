"""Detect assertions that go away step by step.

Each change asserts a little less than the one before it, or something weaker, and none of them is the one that took
them away. A gate remembers what earlier ones held. Pure.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from apps.core.digest import sha256_hex
from apps.core.plurals import many
from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.judging_changes import ChangeKind, JudgingChange
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.side import GateSide

KEPT_DAYS = 90
MIN_KEPT = 0.5  # of the assertions: below, what is measured is another thing than it was
SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldAssertions:
    """Assertions that earlier gates held, by case: their highest number, and their digests.

    The digests show an assertion that is swapped for a weaker one, which leaves the number as it is.
    """

    most: Mapping[str, int] = field(default_factory=dict)
    every: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of_cases(self, names: Collection[str]) -> "HeldAssertions":
        """Return the held assertions of these cases alone."""
        most, every = ({name: one for name, one in held.items() if name in names} for held in (self.most, self.every))
        return HeldAssertions(most=most, every=every)  # type: ignore[arg-type]


def asserted_cases(candidate: GateSide, new_cases: frozenset[str]) -> dict[str, list[str]]:
    """The assertions of each case, in digests; what the change brought itself stands for nothing that went."""
    cases: dict[str, list[str]] = {}
    for trial in candidate.trials:
        if trial.case not in new_cases and len(trial.asserted) > len(cases.get(trial.case, ())):
            cases[trial.case] = sorted(trial.asserted)
    return cases


def asserts_less(now: Mapping[str, Sequence[str]], held: HeldAssertions) -> JudgingChange | None:
    """The assertions that earlier gates of the agent held and this one does not, by case; None where it holds all."""
    cases = sorted({*held.most, *held.every})
    lacks = {case: _lacking(now.get(case, ()), held.most.get(case, 0), held.every.get(case, ())) for case in cases}
    gone = [case for case, n in lacks.items() if n]
    if not gone:
        return None
    before = sum(held.most.values())
    still_held = before - sum(lacks.values())
    return JudgingChange(
        kind=ChangeKind.ASSERTS_LESS,
        name=f"assertions of the last {KEPT_DAYS} days",
        before=str(before),
        after=str(still_held),
        what=f"gone or other in {many(len(gone), 'case')}: {listed(gone, SHOWN)}"[:1000],
        less=True,
        digest=sha256_hex([[case, held.most.get(case, 0), sorted(now.get(case, ()))] for case in gone]),
    )


def gutted_reasons(now: Mapping[str, Sequence[str]], held: HeldAssertions) -> list[GateReason]:
    """Stop the gate as unmeasured where more than half of the held assertions are gone.

    A person accepts that once. Assertions that replace them count, and are reported.
    """
    before = sum(held.most.values())
    still_held = sum(min(n, len(now.get(case, ()))) for case, n in held.most.items())
    if not before or still_held >= MIN_KEPT * before:
        return []
    sentence = (
        f"Assertions: {before} in the strictest gate of the last {KEPT_DAYS} days, {still_held} now. "
        "A curator accepts that on this gate's page, or they come back."
    )
    return [GateReason(code=GateReasonCode.ASSERTIONS_GONE, sentence=sentence)]


def _lacking(now: Sequence[str], most: int, every: Collection[str]) -> int:
    return min(most, max(most - len(now), len({*every} - {*now})))
