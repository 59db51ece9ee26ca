"""Writing down what a player delivers: turns as they are said, and how the conversation ended."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from apps.connectors.parallel import Delivery
from apps.core.events import EventType, log_event
from apps.core.json_hygiene import storable
from apps.core.redaction import redact
from apps.runs.domain.states import Blame, ConversationStatus, EndReason
from apps.runs.models import Conversation, Turn
from apps.runs.services.conversation_player import PlayResult, TurnBatch
from apps.runs.services.simulator_verdicts import verdict_at_end
from apps.runs.services.turns import turn_row

LEASE = timedelta(seconds=60)  # seeds 003: a battle unresponsive for more than 60 s is given up


def store_turns(row: Conversation, batches: Sequence[TurnBatch], *, now: datetime, masked: bool) -> None:
    """Add to the conversation's last attempt, and extend its lease. The caller holds the row. Three queries."""
    position = row.turns.last_attempt().count()
    rows = []
    for batch in batches:
        for turn in batch.turns:
            rows.append(turn_row(row.id, position, turn, masked=masked, attempt=row.attempt))
            position += 1
        if batch.session is not None:
            row.session |= storable({"context_id": batch.session.context_id, "state": dict(batch.session.state)})
        if batch.last_word:
            row.session["last_word"] = batch.last_word.value
        if batch.replay:
            row.extra = {**row.extra, "replay": _merged(row.extra.get("replay") or {}, batch.replay)}
    Turn.objects.bulk_create(rows)
    Conversation.objects.filter(pk=row.pk).update(session=row.session, extra=row.extra, lease_expires_at=now + LEASE)


def _merged(before: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a replay with what was added: a line that is there again is the newer one; None begins anew."""
    added = more.get("lines", {})
    lines = {} if added is None else {**(before.get("lines") or {}), **added}
    merged: dict[str, Any] = storable({**before, **more, "lines": lines})
    return merged


def end_play(row: Conversation, result: PlayResult, *, now: datetime, masked: bool) -> None:
    """End the conversation, or put it back where its result says when to go on. One update, a query more for a battle
    that ended."""
    if result.retry_after is not None:
        Conversation.objects.filter(pk=row.pk).update(
            status=ConversationStatus.PENDING,
            not_before=now + timedelta(seconds=result.retry_after),
            waiting_for=result.waiting_for[:200],
            lease_token=None,
            lease_expires_at=None,
        )
        return
    Conversation.objects.filter(pk=row.pk).update(
        status=result.status,
        blame=result.blame,
        end_reason=result.end_reason or "",
        simulator_verdict=verdict_at_end(row, result.status),
        error_code=result.error_code[:60],
        error_message=storable(redact(result.error_message) if masked else result.error_message),
        ended_at=now,
        lease_token=None,
        lease_expires_at=None,
    )
    failed = result.status != ConversationStatus.ENDED
    log_event(
        EventType.CONVERSATION_FAILED if failed else EventType.CONVERSATION_ENDED,
        run=str(row.run_id),
        conversation=str(row.id),
        status=result.status.value,
        blame=result.blame.value if result.blame else None,
    )


def moves_on(part: Delivery) -> bool:
    """Whether the conversation got further: a turn, or its end. A wait for a model or an agent is none."""
    return result_of(part).retry_after is None if part.final else bool(part.value.turns)


def result_of(part: Delivery) -> PlayResult:
    """How the job of a final delivery ended; an exception nobody foresaw is the platform's fault."""
    if part.error is None:
        result: PlayResult = part.value
        return result
    return failed_result("unexpected", f"{type(part.error).__name__}: {part.error}"[:2000])


def failed_result(code: str, message: str) -> PlayResult:
    """A conversation that failed by the platform's fault."""
    return PlayResult(
        status=ConversationStatus.FAILED,
        end_reason=EndReason.FAILED,
        blame=Blame.PLATFORM,
        error_code=code,
        error_message=message,
    )
