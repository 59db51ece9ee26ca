"""People's acceptances of changes that pull requests make to their own judging."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.core.documents import Component, Document, Id, Moment
from apps.core.timestamps import format_timestamp
from apps.gates.models import GateAcceptance


class GateAcceptanceDocument(Document, component="GateAcceptance"):
    id: Id
    gate: Id
    agent: str
    commit: str
    accepted_by: str
    accepted_at: Moment
    note: str
    changes: Sequence[Annotated[Mapping[str, Any], Component("JudgingChange")]]


def acceptances_of(*, agent: str, commit: str) -> list[GateAcceptanceDocument]:
    """The acceptances for a commit, the newest first. One query."""
    rows = GateAcceptance.objects.filter(agent=agent, commit=commit).order_by("-id")
    return [acceptance_document(row) for row in rows]


def find_acceptance_row(id: uuid.UUID) -> GateAcceptance:
    """Return the acceptance with this id. One query."""
    return GateAcceptance.objects.get(pk=id)


def acceptance_document(row: GateAcceptance) -> GateAcceptanceDocument:
    """Return the acceptance as the API shows it. No query."""
    return GateAcceptanceDocument(
        id=str(row.pk),
        gate=str(row.gate),
        agent=row.agent,
        commit=row.commit,
        accepted_by=row.accepted_by,
        accepted_at=format_timestamp(row.created_at),
        note=row.note,
        changes=row.changes,
    )
