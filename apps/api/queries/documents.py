"""Rows as the API shows them, where no lower room has the document already."""

from collections.abc import Container, Mapping, Sequence
from typing import Annotated, Any

from apps.catalog.models import GoldenSession
from apps.core.documents import Component, Count, Document, Id, Moment, one_of
from apps.core.shapes import described
from apps.core.timestamps import format_if_known, format_timestamp
from apps.evaluations.models import Evaluation
from apps.runs.domain.counting import counting_of
from apps.runs.domain.states import Blame, ConversationStatus, EndReason, Kind, SimulatorVerdict
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.queries.simulator_counts import simulator_counts


class SentConversation(Document, component="Conversation"):
    id: Id
    conversation_id: str
    position: int
    kind: Annotated[str, one_of(Kind)]
    status: Annotated[str, one_of(ConversationStatus)]
    blame: Annotated[str, one_of(Blame)] | None
    end_reason: Annotated[str, one_of(["", *EndReason]), described("Empty until it is over.")]
    simulator_verdict: Annotated[str, one_of(SimulatorVerdict)]
    counts: Annotated[bool, described("Whether it stands in scores, checks and verdicts.")]
    counts_why: str
    attempt: Annotated[int, described("Turns are those of the last attempt; 0: nothing was played.")]
    language: str
    domain: str
    source: str
    labels: Mapping[str, Any]
    error_code: str
    error_message: str
    started_at: Moment | None
    ended_at: Moment | None
    turns: Sequence[Annotated[Mapping[str, Any], Component("Turn")]]


class GoldenSessionLine(Document, component="GoldenSessionLine"):
    id: Id
    name: str
    agent: str | None
    version: Annotated[int | None, described("What a replay plays; null where none is approved.")]
    newest: Annotated[Count, described("The highest version, whatever its state.")]
    status: Annotated[str, described("Of the highest version: candidate, approved or retired.")]
    owner: str


def run_document(run: TestRun) -> dict[str, Any]:
    """A test run with its frozen plan (which holds no secret), and how its simulated customers did. One query."""
    return {**run_line(run), "simulator": simulator_counts(run.pk), "plan": run.plan}


def run_line(run: TestRun) -> dict[str, Any]:
    """A test run in a list."""
    return {
        **_work_line(run),
        "kind": run.kind,
        "name": run.name,
    }


def evaluation_line(evaluation: Evaluation) -> dict[str, Any]:
    """An evaluation in a list: what needs no sums."""
    return {
        **_work_line(evaluation),
        "test_run_id": str(evaluation.run_id),
        "evaluator_config": evaluation.config_ref,
        "error_code": evaluation.error_code,
    }


def _work_line(row: TestRun | Evaluation) -> dict[str, Any]:
    """Return the fields that a run and an evaluation share."""
    return {
        "id": str(row.id),
        "status": row.status,
        "subject": row.subject,
        "triggered_by": row.triggered_by,
        "error_message": row.error_message,
        "created_at": format_if_known(row.created_at),
        "started_at": format_if_known(row.started_at),
        "ended_at": format_if_known(row.ended_at),
    }


def conversation_document(conversation: Conversation) -> SentConversation:
    """A conversation of a run with its turns (prefetched), as the conversation document has them."""
    counting = counting_of(
        status=conversation.status,
        blame=conversation.blame,
        simulator_verdict=conversation.simulator_verdict,
    )
    return SentConversation(
        id=str(conversation.id),
        conversation_id=conversation.external_id,
        position=conversation.position,
        kind=conversation.kind,
        status=conversation.status,
        blame=conversation.blame,
        end_reason=conversation.end_reason,
        simulator_verdict=conversation.simulator_verdict,
        counts=counting.counts,
        counts_why=counting.why,
        attempt=conversation.attempt,
        language=conversation.language,
        domain=conversation.domain,
        source=conversation.source,
        labels=conversation.labels,
        error_code=conversation.error_code,
        error_message=conversation.error_message,
        started_at=format_if_known(conversation.started_at),
        ended_at=format_if_known(conversation.ended_at),
        turns=[_turn(turn) for turn in sorted(conversation.turns.all(), key=lambda turn: turn.position)],
    )


def prompt_line(row: Any, *, missed: Container[str] = ()) -> dict[str, Any]:
    """A prompt version with its text, as `prompt_versions` reads it. `missed` are versions that need optimization."""
    return {
        "id": str(row.id),
        "version": row.version,
        "name": row.name,
        "text": row.text,
        "digest": row.digest,
        "live": row.live,
        "needs_optimization": row.version in missed,
        "created_at": format_if_known(row.created_at),
    }


def golden_line(row: GoldenSession) -> GoldenSessionLine:
    """A golden session as a list shows it, from the columns of `listed_goldens`."""
    return GoldenSessionLine(
        id=str(row.pk),
        name=row.name,
        agent=row.agent.name if row.agent else None,
        version=getattr(row, "approved_number", None),
        newest=getattr(row, "newest_number", None) or 0,
        status=getattr(row, "newest_status", None) or "",
        owner=row.owner,
    )


def _turn(turn: Any) -> dict[str, Any]:
    document = {
        **turn.extra,
        "role": turn.role,
        "content": turn.content,
    }  # what its source recorded comes back as it came
    for name in ("tool_calls", "tool_call_id", "name", "latency_ms", "attachments"):
        value = getattr(turn, name)
        if value not in (None, "", []):
            document[name] = value
    if turn.ts is not None:
        document["ts"] = format_timestamp(turn.ts)
    return document
