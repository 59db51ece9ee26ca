"""The scenarios of production that stopped a pull request. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from apps.gates.domain.decision import GateDecision
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.side import GateSide
from apps.statistics.decision import Decision

_VARIANT = "."  # `refund.p1` is a variant of `refund`


@dataclass(frozen=True, slots=True, kw_only=True)
class PreventedCase:
    """A scenario whose failure is a no; `conversation` shows it."""

    scenario: str
    case: str
    conversation: str
    why: str


def prevented_cases(decided: GateDecision, candidate: GateSide) -> list[PreventedCase]:
    """Return one case for each scenario whose failure is a no in a gate that says no.

    Under a policy that stops a failure of the baseline too, that one counts as well. An agent that could not be reached
    failed in nothing.
    """
    if decided.decision is not Decision.FAIL:
        return []
    cases = {one.digest: one for one in decided.cases}
    trials = {one.digest: one for one in reversed(candidate.trials)}
    cases_by_key: dict[str, PreventedCase] = {}
    for failure in decided.stopping:
        trial, case = trials.get(failure.digest), cases.get(failure.digest)
        if failure.code is GateReasonCode.AGENT_LOST or trial is None or not trial.scenario:
            continue
        shown = case.candidate if case and case.candidate else trial.conversation
        why = f"{failure.name}: {failure.why}" if failure.name else failure.why
        cases_by_key.setdefault(
            trial.scenario,
            PreventedCase(scenario=trial.scenario, case=failure.case, conversation=shown, why=why[:300]),
        )
    return list(cases_by_key.values())


def scenario_names(cases: Sequence[PreventedCase]) -> set[str]:
    """Return their names in the catalog: their own, and that of the scenario they vary."""
    names = set[str]()
    for case in cases:
        parts = case.scenario.split(_VARIANT)
        names |= {_VARIANT.join(parts[:n]) for n in range(1, len(parts) + 1)}
    return names


def by_scenario(cases: Sequence[PreventedCase], known: Collection[str]) -> Mapping[str, PreventedCase]:
    """{name in the catalog: the first of its cases}; the longest name counts."""
    scenario: dict[str, PreventedCase] = {}
    for case in cases:
        names = [name for name in scenario_names([case]) if name in known]
        if names:
            scenario.setdefault(max(names, key=len), case)
    return scenario
