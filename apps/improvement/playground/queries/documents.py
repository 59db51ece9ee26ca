"""Prompts beside each other on a kept conversation, as the API and the pages show them."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.core.digest import sha256_hex
from apps.core.documents import Count, Document, Id, Moment, StoredAs, one_of
from apps.core.errors import NotFound
from apps.core.shapes import Keywords, described
from apps.core.timestamps import format_if_known, format_timestamp
from apps.improvement.drafts.models import PromptDraft
from apps.improvement.holdout.queries.sealing import refuse_sealed
from apps.improvement.playground.domain.answers import ColumnStatus, PlaygroundStatus, kept_reply
from apps.improvement.playground.models import Playground, PlaygroundColumn
from apps.runs.models import Turn

_FIELDS = ("position", "role", "content", "tool_calls", "tool_call_id", "name")


class PlaygroundLine(Document):
    turn: Count
    customer: str
    kept_reply: Annotated[str, described("What the agent answered when the conversation happened.")]


class PlaygroundColumnReply(Document):
    text: str
    tools: Sequence[str]
    latency_ms: Count


class PlaygroundColumnDocument(Document):
    number: Annotated[int, Keywords({"minimum": 1})]
    prompt_version: Annotated[str | None, described("null: words of one's own, which stand in own_text.")]
    own_text: str
    draft_id: Annotated[Id | None, described("Where these words are a draft by now.")]
    provider: str
    model: str
    status: Annotated[str, one_of(ColumnStatus)]
    replies: Annotated[
        Sequence[Annotated[Mapping[str, Any], StoredAs(PlaygroundColumnReply)]],
        described("In the order of the lines; fewer where it ended or failed."),
    ]
    error_message: str
    latency_ms: Count | None
    calls: Count
    cost_usd: float | None


class PlaygroundDocument(Document, component="Playground"):
    id: Id
    status: Annotated[str, one_of(PlaygroundStatus)]
    conversation_id: Id
    agent: str
    reached_by: Annotated[str, described("prompted, or the kind of its staging connection.")]
    from_turn: Count
    lines: Sequence[PlaygroundLine]
    columns: Sequence[PlaygroundColumnDocument]
    sentence: str
    waiting_for: str
    error_message: str
    requested_by: str
    created_at: Moment
    ended_at: Moment | None


def playground_turns(conversation_id: uuid.UUID) -> list[dict[str, Any]]:
    """The transcript as plain data, in its order. One query."""
    rows = Turn.objects.transcript().filter(conversation=conversation_id).order_by("position")
    return list(rows.values(*_FIELDS))


def find_playground(playground_id: uuid.UUID) -> Playground:
    """The row with its columns. Three queries. Raises NotFound, and Conflict (`sealed`) where its conversation belongs
    to a hold-out by now."""
    rows = Playground.objects.select_related("conversation__run", "agent").prefetch_related("columns__version")
    row = rows.filter(pk=playground_id).first()
    if row is None:
        raise NotFound(f"There is no playground with the id {playground_id}.")
    refuse_sealed([row.conversation_id])
    return row


def playground_document(row: Playground) -> PlaygroundDocument:
    """The question of a playground, each version's answer, and the cost and time. Two queries where the row came from
    `find_playground`."""
    turns = playground_turns(row.conversation_id)
    contents = {turn["position"]: turn["content"] for turn in turns}
    columns = sorted(row.columns.all(), key=lambda column: column.number)
    drafts = _drafts_of(columns)
    return PlaygroundDocument(
        id=str(row.pk),
        status=row.status,
        conversation_id=str(row.conversation_id),
        agent=row.agent.name,
        reached_by=row.connection.get("kind", ""),
        from_turn=row.lines[0],
        lines=[
            PlaygroundLine(turn=at, customer=contents.get(at, ""), kept_reply=kept_reply(turns, at)) for at in row.lines
        ],
        columns=[_column(column, drafts) for column in columns],
        sentence=_sentence(row, columns),
        waiting_for=row.waiting_for,
        error_message=row.error_message,
        requested_by=row.requested_by,
        created_at=format_timestamp(row.created_at),
        ended_at=format_if_known(row.ended_at),
    )


def newest_playgrounds(conversation_id: uuid.UUID, *, most: int = 10) -> list[Playground]:
    """The playgrounds of this conversation, the newest first. One query."""
    return list(Playground.objects.filter(conversation=conversation_id).order_by("-created_at", "-id")[:most])


def _column(column: PlaygroundColumn, drafts: dict[str, str]) -> PlaygroundColumnDocument:
    return PlaygroundColumnDocument(
        number=column.number,
        prompt_version=column.version.version if column.version_id else None,
        own_text=column.own_text,
        draft_id=drafts.get(column.own_text) if column.own_text else None,
        provider=column.provider,
        model=column.answered_by or column.model,
        status=column.status,
        replies=column.replies,
        error_message=column.error_message,
        latency_ms=sum(reply["latency_ms"] for reply in column.replies) if column.replies else None,
        calls=column.calls,
        cost_usd=None if column.cost_usd is None else float(column.cost_usd),
    )


def _drafts_of(columns: list[PlaygroundColumn]) -> dict[str, str]:
    """{words: draft} of words of one's own that are a draft by now. One query where there are such words."""
    own = {sha256_hex(column.own_text): column.own_text for column in columns if column.own_text}
    rows = PromptDraft.objects.filter(digest__in=own).order_by("created_at") if own else ()
    return {own[row.digest]: str(row.pk) for row in rows}


def _sentence(row: Playground, columns: list[PlaygroundColumn]) -> str:
    done = sum(column.status == "answered" for column in columns)
    failed = sum(column.status == "failed" for column in columns)
    of = f"{done} of {len(columns)} answered turn {row.lines[0]}"
    if row.status == PlaygroundStatus.PENDING:
        return f"{of} so far."
    sentence = f"{of}; {failed} could not." if failed else f"{of}."
    costs = [column.cost_usd for column in columns]
    known = [cost for cost in costs if cost is not None]
    calls = sum(column.calls for column in columns)
    if not calls:
        return sentence
    whole = len(known) == len(costs)
    money = ("" if whole else "at least ") + f"${sum(known):.4f}" if known else "an unknown price"
    return f"{sentence} {calls} model calls, {money}."
