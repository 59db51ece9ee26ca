"""The conditions for releasing a draft, and the texts that a release hands over."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from apps.catalog.models import PromptLine
from apps.core.documents import Document, Id, Moment, one_of
from apps.core.errors import BadInput, Conflict
from apps.core.redaction import redact
from apps.core.shapes import described
from apps.core.timestamps import format_if_known
from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.drafts.domain.commit_patch import commit_patch
from apps.improvement.drafts.domain.release import refuse_release
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.trial_states import SideName
from apps.improvement.drafts.models import PromptDraft, Trial
from apps.improvement.drafts.queries.documents import find_draft, patch_of
from apps.improvement.drafts.queries.draft_status import deciding_trial, regressed_trial, verdict_of_trial
from apps.improvement.drafts.queries.provenance import provenance_of_draft


class DraftReleaseRefusal(Document):
    code: str
    sentence: str


class DraftRelease(Document, component="DraftRelease"):
    draft: Id
    version: str | None
    status: Annotated[str, one_of(DraftStatus)]
    trial: Annotated[Id | None, described("The one on a hold-out set that decides about it.")]
    verdict: Annotated[str, one_of(AcceptanceVerdict)] | None
    sentence: str
    worse: Annotated[Sequence[str], described("Criteria, personas and languages to acknowledge.")]
    may_be_released: bool
    refusal: DraftReleaseRefusal | None
    needs_reason: bool
    needs_acknowledgement: bool
    live_at_once: Annotated[bool, described("The prompt is the admin's own: no file, no commit.")]
    patch: Annotated[str, described("A unified diff against the live prompt, for `git apply`.")]
    released_by: str
    released_at: Moment | None
    release_reason: str
    seen_live_at: Moment | None


class DraftReleased(Document, component="DraftReleased"):
    draft: Id
    version: str
    sentence: str
    live: bool
    patch: str


def release_document(draft_id: uuid.UUID | str) -> DraftRelease:
    """Return whether this draft may be released now, what a person must say for it, and the patch.

    `refusal` is what stands in its way whatever is said, or null. At most five queries. Raises NotFound.
    """
    draft = find_draft(draft_id)
    trial = deciding_trial(draft.pk)
    verdict = None if trial is None else verdict_of_trial(trial)
    worse = [] if trial is None else worse_groups(trial)
    unproven = verdict is AcceptanceVerdict.NOT_SHOWN
    refusal = _refusal(draft)
    return DraftRelease(
        draft=str(draft.pk),
        version=draft.version.version if draft.version else None,
        status=draft.status,
        trial=None if trial is None else str(trial.pk),
        verdict=None if verdict is None else verdict.value,
        sentence="" if trial is None else trial.sentence,
        worse=worse,
        may_be_released=refusal is None,
        refusal=refusal,
        needs_reason=refusal is None and unproven,
        needs_acknowledgement=refusal is None and (unproven or bool(worse)),
        live_at_once=is_admins_own(draft.line),
        patch=patch_of(draft.line, draft) if draft.version else "",
        released_by=draft.released_by,
        released_at=format_if_known(draft.released_at),
        release_reason=draft.release_reason,
        seen_live_at=format_if_known(draft.seen_live_at),
    )


def decided_trial(draft: PromptDraft, line: PromptLine) -> Trial:
    """The trial on which a release of this draft rests. Two queries.

    Raises Conflict: `in_trial`, `wrong_state`, `not_tried`, `blocked` where a trial that chose found a regression, and
    `live_moved` where another prompt is live by now than the one that the trial played.
    """
    if draft.status == DraftStatus.IN_TRIAL:
        raise Conflict("A trial of this draft goes on: wait for what it says.", code="in_trial")
    if draft.status in (DraftStatus.RELEASED, DraftStatus.REFUSED, DraftStatus.REJECTED):
        message = f"A draft that is {draft.status} is not released."
        raise Conflict(message, code="wrong_state", status_now=draft.status)
    trial = deciding_trial(draft.pk)
    if trial is None:
        raise _undecided(draft)
    compared: Any = trial.sides.select_related("prompt").get(side=SideName.LIVE).prompt
    if compared.digest != line.live.digest:
        raise Conflict(
            f"{line.live.version} is live by now; the trial compared with {compared.version}: try it again.",
            code="live_moved",
        )
    return trial


def _undecided(draft: PromptDraft) -> Conflict:
    """Return the refusal to release a draft that no hold-out decided about. One query."""
    stopped = regressed_trial(draft.pk) if draft.status == DraftStatus.BLOCKED else None
    if stopped is not None:
        message = f"This draft is blocked: {stopped.sentence} Such a block is not lifted: write another draft."
        return Conflict(message, code="blocked", trial=str(stopped.pk))
    return Conflict("No trial on the hold-out has decided about this draft yet: start one first.", code="not_tried")


def worse_groups(trial: Trial) -> list[str]:
    """The groups for which a release must be acknowledged: those whose whole interval lies below 0, and lifted
    criteria."""
    groups = [*trial.decision["criteria"], *trial.decision["groups"]]
    return list(dict.fromkeys([group["name"] for group in groups if group["worse"]] + trial.lifted))


def is_admins_own(line: PromptLine) -> bool:
    """Tell whether the live prompt was never recorded from a file or with a commit: the admin alone says what it is."""
    revision = line.live.version.rpartition("@")[2]
    return not line.live.path and revision.startswith("sha256-")


def _refusal(draft: PromptDraft) -> DraftReleaseRefusal | None:
    """Return the refusal that no words of a person would lift now; None where there is none."""
    try:
        trial = decided_trial(draft, draft.line)
        refuse_release(verdict=verdict_of_trial(trial), worse=(), reason="said", acknowledged=True)
    except (BadInput, Conflict) as error:
        return DraftReleaseRefusal(code=error.code, sentence=error.message)
    return None


def commit_patch_of(draft: PromptDraft, *, now: datetime) -> str:
    """Return the draft as a commit on a branch, whose message says where each step came from.

    It is masked: what people and models wrote on the way may name somebody. Some six queries.
    """
    steps = provenance_of_draft(draft, deciding_trial(draft.pk))
    sentences = [redact(str(step["sentence"])) for step in steps]
    patch = patch_of(draft.line, draft)
    return commit_patch(
        patch, version=draft.version.version, name=draft.line.name, told=sentences, at=draft.released_at or now
    )
