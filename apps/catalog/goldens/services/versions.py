"""Golden sessions: every change of what they say is a further version, and a person approves it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.catalog.connections.models import Agent
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.domain.session import GoldenSnapshot, document_digest, snapshot_of
from apps.catalog.goldens.models import GoldenSession, GoldenVersion, StoredFile
from apps.core.attached_files import AttachedFile
from apps.core.errors import BadInput, Conflict, NotFound


def store_golden_version(
    *,
    name: str,
    document: Mapping[str, Any],
    agent: str = "",
    profile: Mapping[str, Any] | None = None,
    captured_from: str = "",
    note: str = "",
    test_data: bool = False,
    files: Mapping[str, AttachedFile] | None = None,
) -> GoldenSnapshot:
    """Keep a conversation document as the next candidate of the golden session of this name, made where there is none.

    Nothing is overwritten: a document that differs from the newest version is a further one, the same is that version
    (safe to repeat). `files` are the turns' by digest. Raises BadInput for a name or an agent that cannot be, Conflict
    where the session belongs to another agent. Five queries.
    """
    called = checks.text(name, "/name", required=True, limit=200)
    body, own = dict(document), dict(profile or {})
    digest = document_digest(body)
    with transaction.atomic():
        keep_files(files or {})
        session = _session(called, agent)
        newest = session.versions.order_by("-number").first()
        if newest is not None and (newest.digest, newest.profile) == (digest, own):
            return snapshot_of(newest, session)
        made = session.versions.create(
            number=newest.number + 1 if newest else 1,
            document=body,
            profile=own,
            digest=digest,
            captured_from=captured_from[:500],
            note=note,
            test_data=test_data,
        )
    return snapshot_of(made, session)


def release_golden_version(
    *,
    version_id: UUID | str,
    document: Mapping[str, Any],
    now: datetime,
    by: str = "",
    test_data: bool = False,
    note: str | None = None,
) -> None:
    """Make a candidate the approved one, with the document as it was masked, and confirm its session.

    apps.runs.goldens.services.approval masks and proves the gates; nobody else calls this. Raises NotFound, Conflict
    (`not_a_candidate`) where it is approved or retired already. Three queries.
    """
    body = dict(document)
    fields = {"document": body, "digest": document_digest(body), "test_data": test_data}
    fields |= {"approved_by": by[:150], "approved_at": now} | ({} if note is None else {"note": note})
    with transaction.atomic():
        _move(version_id, GoldenStatus.APPROVED, (GoldenStatus.CANDIDATE,), **fields)
        GoldenSession.objects.filter(versions__pk=version_id).update(confirmed_at=now, confirmed_by=by[:150])


def retire_golden_version(*, version_id: UUID | str, document: Mapping[str, Any] | None = None) -> None:
    """Take a version out of use: the highest approved one that is left counts. `document` is the masked one, where a
    candidate that was not masked yet is retired. Raises NotFound, Conflict (`not_a_candidate`). Two queries."""
    fields = {} if document is None else {"document": dict(document), "digest": document_digest(dict(document))}
    _move(version_id, GoldenStatus.RETIRED, (GoldenStatus.CANDIDATE, GoldenStatus.APPROVED), **fields)


def confirm_golden_session(*, name: str, by: str, now: datetime, owner: str | None = None) -> None:
    """A person has looked at a golden session and finds it right; with `owner` somebody else answers for it from now
    on. Safe to repeat. Raises NotFound. One query."""
    fields: dict[str, Any] = {"confirmed_at": now, "confirmed_by": by[:150]}
    fields |= {} if owner is None else {"owner": owner[:150]}
    if not GoldenSession.objects.filter(name=name).update(**fields):
        raise NotFound(f"there is no golden session named {name!r}", pointer="/name")


def keep_files(files: Mapping[str, AttachedFile]) -> None:
    """Store files by digest; those that are there stay. One query where there are any."""
    if files:
        StoredFile.objects.bulk_create(
            [StoredFile(sha256=digest, content=file.content) for digest, file in files.items()], ignore_conflicts=True
        )


def _session(name: str, agent: str) -> GoldenSession:
    """The session, locked, so that two captures at once get two numbers."""
    owner = Agent.objects.defer("secrets").filter(name=agent).first() if agent else None
    if agent and owner is None:
        raise BadInput(f"there is no agent named {agent!r}", code="unknown_agent", pointer="/agent")
    GoldenSession.objects.bulk_create([GoldenSession(name=name, agent=owner)], ignore_conflicts=True)
    session = GoldenSession.objects.select_for_update().get(name=name)
    if owner is not None and session.agent_id not in (None, owner.pk):
        raise Conflict(f"the golden session {name!r} is another agent's", code="golden_of_another_agent")
    if owner is not None and session.agent_id is None:
        session.agent = owner
        session.save(update_fields=["agent", "updated_at"])
    return session


def _move(version_id: UUID | str, to: GoldenStatus, expected: tuple[GoldenStatus, ...], **fields: Any) -> None:
    if GoldenVersion.objects.advance(version_id, expected=expected, to=to, **fields):
        return
    row = GoldenVersion.objects.select_related("golden").filter(pk=version_id).first()
    if row is None:
        raise NotFound(f"there is no version of a golden session with the id {version_id}")
    raise Conflict(f"{row} is {row.status} and cannot become {to.value}", code="not_a_candidate")
