"""Drafts of prompts as the API, the command and the pages show them."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from django.db.models import QuerySet

from apps.catalog.models import PromptLine
from apps.core.documents import Count, Document, Id, Moment, StoredAs, members, one_of
from apps.core.errors import BadInput, NotFound
from apps.core.shapes import Keywords, described
from apps.core.timestamps import format_if_known, format_timestamp
from apps.improvement.drafts.domain.places import place_in
from apps.improvement.drafts.domain.release import unified_patch
from apps.improvement.drafts.domain.states import DraftMode, DraftMove, DraftOrigin, DraftStatus, GuardCode, moves_of
from apps.improvement.drafts.models import PromptDraft, Trial
from apps.improvement.drafts.queries.draft_status import verdict_of_trial

DRAFT_FILTERS: Mapping[str, str] = {
    "name": "Of the prompt, exactly.",
    "status": f"One of {', '.join(DraftStatus)}.",
}
_BESIDE = ("line__live", "line__agent", "version", "base", "original")


class DraftTextPlace(Document):
    start: Annotated[Count, described("Characters from the beginning of the draft.")]
    end: Count
    line: Annotated[int, Keywords({"minimum": 1})]
    section: Annotated[str, described("Its title; empty where it has none.")]


class DraftGuardReason(Document):
    code: Annotated[str, one_of(GuardCode)]
    message: Annotated[str, described("What is wrong, and what to do.")]
    where: Annotated[Mapping[str, Any], StoredAs(DraftTextPlace)] | None


class DraftLineTrial(Document):
    id: Id
    status: str
    part: str
    verdict: str | None
    sentence: str


class DraftLine(Document, component="DraftLine"):
    id: Id
    name: Annotated[str, described("Of the prompt.")]
    prompt_version: Annotated[str | None, described("<name>@sha256-<8 digits>; null where guards refused it.")]
    status: Annotated[str, one_of(DraftStatus)]
    base: Annotated[str, described("The version that was live when it was written.")]
    base_is_live: bool
    original: Annotated[str, described("The version that was live at the first draft of this prompt.")]
    origin: Annotated[str, one_of(DraftOrigin)]
    mode: Annotated[str, one_of(DraftMode)]
    optimization_round: Annotated[Count, described("From 1, of those against its base.")]
    analysis_id: Id | None
    finding_number: Annotated[int, Keywords({"minimum": 1})] | None
    note: str
    refusals: Annotated[Sequence[DraftGuardReason], described("Why guards refused it; empty for every other one.")]
    warnings: Annotated[Sequence[DraftGuardReason], described("What guards tell whoever reads it; stops nothing.")]
    trial: Annotated[DraftLineTrial, described("Its newest trial.")] | None
    next: Annotated[Sequence[Annotated[str, one_of(DraftMove)]], described("What may be done with it now.")]
    created_by: str
    created_at: Moment


class DraftPart(Document):
    draft: Id
    sections: Sequence[str]


class DraftHandover(Document):
    by: str
    reason: str
    at: Moment
    seen_live_at: Annotated[Moment | None, described("null: handed over, and not yet recorded with its commit.")]
    patch: Annotated[str | None, described("What `git apply` takes; null once it is seen live.")]


class DraftRejectionDocument(Document):
    by: str
    reason: str
    at: Moment


class Draft(DraftLine, component="Draft"):
    text: str
    diff: Annotated[str, described("Unified, against `base`.")]
    hopes: Annotated[Mapping[str, Any], described("What a model says that its fix lifts and might hurt.")]
    parts: Annotated[
        Sequence[Annotated[Mapping[str, Any], StoredAs(DraftPart)]],
        described("Of a combined draft: whose words stand in which sections."),
    ]
    release: DraftHandover | None
    rejection: DraftRejectionDocument | None


def find_draft(draft_id: uuid.UUID | str) -> PromptDraft:
    """The row with its line and versions. One query. Raises NotFound."""
    try:
        key = uuid.UUID(str(draft_id))
    except ValueError:
        raise NotFound(f"There is no draft {draft_id}.") from None
    draft = PromptDraft.objects.select_related(*_BESIDE).filter(pk=key).first()
    if draft is None:
        raise NotFound(f"There is no draft {draft_id}.")
    return draft


def find_line(name: str) -> PromptLine:
    """The line of prompts of this name, with its live version. One query. Raises NotFound."""
    line = PromptLine.objects.select_related("live").filter(name=name).first()
    if line is None:
        raise NotFound(f"There is no live prompt {name!r}: record one first.", pointer="/name")
    return line


def find_drafts(draft_ids: Sequence[str]) -> list[PromptDraft]:
    """The rows in the order they were named, with their line and versions. One query. Raises NotFound; BadInput for
    drafts of several prompts."""
    try:
        keys = [uuid.UUID(draft_id) for draft_id in draft_ids]
    except ValueError as error:
        raise NotFound(f"{error}: no id of a draft.", pointer="/drafts") from None
    rows = {row.pk: row for row in PromptDraft.objects.select_related(*_BESIDE).filter(pk__in=keys)}
    for key in keys:
        if key not in rows:
            raise NotFound(f"There is no draft {key}.", pointer="/drafts")
    if len({row.line_id for row in rows.values()}) > 1:
        raise BadInput("These are drafts of several prompts.", code="several_prompts", pointer="/drafts")
    return [rows[key] for key in keys]


def drafts_found(asked: Mapping[str, str]) -> QuerySet[PromptDraft]:
    """Return the drafts that the query string asks for, with what a line of a list shows.

    Raises BadInput (`bad_parameter`).
    """
    rows = PromptDraft.objects.select_related(*_BESIDE)
    if "name" in asked:
        rows = rows.filter(line__name=asked["name"])
    if "status" in asked:
        if asked["status"] not in list(DraftStatus):
            there = ", ".join(DraftStatus)
            raise BadInput(f"status is {asked['status'][:40]!r}; there are {there}.", code="bad_parameter")
        rows = rows.filter(status=asked["status"])
    return rows


def newest_trials(draft_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Trial]:
    """The newest trial of each draft that has one. One query."""
    rows = Trial.objects.filter(draft__in=list(draft_ids)).order_by("draft_id", "-created_at", "-id")
    return {row.draft_id: row for row in rows.distinct("draft_id")}


def draft_line(row: PromptDraft, trial: Trial | None) -> DraftLine:
    """A draft in a list, with its newest trial. No query where the row came from `drafts_found`."""
    return DraftLine(
        id=str(row.pk),
        name=row.line.name,
        prompt_version=row.version.version if row.version_id else None,
        status=row.status,
        base=row.base.version,
        base_is_live=row.base_id == row.line.live_id,
        original=row.original.version,
        origin=row.origin,
        mode=row.mode,
        optimization_round=row.optimization_round,
        analysis_id=None if row.analysis_id is None else str(row.analysis_id),
        finding_number=row.finding_number,
        note=row.note,
        refusals=[_guard_reason(row, reason) for reason in row.stop_reasons],
        warnings=[_guard_reason(row, reason) for reason in row.guard_warnings],
        trial=None if trial is None else _trial(trial),
        next=[move.value for move in moves_of(DraftStatus(row.status))],
        created_by=row.created_by,
        created_at=format_timestamp(row.created_at),
    )


def draft_document(draft_id: uuid.UUID | str) -> Draft:
    """One draft, whole. Raises NotFound. Two queries."""
    row = find_draft(draft_id)
    return Draft(
        **members(draft_line(row, newest_trials([row.pk]).get(row.pk))),
        text=row.text,
        diff=diff_of(row),
        hopes=row.hopes,
        parts=row.parts,
        release=_release(row),
        rejection=DraftRejectionDocument(
            by=row.rejected_by, reason=row.reject_reason, at=format_timestamp(row.rejected_at)
        )
        if row.rejected_at
        else None,
    )


def diff_of(row: PromptDraft) -> str:
    """The draft as a unified diff against what was live when it was written. No query."""
    return unified_patch(row.base.text, row.text, path=_path_in_repository(row.line), name=row.line.name)


def patch_of(line: PromptLine, draft: PromptDraft) -> str:
    """The draft as a unified diff against what is live. No query."""
    return unified_patch(line.live.text, draft.version.text, path=_path_in_repository(line), name=line.name)


def _path_in_repository(line: PromptLine) -> str:
    """Return the prompt file's recorded path. Of an absolute path, which fits no repository, the name alone."""
    path = str(line.live.path)
    return path.rpartition("/")[2] if path.startswith("/") else path


def _guard_reason(row: PromptDraft, stored: Mapping[str, Any]) -> DraftGuardReason:
    return DraftGuardReason(
        code=stored["code"],
        message=stored["sentence"],
        where=place_in(row.text, stored.get("span")),
    )


def _trial(trial: Trial) -> DraftLineTrial:
    return DraftLineTrial(
        id=str(trial.pk),
        status=trial.status,
        part=trial.part,
        verdict=verdict_of_trial(trial).value if trial.decision else None,
        sentence=trial.sentence or trial.error_message,
    )


def _release(row: PromptDraft) -> DraftHandover | None:
    """The release of a draft: its author, reason and times; the patch is there until the draft is seen live."""
    if row.released_at is None:
        return None
    return DraftHandover(
        by=row.released_by,
        reason=row.release_reason,
        at=format_timestamp(row.released_at),
        seen_live_at=format_if_known(row.seen_live_at),
        patch=None if row.seen_live_at else patch_of(row.line, row),
    )
