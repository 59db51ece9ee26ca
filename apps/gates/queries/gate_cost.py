"""The cost of a gate's candidate: agent, simulator, judge and cross-check, of this gate and those before it."""

from apps.budgets.queries import Spent, spent_on_runs
from apps.evaluations.models import Evaluation
from apps.gates.models import PullRequestGate


def candidates_of(row: PullRequestGate) -> list[Evaluation]:
    """The candidates' evaluations of this gate and those before it."""
    before = row.before
    return [*(candidates_of(before) if before else ()), row.candidate]


def spent_on_gate(row: PullRequestGate) -> Spent:
    """One query beside those for the evaluations."""
    return spent_on_runs([candidate.run_id for candidate in candidates_of(row)])
