"""Ask whether a pull request may pass."""

import uuid
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.models import Evaluation
from apps.evaluations.queries.results import find_evaluation
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.measurability import same_commit
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import PullRequestGate
from apps.gates.queries.side_facts import agents_of, commit_of
from apps.statistics.decision import Decision

NOT_LOOKED_AT = "a worker, which looks within seconds"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateQuestion:
    """What a door was asked. `baseline` is None where there is none; `title` is the pull request's, shown as it is.
    `first_look` is the gate that could not tell, of whose cases these evaluations are repeats."""

    agent: str
    commit: str
    candidate: uuid.UUID | str
    baseline: uuid.UUID | str | None = None
    base_commit: str = ""
    pull_request: str = ""
    title: str = ""
    kind: GateKind = GateKind.BLOCKING
    budget_usd: Decimal | None = None
    first_look: uuid.UUID | str | None = None


@transaction.atomic
def request_gate(question: GateQuestion, policy: GatePolicy, *, requested_by: str = "") -> uuid.UUID:
    """Owe a decision; the id of its row. Three queries. Each call owes one more: the answer of the same rows by the
    same rule is the same, and has the same digest.

    With a `first_look` the same is asked once more, by the rule that was declared before anything was seen.

    Raises BadInput: NotFound with the pointer of an evaluation there is none of, `same_evaluation`, `other_agent` where
    an evaluation is of another agent, and `other_commit` where the candidate's run names another commit than the one
    asked about; of a second look `no_second_look` (the first could tell, declared one look, or is a second itself),
    `other_question`, and Conflict `looked_twice`.
    """
    candidate = _evaluation(question.candidate, "/candidate/evaluation", agent=question.agent)
    baseline = None
    if question.baseline is not None:
        baseline = _evaluation(question.baseline, "/baseline/evaluation", agent=question.agent)
        if baseline.pk == candidate.pk:
            message = "The baseline is the candidate itself: name the evaluation of the commit it branched from."
            raise BadInput(message, code="same_evaluation", pointer="/baseline/evaluation")
    played = commit_of(candidate)
    if played and not same_commit(played, question.commit):
        message = f"That evaluation is of commit {played[:12]}, not of {question.commit[:12]}."
        raise BadInput(message, code="other_commit", pointer="/candidate/evaluation")
    first = _first_look(question, policy) if question.first_look is not None else None
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
        first_look=first,
        waiting_for=NOT_LOOKED_AT,
        requested_by=requested_by[:200],
    )
    return uuid.UUID(str(row.pk))


def _first_look(question: GateQuestion, policy: GatePolicy) -> PullRequestGate:
    """The gate that is looked at again, locked; what is asked fits it."""
    pointer = "/first_look"
    try:
        id = uuid.UUID(str(question.first_look))
        first = PullRequestGate.objects.select_for_update().get(pk=id)
    except (ValueError, PullRequestGate.DoesNotExist):
        raise NotFound(f"There is no gate {question.first_look}.", pointer=pointer) from None
    if first.decision != Decision.UNDECIDED or first.policy.get("looks", 1) < 2 or first.first_look_id is not None:
        message = "Only an undecided gate whose policy declared `looks: 2` is looked at again, and once."
        raise BadInput(message, code="no_second_look", pointer=pointer)
    asked = (question.agent, question.commit, question.base_commit, question.kind, policy.as_json(question.kind))
    if asked != (first.agent, first.commit, first.base_commit, first.kind, first.policy):
        message = "A second look asks the same: agent, commit, base_commit, kind and policy are those of the first."
        raise BadInput(message, code="other_question", pointer=pointer)
    again = {str(question.candidate), str(question.baseline)} & {str(first.candidate_id), str(first.baseline_id)}
    if again or question.baseline is None:
        message = "Name two evaluations of repeats, one a side, that the first look has not seen."
        raise BadInput(message, code="other_question", pointer=pointer)
    if PullRequestGate.objects.filter(first_look=first).exists():
        raise Conflict(f"The gate {first.pk} was looked at again already.", code="looked_twice")
    return first


def _evaluation(id: uuid.UUID | str, pointer: str, *, agent: str) -> Evaluation:
    try:
        found = find_evaluation(id, related=("run__agent",))
    except NotFound as error:
        raise NotFound(error.message, pointer=pointer) from error
    agents = agents_of(found)
    if agents and agent not in agents:
        message = f"That evaluation is of the agent {', '.join(sorted(agents))}, not of {agent}."
        raise BadInput(message, code="other_agent", pointer=pointer)
    return found
