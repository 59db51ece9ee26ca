"""A person says that a reworded reply is right: the gate that a replay was stuck at opens for it too from now on."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.catalog.goldens.domain.session import GoldenSnapshot
from apps.catalog.goldens.queries.versions import current_goldens
from apps.core.errors import BadInput, Conflict, NotFound
from apps.runs.conversations.models import Conversation
from apps.runs.domain.states import ConversationStatus, Kind
from apps.runs.goldens.domain.gate_variants import with_variant
from apps.runs.goldens.domain.replay_script import script_of
from apps.runs.goldens.domain.stuck_gates import DESYNC
from apps.runs.goldens.queries.replayed import turns_of
from apps.runs.goldens.services.approval import approve_golden
from apps.runs.goldens.services.editing import edit_golden


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckReply:
    """Reply at which a replay was stuck.

    `number` is the turn of the customer (from 1), `position` the place of the golden reply in the document, `reply`
    what the agent said instead.
    """

    conversation: uuid.UUID
    golden: str
    digest: str
    number: int
    position: int
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedGates:
    """Gates that accept more wordings now.

    `versions` are the new versions of golden sessions by name, each with its number of such gates; `left` says why a
    replay was left out.
    """

    versions: Mapping[str, tuple[int, int]]
    left: Sequence[str] = ()


def stuck_replies(conversation_ids: Collection[uuid.UUID | str]) -> list[StuckReply]:
    """The replays among these that lost their step at a gate where the agent said something. Two queries."""
    rows = list(
        Conversation.objects.filter(
            pk__in=conversation_ids, kind=Kind.REPLAY, status=ConversationStatus.FAILED, error_code=DESYNC
        ).order_by("position")
    )
    turns = turns_of([row.pk for row in rows])
    return [stuck for row in rows if (stuck := _stuck(row, turns[row.pk])) is not None]


def accept_wordings_of_run(*, run_id: uuid.UUID, by: str, now: datetime) -> OpenedGates:
    """Accept the wordings of every replay of a run in which only the words differ.

    A replay that lacks a fact stays as it is. Raises as `accept_wordings`.
    """
    rows = Conversation.objects.filter(run_id=run_id, error_code=DESYNC, blame__isnull=True)
    ids = list(rows.values_list("pk", flat=True))
    if not ids:
        raise Conflict("No replay of this run was stuck where only the words differ.", code="not_stuck")
    return accept_wordings(conversation_ids=ids, by=by, now=now)


def accept_wordings(*, conversation_ids: Collection[uuid.UUID | str], by: str, now: datetime) -> OpenedGates:
    """Open the gates that these replays were stuck at for what the agent said there.

    Each golden session gets one new version, which is approved at once. Only gates change, never what was said or
    expected else.

    What cannot be opened (a golden session that was changed since, a reply with nothing to hold on to) is left out and
    said. Raises NotFound where none of them is there; Conflict: `not_stuck` where none was stuck at a reply,
    `nothing_opened` where all were left out. About ten queries a golden session.
    """
    if not Conversation.objects.filter(pk__in=conversation_ids).exists():
        raise NotFound("there is no such conversation")
    stuck = stuck_replies(conversation_ids)
    if not stuck:
        raise Conflict("No replay of these was stuck at a reply of the agent.", code="not_stuck")
    by_golden: dict[str, list[StuckReply]] = defaultdict(list)
    for reply in stuck:
        by_golden[reply.golden].append(reply)
    current = current_goldens(list(by_golden))
    versions, left = dict[str, tuple[int, int]](), list[str]()
    for name, replies in by_golden.items():
        golden = current.get(name)
        fresh = [reply for reply in replies if golden is not None and reply.digest == golden.digest]
        if golden is None or not fresh:
            left.append(f"{name} was changed since: replay it again")
            continue
        edits = _edits(golden, fresh, left)
        if edits:
            versions[name] = (_approved(golden, edits, by=by, now=now), len(edits))
    if not versions:
        raise Conflict("; ".join(dict.fromkeys(left)), code="nothing_opened")
    return OpenedGates(versions=versions, left=tuple(left))


def _edits(golden: GoldenSnapshot, replies: Sequence[StuckReply], left: list[str]) -> dict[int, dict[str, Any]]:
    """{position: the gate that opens for every one of these replies}."""
    turns = [dict(turn) for turn in golden.document["turns"]]
    edits: dict[int, dict[str, Any]] = {}
    for reply in replies:
        try:
            pattern = with_variant(turns, reply.position, reply=reply.reply)
        except BadInput as error:
            left.append(error.message)
            continue
        turns[reply.position]["wait_for_pattern"] = pattern
        edits[reply.position] = {"wait_for_pattern": pattern}
    return edits


def _approved(golden: GoldenSnapshot, edits: Mapping[int, Mapping[str, Any]], *, by: str, now: datetime) -> int:
    note = f"{by}: {len(edits)} gate{'' if len(edits) == 1 else 's'} opened for another wording"
    made = edit_golden(version_id=golden.version_id, edits=edits, by=by, note=note)
    if made.number != golden.number:
        approve_golden(version_id=made.version_id, by=by, now=now, test_data=golden.test_data, note=note)
    return int(made.number)


def _stuck(row: Conversation, turns: Sequence[Mapping[str, Any]]) -> StuckReply | None:
    spec = row.spec or {}
    lines = script_of(spec["golden"]["document"])
    sent = [at for at, turn in enumerate(turns) if turn["role"] == "user" and turn["purpose"] != "nudge"]
    if not sent or len(sent) > len(lines):
        return None
    line = lines[len(sent) - 1]
    reply_texts = [
        str(turn["content"]) for turn in turns[sent[-1] :] if turn["role"] == "assistant" and turn["content"]
    ]
    gated = [at for at in line.reply_positions if spec["golden"]["document"]["turns"][at].get("wait_for_pattern")]
    if not reply_texts or not gated:
        return None
    return StuckReply(
        conversation=row.pk,
        golden=str(spec["golden_session"]),
        digest=str(spec.get("golden_digest") or ""),
        number=line.number,
        position=gated[-1],
        reply=reply_texts[0],
    )
