"""Count what stopped a pull request and came from a real customer once."""

import uuid
from typing import Any

from apps.catalog.domain.states import PRODUCTION, ScenarioStatus
from apps.catalog.models import Scenario
from apps.gates.domain.decision import GateDecision
from apps.gates.domain.prevented import by_scenario, prevented_cases, scenario_names
from apps.gates.domain.side import GateSide
from apps.gates.models import PreventedFailure, PullRequestGate


def count_prevented(gate: PullRequestGate, decided: GateDecision, candidate: GateSide) -> list[dict[str, Any]]:
    """Once a gate for each released scenario of production whose failure is a no in it; what was counted, for the
    gate's document. In the transaction that decides. No query where nothing fails, else two."""
    cases = prevented_cases(decided, candidate)
    if not cases:
        return []
    real = Scenario.objects.filter(origin=PRODUCTION, status=ScenarioStatus.RELEASED)
    known = {row.slug: row for row in real.filter(slug__in=scenario_names(cases))}
    scenario = by_scenario(cases, known)
    rows = [
        PreventedFailure(
            gate=gate, scenario=known[slug], slug=slug, why=case.why, conversation=uuid.UUID(case.conversation)
        )
        for slug, case in scenario.items()
    ]
    PreventedFailure.objects.bulk_create(rows, ignore_conflicts=True)
    return [
        {"scenario": slug, "id": one.case, "conversation": one.conversation, "why": one.why}
        for slug, one in sorted(scenario.items())
    ]
