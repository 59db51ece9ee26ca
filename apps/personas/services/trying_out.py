"""Probe dialogues: a persona played against the scripted agent, judged by the rubrics of its own behaviours."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services import CallFor
from apps.budgets.services.paid_question import PaidQuestion, PaidReply, twice
from apps.budgets.services.paid_rows import Delay, PaidTask
from apps.catalog.configs.queries.judges import model_in_force
from apps.catalog.models import PersonaValidation
from apps.catalog.personas.domain.spec import played_words
from apps.core.question_secrets import fresh_nonce
from apps.personas.domain.probe_faults import RULE_TITLES, probe_faults
from apps.personas.domain.probe_judging import BehaviourOutcome, BehaviourVerdict, probe_request, read_probe_verdict
from apps.personas.domain.probe_scripts import CUSTOMER_TURNS, PROBES, script_options
from apps.personas.domain.simulator_findings import FaultRule, SimulatorFinding
from apps.personas.services.verdicts import record_verdict, try_again, wait_or_try_again
from apps.runs.domain.states import ConversationStatus
from apps.runs.models import Conversation, Turn
from apps.runs.playing.services.probing import start_probes
from apps.runs.services.model_roles import models_of

_TURN_FIELDS = ("role", "content", "tool_calls", "tool_call_id", "name")


def start_probe_dialogues(row: PersonaValidation, *, now: datetime) -> uuid.UUID | None:
    """Request the probe dialogues of this persona.

    None where it has no behaviour to be tried, or nobody could play it (no model for the role `simulator`). Four
    queries.
    """
    subject = row.subject
    simulator = model_in_force("simulator")
    if not subject["spec"].get("behaviours") or simulator.provider == "offline":
        return None
    language = subject["language"]
    return start_probes(
        persona={
            "persona_name": subject["name"],
            "persona": played_words(subject["text"], subject["spec"]),
            "persona_spec": subject["spec"],
            "goal": (subject["spec"].get("goal") or {}).get("text", ""),
            "language": language,
        },
        scripts={probe: script_options(probe, language) for probe in PROBES},
        simulator=simulator.as_json(),
        max_turns=2 * CUSTOMER_TURNS,
        now=now,
    )


def probes_to_judge(row: PersonaValidation, *, now: datetime) -> PaidTask | Delay | None:
    """One question for each of the dialogues that were played; together they lead to the verdict.

    A dialogue that could not be played is no verdict: all are played again, MAX_LOSSES times. A customer that says it
    is a program, writes another language or speaks the agent's part is rejected by rule, and no model is asked. Two
    queries.
    """
    conversations = list(Conversation.objects.filter(run_id=row.probe_run).order_by("position"))
    lost = [conversation for conversation in conversations if conversation.status != ConversationStatus.ENDED]
    if lost:
        why = f"A probe dialogue could not be played ({lost[0].external_id}): {lost[0].error_message or lost[0].status}"
        return try_again(row, why=why[:500], now=now, probe_run=None)
    turns = _turns(conversations)
    faults = {
        conversation.pk: probe_faults(turns[conversation.pk], conversation.spec) for conversation in conversations
    }
    if any(faults.values()):
        _reject_by_rule(row, conversations, faults, now=now)
        return None
    judging = _ProbeJudging(row=row, conversations=conversations, turns=turns)
    return PaidTask(questions=judging.questions(models_of(row.model)), finish=judging.conclude)


def _broken_by(fault: SimulatorFinding) -> BehaviourVerdict:
    return BehaviourVerdict(
        name=RULE_TITLES[FaultRule(fault.rule)],
        outcome=BehaviourOutcome.VIOLATED,
        reason=fault.why,
        quote=fault.quote,
        turn=fault.turn,
    )


def _reject_by_rule(
    row: PersonaValidation,
    conversations: Sequence[Conversation],
    faults: Mapping[Any, Sequence[SimulatorFinding]],
    *,
    now: datetime,
) -> None:
    faulty = [(conversation, fault) for conversation in conversations for fault in faults[conversation.pk]]
    probes = [
        {
            "conversation": str(conversation.pk),
            "probe": conversation.external_id,
            "verdict": "broke" if faults[conversation.pk] else "kept",
            "behaviours": [_broken_by(fault).as_json() for fault in faults[conversation.pk]],
        }
        for conversation in conversations
    ]
    names = list(dict.fromkeys(RULE_TITLES[FaultRule(fault.rule)] for _, fault in faulty))
    reason = " ".join(f'{one.external_id}, turn {fault.turn}: "{fault.quote}". {fault.why}' for one, fault in faulty)
    record_verdict(row, now=now, probes=probes, broken=names, reason=reason[:4000])


@dataclass(slots=True, kw_only=True)
class _ProbeJudging:
    """The dialogues of one persona."""

    row: PersonaValidation
    conversations: Sequence[Conversation]
    turns: Mapping[Any, list[dict[str, Any]]]

    def questions(self, models: Any) -> Mapping[Any, PaidQuestion[list[BehaviourVerdict]]]:
        return {conversation.pk: self._question(conversation, models) for conversation in self.conversations}

    def conclude(self, replies: Mapping[Any, PaidReply[list[BehaviourVerdict]]], now: datetime) -> Delay | None:
        silent = next((reply for reply in replies.values() if reply.value is None), None)
        if silent is not None:
            return wait_or_try_again(self.row, silent, now=now)
        answers = {key: reply.value or [] for key, reply in replies.items()}
        probes = [_as_json(conversation, answers[conversation.pk]) for conversation in self.conversations]
        violated = [
            (conversation, verdict)
            for conversation in self.conversations
            for verdict in answers[conversation.pk]
            if verdict.outcome is BehaviourOutcome.VIOLATED
        ]
        reason = " ".join(
            f'{verdict.name} ({one.external_id}, turn {verdict.turn}): "{verdict.quote}". {verdict.reason}'.strip()
            for one, verdict in violated
        )
        names = list(dict.fromkeys(verdict.name for _, verdict in violated))
        record_verdict(self.row, now=now, probes=probes, broken=names, reason=reason[:4000])
        return None

    def _question(self, conversation: Conversation, models: Any) -> PaidQuestion[list[BehaviourVerdict]]:
        behaviours, turns, nonce = self.row.subject["spec"]["behaviours"], self.turns[conversation.pk], fresh_nonce()
        return PaidQuestion(
            requests=twice(probe_request(behaviours, turns, nonce=nonce, timeout_s=settings.MODEL_TIMEOUT_S)),
            read=lambda text: read_probe_verdict(text, behaviours, turns, nonce=nonce),
            models=models,
            call_for=CallFor(
                purpose=Purpose.PERSONA_VALIDATION, run_id=conversation.run_id, conversation_id=conversation.pk
            ),
        )


def _as_json(conversation: Conversation, verdicts: Sequence[BehaviourVerdict]) -> dict[str, Any]:
    broke = any(verdict.outcome is BehaviourOutcome.VIOLATED for verdict in verdicts)
    return {
        "conversation": str(conversation.pk),
        "probe": conversation.external_id,
        "verdict": "broke" if broke else "kept",
        "behaviours": [verdict.as_json() for verdict in verdicts],
    }


def _turns(conversations: Sequence[Conversation]) -> dict[Any, list[dict[str, Any]]]:
    turns: dict[Any, list[dict[str, Any]]] = {conversation.pk: [] for conversation in conversations}
    for turn in Turn.objects.transcript().filter(conversation__in=conversations).order_by("position"):
        turns[turn.conversation_id].append({name: getattr(turn, name) for name in _TURN_FIELDS})
    return turns
