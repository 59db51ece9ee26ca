"""Read the earlier part of a conversation that another worker played before."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.catalog.goldens.domain.session import files_of
from apps.catalog.models import StoredFile
from apps.connectors.agents.base import AgentSession
from apps.connectors.parallel import Emit, Job
from apps.core.attached_files import AttachedFile
from apps.core.conversation import Utterance
from apps.core.events import EventType, log_event
from apps.jobs.domain.losses import MAX_LOSSES_OF_MANY, loss_sentence, lost_too_often
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.simulator import leaving
from apps.runs.domain.states import EndReason, RunStatus
from apps.runs.playing.services.storing import failed_result
from apps.runs.services.conversation_player import ConversationPlayer, Participants, PlayResult
from apps.runs.services.turns import utterance_of

NOT_CLEAN = (
    "The worker playing it was lost, and nothing in this agent's requests names the conversation: a second attempt "
    "would go on in the first one's. Put {{ session }}, {{ history }} or {{ messages }} into the agent's settings."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierPart:
    """Part of a conversation that was played before.

    `turns` are continued as they are; `interrupted` are those of the last attempt that stored any before its worker was
    lost, for a player that can prove where it stood (None: no worker was lost). `record` holds the lines of a replay
    that are done.
    """

    turns: Sequence[Utterance] = ()
    session: AgentSession = field(default_factory=AgentSession)
    leaves: EndReason | None = None
    interrupted: Sequence[Utterance] | None = None
    record: Mapping[str, Any] = field(default_factory=dict)


def was_interrupted(row: Conversation) -> bool:
    """Tell whether its last worker was lost."""
    return bool(row.extra.get("interrupted"))


def earlier_part(row: Conversation, *, token: uuid.UUID, player: type[ConversationPlayer]) -> EarlierPart:
    """The turns and the session before a clean wait. At most three queries.

    After a lost worker nothing, unless the player can resume: the next attempt starts in a fresh context, because
    nobody can know whether the last turn was delivered, and no agent may hear a turn twice.
    """
    record = (row.extra.get("replay") or {}).get("lines") or {}
    stored = AgentSession(context_id=row.session.get("context_id"), state=row.session.get("state", {}))
    if not was_interrupted(row):
        turns = [utterance_of(turn) for turn in row.turns.last_attempt().order_by("position")]
        last_word = row.session.get("last_word")
        leaves = leaving(last_word) if last_word else None
        return EarlierPart(turns=turns, session=stored, leaves=leaves, record=record)
    resumes = player.resumes and bool(stored.context_id)
    extra = {key: value for key, value in row.extra.items() if key != "interrupted"}
    if player.resumes and not resumes:  # what was through in the lost session is not through in the next one
        extra |= {"replay": {"resumed": False}}
    session = row.session if resumes else {}
    Conversation.objects.filter(pk=row.pk, lease_token=token).update(extra=extra, session=session)
    row.extra, row.session = extra, session
    log_event(EventType.CONVERSATION_RESCUED, conversation=str(row.id), attempt=row.attempt)
    if not resumes:
        return EarlierPart()
    stored_turns = list(row.turns.filter(attempt__lt=row.attempt).order_by("-attempt", "position"))
    # A worker lost while it proved where another one stood has stored nothing: the turns are those of the one before.
    lost = [utterance_of(turn) for turn in stored_turns if turn.attempt == stored_turns[0].attempt]
    return EarlierPart(session=stored, interrupted=lost, record=record)


def take_back_attempt(row: Conversation, *, token: uuid.UUID) -> None:
    """Undo an attempt in which nothing was said, so that the facts of the one before stay valid."""
    if was_interrupted(row):
        Conversation.objects.filter(pk=row.pk, lease_token=token).update(attempt=row.attempt - 1)


def files_of_spec(spec: Mapping[str, Any]) -> dict[str, AttachedFile]:
    """The files of a replay's turns by digest, as they are stored. One query, none where there are no files."""
    document = (spec.get("golden") or {}).get("document") or {}
    named = {
        str(file["sha256"]): file
        for turn in document.get("turns") or ()
        for file in files_of(turn)
        if file.get("sha256")
    }
    if not named:
        return {}
    rows = StoredFile.objects.filter(pk__in=named).values_list("sha256", "content")
    return {
        digest: AttachedFile(name=str(named[digest].get("name") or "file"), content=bytes(content))
        for digest, content in rows
    }


def cannot_play(row: Conversation, participants: Participants | Exception) -> PlayResult | None:
    """Return the result of a conversation that ends without another turn; None where it can be played."""
    if lost_too_often(row.losses, most=MAX_LOSSES_OF_MANY):
        return failed_result("gave_up", loss_sentence("playing it", most=MAX_LOSSES_OF_MANY))
    if isinstance(participants, Exception):
        return failed_result(getattr(participants, "code", "error"), str(participants))
    if was_interrupted(row) and not participants.agent.separates_sessions:
        return failed_result("cannot_start_clean", NOT_CLEAN)
    return None


def begin_run(run: TestRun, *, now: datetime) -> None:
    """A run begins with the first of its conversations, though it was paused and resumed before."""
    if run.started_at is None:
        TestRun.objects.filter(pk=run.pk, started_at=None).update(started_at=now, progress_at=now)
    if run.status == RunStatus.PENDING:
        TestRun.objects.advance(run.pk, expected=RunStatus.PENDING, to=RunStatus.RUNNING)


def ends(played: PlayResult | None) -> Job:
    """The job of a conversation that is over before it was played."""

    async def job(client: Any, emit: Emit) -> PlayResult | None:
        return played

    return job
