"""A draft of a prompt: a person's own words, or a model's, checked by the guards before anybody may try them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from apps.catalog.domain import field_readers as checks
from apps.catalog.models import PromptLine, PromptVersion
from apps.catalog.prompts.domain.texts import MAX_PROMPT_CHARS
from apps.catalog.prompts.services.recording import read_prompt_file, record_prompt_text
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.improvement.analysis.models import Analysis
from apps.improvement.drafts.domain.guarded_text import GuardedText
from apps.improvement.drafts.domain.guards import guard_reasons
from apps.improvement.drafts.domain.states import (
    MAX_NOTE_CHARS,
    DraftMode,
    DraftOrigin,
    DraftStatus,
    GuardReason,
    draft_revision,
    refuse_reject,
    with_line_ends_of,
)
from apps.improvement.drafts.models import PromptDraft
from apps.improvement.drafts.queries.documents import find_draft, find_line
from apps.improvement.drafts.queries.guard_material import guard_material
from apps.improvement.drafts.queries.lineage import earlier_versions, round_of_new_draft


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSource:
    """Author of a draft, and its subject: finding `finding_number` (from 1) of an analysis, or none.

    A full draft answers all of the analysis and names no number. With `round` 0 it gets the round of a draft written
    now. `parts` says which sections of a combined draft come from which draft.
    """

    by: str
    origin: DraftOrigin = DraftOrigin.OWN
    mode: DraftMode = DraftMode.OWN
    analysis_id: uuid.UUID | None = None
    finding_number: int | None = None
    round: int = 0
    note: str = ""
    hopes: Any = None
    parts: Sequence[Mapping[str, Any]] = ()


def create_draft(*, name: str, text: str, source: DraftSource, base: str = "") -> uuid.UUID:
    """Keep a draft of this line's live prompt, and give its id.

    It is proposed where no guard speaks against it, else refused with its reasons.

    A proposed one is a prompt version of its own, `<name>@sha256-<8 digits>`, which is not live. `base` is the version
    that was live when somebody began to write. Safe to repeat: the same words against the same live prompt are one
    draft. Some twenty queries. Raises NotFound, BadInput, and Conflict (`live_moved`) where another version is live by
    now.
    """
    line = find_line(name)
    _check_finding(source)
    if base and base != line.live.version:
        raise Conflict(f"{line.live.version} is live by now, no longer {base}: draft against that.", code="live_moved")
    given = checks.text(text, "/text", required=True, limit=MAX_PROMPT_CHARS)
    words = with_line_ends_of(line.live.text, given)
    note = checks.text(source.note, "/note", limit=MAX_NOTE_CHARS)
    reasons = guard_reasons(_guarded(line, words, source))
    with transaction.atomic():
        now_live = PromptLine.objects.select_for_update().get(pk=line.pk)  # who post the same words twice get one draft
        if now_live.live_id != line.live_id:
            raise Conflict("Another version became live in this moment: draft again.", code="live_moved")
        return _equal_draft(line, words, reasons, source) or _store(line, words, source, note, reasons)


def draft_from_file(*, path: Path | str, name: str | None, by: str) -> uuid.UUID | None:
    """Keep a prompt file as a draft of the live prompt of its name, the file's stem unless given.

    None where no prompt of that name is live: there is nothing that it could be a draft of. Raises BadInput for a file
    that cannot be read.
    """
    called, text = read_prompt_file(path, name)
    if not PromptLine.objects.filter(name=called).exists():
        return None
    return create_draft(name=called, text=text, source=DraftSource(by=by))


def reject_draft(draft_id: uuid.UUID | str, *, by: str, reason: str, now: datetime) -> None:
    """Take a draft out of use for good, with the reason that its page shows. Three queries.

    Raises NotFound, BadInput (`no_reason`, `too_long`), Conflict (`in_trial`; `wrong_state`, also when it is repeated).
    """
    draft = find_draft(draft_id)
    with transaction.atomic():
        row = PromptDraft.objects.select_for_update().get(pk=draft.pk)
        refuse_reject(DraftStatus(row.status), reason)
        PromptDraft.objects.filter(pk=row.pk).update(
            status=DraftStatus.REJECTED, rejected_by=by[:150], rejected_at=now, reject_reason=reason.strip()
        )
    log_event(EventType.DRAFT_REJECTED, draft=str(row.pk), by=by)


def _check_finding(source: DraftSource) -> None:
    """Check that the finding exists, where one is named. One query then.

    Raises NotFound, and BadInput where it is named only in part or is not there.
    """
    if source.finding_number is None and (source.analysis_id is None or source.mode.names_no_finding):
        return
    if source.analysis_id is None or source.finding_number is None:
        missing = "analysis_id" if source.analysis_id is None else "finding_number"
        message = "A finding is named by analysis_id and finding_number together, or not at all."
        raise BadInput(message, code="required", pointer=f"/{missing}")
    findings = Analysis.objects.filter(pk=source.analysis_id).values_list("findings", flat=True).first()
    if findings is None:
        raise NotFound(f"There is no analysis {source.analysis_id}.", pointer="/analysis_id")
    if not 1 <= source.finding_number <= len(findings):
        message = f"This analysis has {len(findings)} findings; there is no finding {source.finding_number}."
        raise BadInput(message, code="unknown_finding", pointer="/finding_number")


def _guarded(line: PromptLine, words: str, source: DraftSource) -> GuardedText:
    earlier = earlier_versions(line).values_list("text", flat=True)
    return GuardedText(
        live=line.live.text,
        draft=words,
        mode=source.mode,
        earlier=tuple(earlier),
        material=guard_material(line, source.analysis_id),
    )


def _equal_draft(line: PromptLine, words: str, reasons: list[GuardReason], source: DraftSource) -> uuid.UUID | None:
    """The draft that these words are already, against the same live prompt; a refused one with the same reasons. What
    guards warn of now stands beside it. One that answered no finding yet, and waits to be tried, answers the one that
    is named now."""
    stopped, stored = any(reason.stops for reason in reasons), [reason.as_json() for reason in reasons]
    rows = PromptDraft.objects.filter(line=line, base_id=line.live_id, digest=sha256_hex(words))
    for row in rows.filter(version__isnull=stopped).order_by("-created_at"):
        if stopped and row.refusals != stored:
            continue
        if row.refusals != stored:
            PromptDraft.objects.filter(pk=row.pk).update(refusals=stored)
        if source.finding_number and row.analysis_id is None and row.status == DraftStatus.PROPOSED:
            PromptDraft.objects.filter(pk=row.pk).update(
                analysis_id=source.analysis_id, finding_number=source.finding_number
            )
        return uuid.UUID(str(row.pk))
    return None


def _store(line: PromptLine, words: str, source: DraftSource, note: str, reasons: list[GuardReason]) -> uuid.UUID:
    digest, stopped = sha256_hex(words), any(reason.stops for reason in reasons)
    version = None
    if not stopped:
        called = record_prompt_text(
            name=line.name, text=words, revision=draft_revision(digest), draft=True, by=source.by
        )
        version = PromptVersion.objects.get(version=called)
    first = PromptDraft.objects.filter(line=line).order_by("created_at", "id").first()
    row = PromptDraft.objects.create(
        line=line,
        base=line.live,
        original_id=first.original_id if first else line.live_id,
        version=version,
        refused_text=words if stopped else "",
        digest=digest,
        origin=source.origin,
        mode=source.mode,
        optimization_round=source.round or round_of_new_draft(line.live_id),
        analysis_id=source.analysis_id,
        finding_number=source.finding_number,
        note=note,
        hopes=source.hopes or {},
        parts=list(source.parts),
        status=DraftStatus.REFUSED if stopped else DraftStatus.PROPOSED,
        refusals=[reason.as_json() for reason in reasons],
        created_by=source.by[:150],
    )
    return uuid.UUID(str(row.pk))
