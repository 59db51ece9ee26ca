"""Hold a question to its agent's floor, unless a person accepted exactly what is asked for this commit."""

import uuid
from collections.abc import Sequence

from apps.core.errors import BadInput, NotFound
from apps.evaluations.models import Evaluation
from apps.gates.domain.gate_floor import (
    BUDGET,
    CONFIG,
    HeldFloor,
    LooserField,
    budget_is_looser,
    looser_fields,
    shown,
)
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.judging_changes import ChangeKind, JudgingChange, not_accepted, read_changes
from apps.gates.domain.policy import GatePolicy
from apps.gates.models import GateAcceptance


def find_acceptance(
    id: uuid.UUID | str | None, *, agent: str, commit: str, changes: Sequence[JudgingChange]
) -> GateAcceptance | None:
    """The acceptance that a question names; None where it names none. One query. Raises NotFound, and BadInput
    (`not_accepted`) where it is of another agent or commit, or a change is not among the accepted ones."""
    if id is None:
        return None
    pointer = "/acceptance"
    try:
        acceptance = GateAcceptance.objects.get(pk=uuid.UUID(str(id)))
    except (ValueError, GateAcceptance.DoesNotExist):
        raise NotFound(f"There is no acceptance {id}.", pointer=pointer) from None
    if (acceptance.agent, acceptance.commit) != (agent, commit):
        message = f"That acceptance is of {acceptance.agent} at {acceptance.commit[:12]}: each commit needs its own."
        raise BadInput(message, code="not_accepted", pointer=pointer)
    missing = not_accepted(changes, read_changes(acceptance.changes))
    if missing:
        message = f"Nobody accepted that {missing[0].kind} {missing[0].name} changes like this: ask again on its page."
        raise BadInput(message, code="not_accepted", pointer=pointer)
    return acceptance


def hold_to_floor(
    floor: HeldFloor,
    *,
    policy: GatePolicy,
    kind: GateKind,
    budget_usd: float | None,
    judged: Sequence[tuple[str, Evaluation]],
    accepted: GateAcceptance | None,
) -> None:
    """Refuse what asks less than the floor. `judged` are the evaluations with their pointers. No query. Raises BadInput
    `looser_than_the_floor` with the field's pointer."""
    if not floor.is_set:
        return
    changes = read_changes(accepted.changes) if accepted is not None else []
    looser = looser_fields(policy, floor.policy, kind)
    if budget_is_looser(budget_usd, floor):
        looser.append(LooserField(name=BUDGET, asked=budget_usd, floor=floor.budget_usd))
    for looser_field in looser:
        if not _is_accepted(changes, looser_field):
            pointer = f"/{BUDGET}" if looser_field.name == BUDGET else f"/policy/{looser_field.name}"
            raise _looser(looser_field.sentence, pointer)
    for pointer, evaluation in judged:
        other = floor.evaluator_config and evaluation.config_ref != floor.evaluator_config
        if other and not _judge_is_accepted(changes, evaluation.config_ref):
            sentence = f"it was judged by {evaluation.config_ref}, and the floor says {floor.evaluator_config}"
            raise _looser(sentence, pointer)


def _is_accepted(changes: Sequence[JudgingChange], looser_field: LooserField) -> bool:
    return any(
        (change.kind, change.name, change.after) == (ChangeKind.RULE, looser_field.name, shown(looser_field.asked))
        for change in changes
    )


def _judge_is_accepted(changes: Sequence[JudgingChange], config_ref: str) -> bool:
    """A name stands for whichever of its versions judged."""
    names = {config_ref, config_ref.rpartition("@")[0]}
    return any(
        change.kind is ChangeKind.CONFIG and change.name == CONFIG and change.after in names for change in changes
    )


def _looser(sentence: str, pointer: str) -> BadInput:
    message = (
        f"This asks less than the floor of the agent's gates: {sentence}. Ask as much as the floor, let a curator "
        f"accept the change for this commit on a gate's page, or change the floor under Gates → Floors."
    )
    return BadInput(message, code="looser_than_the_floor", pointer=pointer)
