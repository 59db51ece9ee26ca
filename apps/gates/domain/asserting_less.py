"""Assertions that go away step by step: each change asserts a little less than the one before it, and none of them is
the one that took them away. A gate remembers what earlier ones held. Pure."""

from collections.abc import Mapping

from apps.core.digest import sha256_hex
from apps.core.plurals import many
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.judging_changes import ChangeKind, JudgingChange
from apps.gates.domain.measurability import GateReason
from apps.gates.domain.side import GateSide

KEPT_DAYS = 90
LEAST_KEPT = 0.5  # of the assertions: below, what is measured is another thing than it was
SHOWN = 5


def asserted_cases(candidate: GateSide, new_cases: frozenset[str]) -> dict[str, int]:
    """How many assertions each case holds; what the change brought itself stands for nothing that went."""
    found: dict[str, int] = {}
    for trial in candidate.trials:
        if trial.case not in new_cases:
            found[trial.case] = max(trial.asserted, found.get(trial.case, 0))
    return {case: n for case, n in found.items() if n}


def asserts_less(now: Mapping[str, int], most: Mapping[str, int]) -> JudgingChange | None:
    """The assertions that this gate lacks beside the agent's strictest gate, by case; None where it holds as many."""
    gone = sorted(case for case, n in most.items() if now.get(case, 0) < n)
    if not gone:
        return None
    before, kept = sum(most.values()), _kept(now, most)
    more = f" and {len(gone) - SHOWN} more" if len(gone) > SHOWN else ""
    return JudgingChange(
        kind=ChangeKind.ASSERTS_LESS,
        name=f"assertions of the last {KEPT_DAYS} days",
        before=str(before),
        after=str(kept),
        what=f"fewer in {many(len(gone), 'case')}: {', '.join(gone[:SHOWN])}{more}"[:1000],
        less=True,
        digest=sha256_hex([[case, most[case], now.get(case, 0)] for case in gone]),
    )


def gutted_reasons(now: Mapping[str, int], most: Mapping[str, int]) -> list[GateReason]:
    """Why nothing is measured where more than half of them are gone: a person accepts that, once."""
    before, kept = sum(most.values()), _kept(now, most)
    if not before or kept >= LEAST_KEPT * before:
        return []
    sentence = (
        f"Assertions: {before} in the strictest gate of the last {KEPT_DAYS} days, {kept} now. A curator accepts that "
        "on this gate's page, or they come back."
    )
    return [GateReason(code=GateReasonCode.ASSERTIONS_GONE, sentence=sentence)]


def _kept(now: Mapping[str, int], most: Mapping[str, int]) -> int:
    return sum(min(n, now.get(case, 0)) for case, n in most.items())
