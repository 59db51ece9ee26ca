"""Apply a verdict on the simulated customer to its battle: the battle counts, is played again, or is out.

The verdict itself is reached in apps.personas; here stands what becomes of the conversation.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from apps.audit.domain.masking_rules import at_rest
from apps.budgets.domain.allowance import RefusalReason
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services.reservations import next_try
from apps.budgets.services.reserving import Refusal
from apps.core.events import EventType, log_event
from apps.core.json_hygiene import storable
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.states import INVALID, Blame, ConversationStatus, EndReason, Kind, SimulatorVerdict
from apps.runs.playing.models import SimulatorReview
from apps.runs.playing.services.reservations import pause_for_money
from apps.runs.services.masking_at_rest import masks_at_rest

MAX_REPLAYS = 2  # of one battle because of its simulated customer
OFF, RULES, ON = "off", "rules", "on"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOutcome:
    """The outcome of a review; the fields of SimulatorReview."""

    verdict: SimulatorVerdict
    findings: Sequence[Mapping[str, Any]] = ()
    reason: str = ""
    provider: str = ""
    model: str = ""
    cost_usd: Decimal | None = None
    raw_reply: str = ""


def verdict_at_end(row: Conversation, status: ConversationStatus) -> SimulatorVerdict:
    """Return the verdict a conversation has when it ends.

    It is pending where a model played the customer of a battle that ended and the run wants it reviewed. One query
    where it did.
    """
    if row.kind != Kind.BATTLE or status != ConversationStatus.ENDED:
        return SimulatorVerdict.NONE
    plan = row.run.frozen_plan
    played_by_rules = plan.simulator.get("provider") == "offline"
    if played_by_rules or plan.simulator_review.get("mode", OFF) == OFF:
        return SimulatorVerdict.UNMEASURED
    return SimulatorVerdict.PENDING


def store_review(*, conversation_id: uuid.UUID, token: uuid.UUID, outcome: ReviewOutcome, now: datetime) -> str:
    """Write the review down and move its conversation on; in one transaction. Answers "kept", "again", "out", or ""
    where the lease was lost, the run was cancelled, or this attempt has its review already. Safe to repeat.

    Invalid: a further attempt, which is a new session for the agent, at most MAX_REPLAYS times; then the conversation
    has failed and the simulator is to blame. Earlier attempts and their reviews stay. Five queries.
    """
    with transaction.atomic():
        row = (
            Conversation.objects.select_for_update()
            .filter(
                pk=conversation_id,
                lease_token=token,
                status=ConversationStatus.ENDED,
                simulator_verdict=SimulatorVerdict.PENDING,
            )
            .first()
        )
        if row is None:
            return ""
        invalid_before = SimulatorReview.objects.filter(conversation=row, verdict__in=INVALID).count()
        SimulatorReview.objects.create(conversation=row, attempt=row.attempt, reviewed_at=now, **_columns(outcome))
        became, fields = _what_follows(outcome, invalid_before)
        if became == "again":
            fields |= {"attempt": row.attempt + 1}
        words = at_rest(Conversation._meta.db_table, fields, masked=masks_at_rest())
        Conversation.objects.filter(pk=row.pk).update(
            **words, review_tries=0, not_before=None, waiting_for="", lease_token=None, lease_expires_at=None
        )
        TestRun.objects.filter(pk=row.run_id).update(progress_at=now)
    log_event(
        EventType.SIMULATOR_REVIEWED,
        run=str(row.run_id),
        conversation=str(row.pk),
        attempt=row.attempt,
        verdict=outcome.verdict.value,
        became=became,
    )
    return became


def _columns(outcome: ReviewOutcome) -> dict[str, Any]:
    fields = {"findings": list(outcome.findings), "reason": outcome.reason, "raw_reply": outcome.raw_reply}
    words = storable(at_rest(SimulatorReview._meta.db_table, fields, masked=masks_at_rest()))
    return {
        "verdict": outcome.verdict,
        "findings": words["findings"],
        "reason": words["reason"][:300],
        "provider": outcome.provider[:100],
        "model": outcome.model[:120],
        "cost_usd": outcome.cost_usd,
        "raw_reply": words["raw_reply"][:20_000],
    }


def _what_follows(outcome: ReviewOutcome, invalid_before: int) -> tuple[str, dict[str, Any]]:
    if outcome.verdict not in INVALID:
        return "kept", {"simulator_verdict": outcome.verdict, "error_code": "", "error_message": ""}
    if invalid_before < MAX_REPLAYS:
        return "again", {
            "status": ConversationStatus.PENDING,
            "simulator_verdict": SimulatorVerdict.NONE,
            "session": {},
            "end_reason": "",
            "ended_at": None,
            "losses": 0,
            "error_code": "",
            "error_message": "",
        }
    played = f"It was played {invalid_before + 1} times, and each time the simulated customer was at fault."
    return "out", {
        "status": ConversationStatus.FAILED,
        "blame": Blame.SIMULATOR,
        "end_reason": EndReason.FAILED,
        "simulator_verdict": outcome.verdict,
        "error_code": f"simulator_{outcome.verdict.value}",
        "error_message": f"{played} The last time: {in_words(outcome)}"[:2000],
    }


def in_words(outcome: ReviewOutcome) -> str:
    """The finding that made a battle invalid."""
    critical = [finding for finding in outcome.findings if finding.get("critical")]
    return str(critical[0].get("why") or outcome.verdict.value) if critical else outcome.verdict.value


def put_off_unpaid_reviews(*, refused: Mapping[uuid.UUID, Refusal], token: uuid.UUID, now: datetime) -> None:
    """Postpone reviews whose budget is spent or reserved, and pause their runs if it is spent.
    One update for each."""
    for conversation_id, no in refused.items():
        spent = no.why is not RefusalReason.PROMISED
        Conversation.objects.filter(pk=conversation_id, lease_token=token).update(
            error_code=SPENT_CODE if spent else "",
            error_message=no.detail if spent else "",
            review_tries=0,
            not_before=next_try(no, now=now),
            waiting_for=no.sentence[:200],
            lease_token=None,
            lease_expires_at=None,
        )
    pause_for_money([one for one, no in refused.items() if no.why is RefusalReason.SPENT])
