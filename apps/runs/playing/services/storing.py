"""Writing down what a player delivers: turns as they are said, and how the conversation ended."""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count

from apps.audit.domain.masking_rules import at_rest
from apps.connectors.parallel import Delivery
from apps.core.events import EventType, log_event
from apps.core.json_hygiene import storable
from apps.runs.conversations.models import Conversation, Turn
from apps.runs.domain.states import Blame, ConversationStatus, EndReason
from apps.runs.playing.services.reservations import waits_for_money
from apps.runs.playing.services.simulator_verdicts import verdict_at_end
from apps.runs.services.conversation_player import PlayResult, TurnBatch
from apps.runs.services.turns import turn_row

LEASE = timedelta(seconds=60)  # brief 003: a battle whose worker is silent for more than 60 s is taken up by another


_STORE = """
UPDATE runs_conversation c SET session = x.session, extra = x.extra, turn_in_flight = x.turn_in_flight,
  lease_expires_at = %s
FROM jsonb_to_recordset(%s) AS x(id uuid, session jsonb, extra jsonb, turn_in_flight integer) WHERE c.id = x.id
"""


def store_turns(
    rows: Sequence[Conversation],
    batches: Mapping[Any, Sequence[TurnBatch]],
    *,
    now: datetime,
    masked: bool,
    lease: timedelta = LEASE,
) -> None:
    """Add to each conversation's last attempt what its batches bring, and extend the leases. The caller holds the rows.
    Three queries, however many they are."""
    counted = Turn.objects.last_attempt().filter(conversation__in=rows).values_list("conversation_id")
    counts_by_kind = dict(counted.annotate(n=Count("*")).order_by())
    turns = []
    for row in rows:
        position = counts_by_kind.get(row.pk, 0)
        for batch in batches[row.pk]:
            for turn in batch.turns:
                turns.append(turn_row(row.id, position, turn, masked=masked, attempt=row.attempt))
                position += 1
            _add(row, batch, masked=masked)
    Turn.objects.bulk_create(turns)
    changed = [
        {"id": str(row.pk), "session": row.session, "extra": row.extra, "turn_in_flight": row.turn_in_flight}
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.execute(_STORE, [now + lease, json.dumps(changed)])


def _add(row: Conversation, batch: TurnBatch, *, masked: bool) -> None:
    """Add a batch's changes to the conversation itself. An answer, which brings its session, accounts for the turn."""
    if batch.sending is not None:
        row.turn_in_flight = batch.sending.position
    if batch.session is not None:
        row.session |= storable({"context_id": batch.session.context_id, "state": dict(batch.session.state)})
        row.turn_in_flight = None
    if batch.last_word:
        row.session["last_word"] = batch.last_word.value
    if batch.replay:
        more = _at_rest({"extra": dict(batch.replay)}, masked)["extra"]
        row.extra = {**row.extra, "replay": _merged(row.extra.get("replay") or {}, more)}
    if batch.end_state:
        states = [dict(one) for one in batch.end_state]
        row.extra = {**row.extra, **storable(_at_rest({"extra": {"end_state": states}}, masked)["extra"])}


def _at_rest(values: Mapping[str, Any], masked: bool) -> dict[str, Any]:
    return at_rest(Conversation._meta.db_table, values, masked=masked)


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
        again = {"attempt": row.attempt + 1, "extra": {**row.extra, "interrupted": True}} if result.anew else {}
        waits = {"not_before": now + timedelta(seconds=result.retry_after), "waiting_for": result.waiting_for[:200]}
        if result.unfunded is not None:
            waits = waits_for_money(result.unfunded, now=now)
        Conversation.objects.filter(pk=row.pk).update(
            **again,
            **waits,
            status=ConversationStatus.PENDING,
            turn_in_flight=None,
            lease_token=None,
            lease_expires_at=None,
        )
        return
    # What an agent carried from turn to turn is said by nobody any more, and holds all that was said.
    words = _at_rest({"error_message": result.error_message, "session": row.session}, masked)
    Conversation.objects.filter(pk=row.pk).update(
        **storable(words),
        status=result.status,
        blame=result.blame,
        end_reason=result.end_reason or "",
        simulator_verdict=verdict_at_end(row, result.status),
        error_code=result.error_code[:60],
        ended_at=now,
        turn_in_flight=None,
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


def answer_senders(batches: Mapping[Any, Sequence[TurnBatch]], *, held: Collection[Any]) -> None:
    """Let those go that waited until it was stored that their turn is being sent; who is not `held` may not send it."""
    for key, some in batches.items():
        for batch in some:
            if batch.sending is not None and not batch.sending.stored.done():
                batch.sending.stored.set_result(key in held)


def moves_on(batches: Sequence[TurnBatch], result: PlayResult | None) -> bool:
    """Tell whether the conversation got further: an answer, or its end.

    A wait for a model or an agent is none, nor is what was said to an agent that does not answer.
    """
    return any(batch.session is not None for batch in batches) or (result is not None and result.retry_after is None)


def result_of(part: Delivery) -> PlayResult:
    """Return how the job of a final delivery ended; an exception nobody foresaw is the platform's fault."""
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
