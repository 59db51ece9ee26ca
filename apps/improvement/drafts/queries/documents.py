"""Drafts of prompts as the API, the command and the pages show them."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from apps.catalog.models import PromptLine
from apps.core.errors import BadInput, NotFound
from apps.core.timestamps import format_if_known
from apps.improvement.drafts.domain.places import place_in
from apps.improvement.drafts.domain.release import unified_patch
from apps.improvement.drafts.domain.states import DraftStatus, moves_of
from apps.improvement.drafts.models import PromptDraft, Trial
from apps.improvement.drafts.queries.standing import verdict_of_trial

DRAFT_FILTERS: Mapping[str, str] = {
    "name": "Of the prompt, exactly.",
    "status": f"One of {', '.join(DraftStatus)}.",
}
_BESIDE = ("line__live", "line__agent", "version", "base", "original")


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
    """Those that the query string asks for, with what a line of a list shows. Raises BadInput (`bad_parameter`)."""
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


def draft_line(row: PromptDraft, trial: Trial | None) -> dict[str, Any]:
    """A draft in a list, with its newest trial. No query where the row came from `drafts_found`."""
    return {
        "id": str(row.pk),
        "name": row.line.name,
        "prompt_version": row.version.version if row.version_id else None,
        "status": row.status,
        "base": row.base.version,
        "base_is_live": row.base_id == row.line.live_id,
        "original": row.original.version,
        "origin": row.origin,
        "mode": row.mode,
        "optimization_round": row.optimization_round,
        "analysis_id": None if row.analysis_id is None else str(row.analysis_id),
        "finding_number": row.finding_number,
        "note": row.note,
        "refusals": [_guard_reason(row, reason) for reason in row.stop_reasons],
        "warnings": [_guard_reason(row, reason) for reason in row.guard_warnings],
        "trial": None if trial is None else _trial(trial),
        "next": [move.value for move in moves_of(DraftStatus(row.status))],
        "created_by": row.created_by,
        "created_at": format_if_known(row.created_at),
    }


def draft_document(draft_id: uuid.UUID | str) -> dict[str, Any]:
    """One draft, whole. Raises NotFound. Two queries."""
    row = find_draft(draft_id)
    return {
        **draft_line(row, newest_trials([row.pk]).get(row.pk)),
        "text": row.text,
        "diff": diff_of(row),
        "hopes": row.hopes,
        "parts": row.parts,
        "release": _release(row),
        "rejection": {"by": row.rejected_by, "reason": row.reject_reason, "at": format_if_known(row.rejected_at)}
        if row.rejected_at
        else None,
    }


def diff_of(row: PromptDraft) -> str:
    """The draft as a unified diff against what was live when it was written. No query."""
    return unified_patch(row.base.text, row.text, path=_path_in_repository(row.line), name=row.line.name)


def patch_of(line: PromptLine, draft: PromptDraft) -> str:
    """The draft as a unified diff against what is live. No query."""
    return unified_patch(line.live.text, draft.version.text, path=_path_in_repository(line), name=line.name)


def _path_in_repository(line: PromptLine) -> str:
    """Where the prompt's file lies, as it was recorded; an absolute path says nothing of a repository."""
    path = str(line.live.path)
    return path.rpartition("/")[2] if path.startswith("/") else path


def _guard_reason(row: PromptDraft, stored: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "code": stored["code"],
        "message": stored["sentence"],
        "where": place_in(row.text, stored.get("span")),
    }


def _trial(trial: Trial) -> dict[str, Any]:
    return {
        "id": str(trial.pk),
        "status": trial.status,
        "part": trial.part,
        "verdict": verdict_of_trial(trial).value if trial.decision else None,
        "sentence": trial.sentence or trial.error_message,
    }


def _release(row: PromptDraft) -> dict[str, Any] | None:
    """The release of a draft: its author, reason and times; the patch is there until the draft is seen live."""
    if row.released_at is None:
        return None
    return {
        "by": row.released_by,
        "reason": row.release_reason,
        "at": format_if_known(row.released_at),
        "seen_live_at": format_if_known(row.seen_live_at),
        "patch": None if row.seen_live_at else patch_of(row.line, row),
    }
