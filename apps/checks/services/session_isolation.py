"""Check whether an agent carried facts from one battle of a run into another.

It does so once a run, when that has ended.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.checks.domain.check_states import SESSION_ISOLATION, CheckSource
from apps.checks.domain.session_leakage import LeakedFact, TimedTurn, session_leakage
from apps.checks.models import RunLook
from apps.checks.services.check_results import CheckFinding, store_findings
from apps.core.events import EventType, log_event
from apps.runs.domain.states import RUN_TERMINAL, UNCOUNTED, Kind
from apps.runs.models import Conversation, TestRun, Turn
from apps.statistics.decision import Decision

VERSION = "1.0.0"  # raise it with domain/session_leakage
MAX_RUNS = 20  # of one call; the next tick goes on


def check_isolation(*, now: datetime, run_id: uuid.UUID | None = None) -> int:
    """Check every ended battle run that was not checked yet, or one; return how many conversations fail.

    Only failures are stored: nobody asked for this check, and a pass would make runs pass that assert nothing. No
    model, no network. Two queries where nothing is due, five for a run. Safe to repeat and to race: a run is checked
    once, in the transaction that stores the failures.
    """
    due = TestRun.objects.filter(kind=Kind.BATTLE, status__in=RUN_TERMINAL, look__isnull=True)
    if run_id is not None:
        due = due.filter(pk=run_id)
    return sum(_look_at(run, now) for run in due.order_by("created_at").values_list("pk", flat=True)[:MAX_RUNS])


def _look_at(run_id: uuid.UUID, now: datetime) -> int:
    with transaction.atomic():
        _, is_ours = RunLook.objects.get_or_create(run_id=run_id, defaults={"looked_at": now})
        if not is_ours:
            return 0
        names = dict(
            Conversation.objects.filter(run_id=run_id).exclude(blame__in=UNCOUNTED).values_list("pk", "external_id")
        )
        findings = _findings(run_id, session_leakage(_turns(names)), names)
        store_findings(findings, source=CheckSource.RUN, now=now)
    if findings:
        log_event(EventType.CHECKS_MEASURED, run=str(run_id), stored=True, outcomes=["fail"] * len(findings))
    return len(findings)


def _turns(names: Mapping[uuid.UUID, str]) -> dict[uuid.UUID, list[TimedTurn]]:
    turns: dict[uuid.UUID, list[TimedTurn]] = {name: [] for name in names}
    rows = Turn.objects.transcript().filter(conversation__in=turns).order_by("conversation_id", "position")
    for of, position, role, text, at in rows.values_list("conversation_id", "position", "role", "content", "ts"):
        if at is not None:
            turns[of].append(TimedTurn(position=position, role=role, text=text, at=at))
    return turns


def _findings(run_id: uuid.UUID, carried: Sequence[LeakedFact], names: Mapping[uuid.UUID, str]) -> list[CheckFinding]:
    """One finding a conversation, naming each fact with both conversations."""
    by_conversation: dict[uuid.UUID, list[LeakedFact]] = {}
    for fact in carried:
        by_conversation.setdefault(fact.conversation, []).append(fact)
    return [
        CheckFinding(
            run_id=run_id,
            conversation_id=key,
            check_name=SESSION_ISOLATION,
            outcome=Decision.FAIL,
            score=0.0,
            threshold=1.0,
            version=VERSION,
            position=facts[0].position,
            reason=" ".join(_sentence(fact, names) for fact in facts[:5]),
            evidence=[_evidence(fact, names) for fact in facts[:20]],
        )
        for key, facts in by_conversation.items()
    ]


def _sentence(fact: LeakedFact, names: Mapping[uuid.UUID, str]) -> str:
    return (
        f"In turn {fact.position} of {names[fact.conversation]} the agent says {fact.fact!r}, which nobody had told it "
        f"there: the customer of {names[fact.told_in]} told it in turn {fact.told_position}."
    )


def _evidence(fact: LeakedFact, names: Mapping[uuid.UUID, str]) -> dict[str, Any]:
    return {
        "turn": fact.position,
        "quote": fact.fact,
        "kind": "exact",
        "conversation": str(fact.told_in),
        "conversation_name": names[fact.told_in],
        "told_turn": fact.told_position,
    }
