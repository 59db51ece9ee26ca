"""Fund battles: a conversation is begun when its next question can be paid (docs/adr/0151).

The highest cost of all of it is told apart from that.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db.models import Q

from apps.budgets.domain.allowance import RefusalReason
from apps.budgets.domain.estimate import Estimate, History, max_cost, request_tokens, tokens_at_most
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services.reservations import next_try
from apps.budgets.services.reserving import Refusal, ReservationRequest
from apps.catalog.personas.domain.rules import MAX_TURNS
from apps.connectors.agents.capabilities import SpeaksThroughModel
from apps.connectors.llms.base import ModelSpec
from apps.core.events import EventType, log_event
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.simulator import simulator_request
from apps.runs.domain.states import RUN_ACTIVE, Blame, ConversationStatus, RunStatus, SimulatorVerdict

if TYPE_CHECKING:  # it brings the network client with it: 0.2 s of every command and web process
    from apps.runs.services.conversation_player import Participants

# What may wait for money, a model or an agent: to be played, or to have its simulated customer reviewed.
OWED_LATER = Q(status=ConversationStatus.PENDING) | Q(simulator_verdict=SimulatorVerdict.PENDING)
TURN_TOKENS = 500  # what one turn adds to the next question; 2,000 characters and more are rare in a chat


def model_specs(participants: "Participants | Exception") -> list[ModelSpec]:
    """The models that a conversation may ask: those of the customer, of an agent that is a prompt, and of a replay's
    gates."""
    return [*_simulator_specs(participants), *_agent_specs(participants), *_gate_specs(participants)]


def _gate_specs(participants: "Participants | Exception") -> list[ModelSpec]:
    if isinstance(participants, Exception):
        return []
    return [llm.spec for llm in (participants.gate_judge, participants.gate_fallback) if llm is not None]


def _simulator_specs(participants: "Participants | Exception") -> list[ModelSpec]:
    """The models that may play the customer; none in a replay."""
    if isinstance(participants, Exception):
        return []
    return [llm.spec for llm in (participants.simulator, participants.simulator_fallback) if llm is not None]


def _agent_specs(participants: "Participants | Exception") -> list[ModelSpec]:
    if isinstance(participants, Exception):
        return []
    return [llm.spec for llm in (participants.agent_model, participants.agent_fallback) if llm is not None]


def cost_at_most(participants: "Participants | Exception", *, spec: Mapping[str, Any], history: History) -> Estimate:
    """Return the dollars that a conversation's models may cost, to the last turn allowed.

    They are those of the simulated customer, and of an agent that is a prompt with every round of tool calls it may
    make. Microseconds.
    """
    return _customer_cost(participants, spec=spec, history=history) + _agent_cost(
        participants, spec=spec, history=history
    )


def first_request(
    row: Conversation, participants: "Participants | Exception", *, history: History
) -> ReservationRequest:
    """The money with which a conversation is begun, or taken up again."""
    cost = first_question_at_most(participants, spec=row.spec, history=history)
    return ReservationRequest(
        id=row.id,
        usd=cost.usd,
        run_id=row.run_id,
        pull_request=pull_request_of(row.run),
        price=cost.price,
        unpriced=cost.unpriced,
    )


def first_question_at_most(
    participants: "Participants | Exception", *, spec: Mapping[str, Any], history: History
) -> Estimate:
    """Dollars of the first question that a conversation asks when it is begun; nothing where no model is asked.
    Microseconds. What follows is reserved for question by question (`playing.TurnFunding`)."""
    if isinstance(participants, Exception):
        return Estimate()
    if participants.simulator is not None and participants.simulator.spec.provider != "offline":
        specs, request = _simulator_specs(participants), simulator_request(spec=spec, turns=())
    elif isinstance(participants.agent, SpeaksThroughModel):
        specs, request = _agent_specs(participants), participants.agent.question()
    else:
        return Estimate()
    return max_cost(
        specs, input_tokens=request_tokens(request), output_tokens=request.max_output_tokens, history=history
    )


def _agent_cost(participants: "Participants | Exception", *, spec: Mapping[str, Any], history: History) -> Estimate:
    """Return what the agent's replies may cost; nothing where the agent pays for itself."""
    if isinstance(participants, Exception) or not isinstance(participants.agent, SpeaksThroughModel):
        return Estimate()
    request = participants.agent.question()
    replies = _replies(spec)
    calls = replies * (1 + participants.agent.max_tool_rounds)
    context_tokens = TURN_TOKENS * calls * (replies + 1)
    return max_cost(
        _agent_specs(participants),
        input_tokens=calls * request_tokens(request) + context_tokens,
        output_tokens=calls * request.max_output_tokens,
        history=history,
    )


def _replies(spec: Mapping[str, Any]) -> int:
    """Return how often the agent may speak: in half of a battle's turns, or once for each replayed line."""
    document = (spec.get("golden") or {}).get("document") or {}
    if document and not spec.get("max_turns"):
        return sum(1 for turn in document.get("turns") or () if turn.get("role") == "user") or 1
    return (int(spec.get("max_turns") or MAX_TURNS) + 1) // 2


def _customer_cost(participants: "Participants | Exception", *, spec: Mapping[str, Any], history: History) -> Estimate:
    """Return what the simulated customer may cost; nothing in a replay and under the offline rules."""
    if (
        isinstance(participants, Exception)
        or participants.simulator is None
        or participants.simulator.spec.provider == "offline"
    ):
        return Estimate()
    request = simulator_request(spec=spec, turns=())
    opening = tokens_at_most(len((request.system + request.messages[0].content).encode("utf-8", "replace")))
    questions = (int(spec.get("max_turns") or 20) + 1) // 2 + 1
    context_tokens = TURN_TOKENS * questions * (questions - 1)  # the k-th question brings 2 k turns
    return max_cost(
        _simulator_specs(participants),
        input_tokens=questions * opening + context_tokens,
        output_tokens=questions * request.max_output_tokens,
        history=history,
    )


def pull_request_of(run: TestRun) -> str:
    """Return the pull request whose budget pays for the run, as CI named it; "" for none."""
    return run.frozen_plan.pull_request


def defer_unfunded(*, refused: Mapping[UUID, Refusal], token: UUID, now: datetime) -> None:
    """Put refused conversations back. One update for each.

    Where the money is spent they wait, with the budget that refused them, and their runs are paused until it is raised.
    """
    for conversation_id, no in refused.items():
        Conversation.objects.filter(pk=conversation_id, lease_token=token).update(
            **waits_for_money(no, now=now),
            status=ConversationStatus.PENDING,
            lease_token=None,
            lease_expires_at=None,
        )
    pause_refused(refused)


def waits_for_money(no: Refusal, *, now: datetime) -> dict[str, Any]:
    """The fields of a conversation that cannot be paid, until it is tried again."""
    spent = no.why is not RefusalReason.PROMISED
    return {
        "blame": Blame.BUDGET if spent else None,
        "error_code": SPENT_CODE if spent else "",
        "error_message": no.detail if spent else "",
        "not_before": next_try(no, now=now),
        "waiting_for": no.sentence[:200],
    }


def pause_refused(refused: Mapping[UUID, Refusal]) -> None:
    """Pause the runs of those whose budget is spent; nothing for money that calls in flight hold."""
    pause_for_money([id for id, no in refused.items() if no.why is RefusalReason.SPENT])


def pause_for_money(conversation_ids: Collection[UUID]) -> None:
    """Pause the runs of conversations that wait for a spent budget. One query, one update for each run."""
    runs = Conversation.objects.filter(pk__in=conversation_ids).values_list("run_id", "waiting_for")
    for run_id, sentence in {run_id: sentence for run_id, sentence in runs}.items():
        if TestRun.objects.advance(run_id, expected=RUN_ACTIVE, to=RunStatus.PAUSED, error_message=sentence):
            log_event(EventType.RUN_PAUSED, run=str(run_id), why=sentence)


def resume_unpaid(*, now: datetime) -> list[UUID]:
    """Go on with every run that was paused for want of money; which these were. Safe to repeat."""
    waiting = Conversation.objects.filter(OWED_LATER, error_code=SPENT_CODE)
    resumed = []
    runs = set(waiting.values_list("run_id", flat=True))
    release(runs)
    for run_id in sorted(runs):
        if TestRun.objects.advance(
            run_id, expected=RunStatus.PAUSED, to=RunStatus.RUNNING, error_message="", progress_at=now
        ):
            resumed.append(run_id)
            log_event(EventType.RUN_RESUMED, run=str(run_id))
    return resumed


def release(run_ids: Collection[UUID]) -> int:
    """Let conversations of these runs that wait for money be tried again now; return how many. One query."""
    return Conversation.objects.filter(OWED_LATER, run_id__in=run_ids, error_code=SPENT_CODE).update(
        blame=None, error_code="", error_message="", not_before=None, waiting_for=""
    )
