"""Ask whether a pull request may pass."""

import uuid
from dataclasses import dataclass
from decimal import Decimal

from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import Evaluation
from apps.evaluations.queries.results import find_evaluation
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.measurability import same_commit
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import PullRequestGate
from apps.gates.queries.side_facts import commit_of


@dataclass(frozen=True, slots=True, kw_only=True)
class GateQuestion:
    """What a door was asked. `baseline` is None where there is none; `title` is the pull request's, shown as it is."""

    agent: str
    commit: str
    candidate: uuid.UUID | str
    baseline: uuid.UUID | str | None = None
    base_commit: str = ""
    pull_request: str = ""
    title: str = ""
    kind: GateKind = GateKind.BLOCKING
    budget_usd: Decimal | None = None


def request_gate(question: GateQuestion, policy: GatePolicy, *, requested_by: str = "") -> uuid.UUID:
    """Owe a decision; the id of its row. Three queries. Each call owes one more: the answer of the same rows by the
    same rule is the same, and has the same digest.

    Raises BadInput: NotFound with the pointer of an evaluation there is none of, `same_evaluation`, and `other_commit`
    where the candidate's run names another commit than the one asked about.
    """
    candidate = _evaluation(question.candidate, "/candidate/evaluation")
    baseline = None
    if question.baseline is not None:
        baseline = _evaluation(question.baseline, "/baseline/evaluation")
        if baseline.pk == candidate.pk:
            message = "The baseline is the candidate itself: name the evaluation of the commit it branched from."
            raise BadInput(message, code="same_evaluation", pointer="/baseline/evaluation")
    played = commit_of(candidate)
    if played and not same_commit(played, question.commit):
        message = f"That evaluation is of commit {played[:12]}, not of {question.commit[:12]}."
        raise BadInput(message, code="other_commit", pointer="/candidate/evaluation")
    row = PullRequestGate.objects.create(
        kind=question.kind,
        agent=question.agent,
        commit=question.commit,
        base_commit=question.base_commit,
        pull_request=question.pull_request,
        title=question.title,
        candidate=candidate,
        baseline=baseline,
        policy=policy.as_json(question.kind),
        budget_usd=question.budget_usd,
        requested_by=requested_by[:200],
    )
    return uuid.UUID(str(row.pk))


def _evaluation(id: uuid.UUID | str, pointer: str) -> Evaluation:
    try:
        return find_evaluation(id, related=("run",))
    except NotFound as error:
        raise NotFound(error.message, pointer=pointer) from error
