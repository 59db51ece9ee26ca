"""Ask whether a pull request may pass."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db import transaction

from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import Evaluation
from apps.gates.domain.gate_floor import HeldFloor
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.judging_changes import JudgingChange
from apps.gates.domain.measurability import same_commit
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import GateAcceptance, PullRequestGate
from apps.gates.queries.gate_floors import floor_of, held_floor
from apps.gates.queries.side_facts import agents_of, commit_of
from apps.gates.services.policy_enforcement import find_acceptance, hold_to_floor
from apps.jobs.domain.work_states import FOR_A_WORKER
from apps.statistics.decision import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class GateQuestion:
    """The question put to a gate. `baseline` is None where there is none; `title` is the pull request's, shown as it
    is. `first_look` is the gate that could not tell, of whose cases these evaluations are repeats; `replays_of` the
    gate whose named cases (`play_again`) they play again. `changes` are what the pull request alters of what decides;
    `acceptance` is the person's answer by which its own versions decide."""

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
    changes: Sequence[JudgingChange] = ()
    acceptance: uuid.UUID | str | None = None
    replays_of: uuid.UUID | str | None = None


@transaction.atomic
def request_gate(question: GateQuestion, policy: GatePolicy, *, requested_by: str = "") -> uuid.UUID:
    """Request a gate decision; return the id of its row. Three queries.

    Each call creates a row: the same question under the same policy gets the same answer, with the same digest. With
    `first_look` or `replays_of` a question is asked again, under the policy declared for it before any result was seen.
    Policy, budget and judge are held to the agent's current floor.

    Raises BadInput: NotFound for an unknown evaluation, `same_evaluation`, `other_agent` for an evaluation of another
    agent, `other_commit` where the candidate's run names another commit; for a second look `no_second_look` (the first
    could decide, declared a single look, or is itself a second), `other_question`, and Conflict `looked_twice`; for
    replays `nothing_to_replay`, `other_question`, `one_or_the_other` and Conflict `replayed_twice`;
    `looser_than_the_floor` and `not_accepted` (services.policy_enforcement).
    """
    candidate, baseline = _sides(question)
    floor, budget_usd = floor_of(question.agent), question.budget_usd
    if budget_usd is None and floor.budget_usd is not None:
        budget_usd = Decimal(str(floor.budget_usd))
    accepted = _held(question, policy, floor, budget_usd, [candidate, *([baseline] if baseline else [])])
    first, replayed = _earlier(question, policy)
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
        floor=held_floor(floor, question.kind),
        changes=[change.as_json() for change in question.changes],
        acceptance=accepted,
        budget_usd=budget_usd,
        first_look=first,
        replays_of=replayed,
        waiting_for=FOR_A_WORKER,
        requested_by=requested_by[:200],
    )
    return uuid.UUID(str(row.pk))


def _sides(question: GateQuestion) -> tuple[Evaluation, Evaluation | None]:
    """Candidate and baseline, which are two, and the candidate of the commit that is asked about."""
    candidate = evaluation_of_agent(question.candidate, "/candidate/evaluation", agent=question.agent)
    baseline = None
    if question.baseline is not None:
        baseline = evaluation_of_agent(question.baseline, "/baseline/evaluation", agent=question.agent)
        if baseline.pk == candidate.pk:
            message = "The baseline is the candidate itself: name the evaluation of the commit it branched from."
            raise BadInput(message, code="same_evaluation", pointer="/baseline/evaluation")
    played = commit_of(candidate)
    if played and not same_commit(played, question.commit):
        message = f"That evaluation is of commit {played[:12]}, not of {question.commit[:12]}."
        raise BadInput(message, code="other_commit", pointer="/candidate/evaluation")
    return candidate, baseline


def _held(
    question: GateQuestion,
    policy: GatePolicy,
    floor: HeldFloor,
    budget_usd: Decimal | None,
    evaluations: Sequence[Evaluation],
) -> GateAcceptance | None:
    """The acceptance for this commit. Refuses a question that asks less than the floor and is not covered by it."""
    accepted = find_acceptance(
        question.acceptance, agent=question.agent, commit=question.commit, changes=question.changes
    )
    hold_to_floor(
        floor,
        policy=policy,
        kind=question.kind,
        budget_usd=None if budget_usd is None else float(budget_usd),
        judged=list(zip(("/candidate/evaluation", "/baseline/evaluation"), evaluations, strict=False)),
        accepted=accepted,
    )
    return accepted


def _earlier(question: GateQuestion, policy: GatePolicy) -> tuple[PullRequestGate | None, PullRequestGate | None]:
    """The gate that is looked at again, or the one whose named cases were played again; at most one of the two."""
    if question.first_look is not None and question.replays_of is not None:
        message = "A gate repeats all cases (first_look) or plays some again (replays_of), not both."
        raise BadInput(message, code="one_or_the_other", pointer="/replays_of")
    first = _first_look(question, policy) if question.first_look is not None else None
    return first, _replays_of(question, policy) if question.replays_of is not None else None


def _first_look(question: GateQuestion, policy: GatePolicy) -> PullRequestGate:
    """The gate that is looked at again, locked; what is asked fits it."""
    first = _locked(question.first_look, "/first_look")
    if first.decision != Decision.UNDECIDED or first.policy.get("looks", 1) < 2 or _was_looked_at_again(first):
        message = "Only an undecided gate whose policy declared `looks: 2` is looked at again, and once."
        raise BadInput(message, code="no_second_look", pointer="/first_look")
    _refuse_another_question(question, policy, first, "/first_look")
    if PullRequestGate.objects.filter(first_look=first).exists():
        raise Conflict(f"The gate {first.pk} was looked at again already.", code="looked_twice")
    return first


def _replays_of(question: GateQuestion, policy: GatePolicy) -> PullRequestGate:
    """The gate some of whose cases were played again, locked; what is asked fits it."""
    failed = _locked(question.replays_of, "/replays_of")
    if not failed.document.get("play_again"):
        message = "That gate names no case that is to be played again (play_again)."
        raise BadInput(message, code="nothing_to_replay", pointer="/replays_of")
    _refuse_another_question(question, policy, failed, "/replays_of")
    if PullRequestGate.objects.filter(replays_of=failed).exists():
        raise Conflict(f"The cases of the gate {failed.pk} were played again already.", code="replayed_twice")
    return failed


def _locked(id: uuid.UUID | str | None, pointer: str) -> PullRequestGate:
    try:
        return PullRequestGate.objects.select_for_update().get(pk=uuid.UUID(str(id)))
    except (ValueError, PullRequestGate.DoesNotExist):
        raise NotFound(f"There is no gate {id}.", pointer=pointer) from None


def _was_looked_at_again(row: PullRequestGate) -> bool:
    """Tell whether this gate or one before it is a second look."""
    before = row.replays_of
    return row.first_look_id is not None or (before is not None and _was_looked_at_again(before))


def _refuse_another_question(question: GateQuestion, policy: GatePolicy, first: PullRequestGate, pointer: str) -> None:
    """Refuse a second request that differs from the first, or that repeats its conversations.

    Raises BadInput (`other_question`).
    """
    question_fields = (
        question.agent,
        question.commit,
        question.base_commit,
        question.kind,
        policy.as_json(question.kind),
    )
    if question_fields != (first.agent, first.commit, first.base_commit, first.kind, first.policy):
        what = "A second look" if pointer == "/first_look" else "A gate over replays"
        message = f"{what} asks the same: agent, commit, base_commit, kind and policy are those of the first."
        raise BadInput(message, code="other_question", pointer=pointer)
    seen: set[str] = set()
    before: PullRequestGate | None = first
    while before is not None:
        seen |= {str(before.candidate_id), str(before.baseline_id)}
        before = before.before
    if {str(question.candidate), str(question.baseline)} & seen or question.baseline is None:
        message = "Name two evaluations of repeats, one a side, that the first look has not seen."
        raise BadInput(message, code="other_question", pointer=pointer)


def evaluation_of_agent(id: uuid.UUID | str, pointer: str, *, agent: str) -> Evaluation:
    """One that a question names. One query. Raises NotFound with the pointer, and BadInput `other_agent`."""
    try:
        evaluation = find_evaluation(id, related=("run__agent",))
    except NotFound as error:
        raise NotFound(error.message, pointer=pointer) from error
    agents = agents_of(evaluation)
    if agents and agent not in agents:
        message = f"That evaluation is of the agent {', '.join(sorted(agents))}, not of {agent}."
        raise BadInput(message, code="other_agent", pointer=pointer)
    return evaluation
