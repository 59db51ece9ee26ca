"""Release a draft: hand it over. It goes live when its text is recorded with a commit, and at once only where the
prompt is nobody's but the admin's."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from apps.catalog.models import PromptLine, PromptVersion
from apps.catalog.prompts.services.recording import make_live
from apps.core.errors import BadInput
from apps.core.events import EventType, log_event
from apps.core.portable.prompt_words import comparable
from apps.improvement.drafts.domain.release import refuse_release
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.models import PromptDraft
from apps.improvement.drafts.queries.documents import find_draft, patch_of
from apps.improvement.drafts.queries.draft_status import verdict_of_trial
from apps.improvement.drafts.queries.releases import decided_trial, is_admins_own, worse_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedDraft:
    """A released draft, as it is handed over. `live`: it is played from now on; else when its text is recorded with its
    commit."""

    draft_id: uuid.UUID
    version: str
    patch: str
    live: bool

    @property
    def sentence(self) -> str:
        if self.live:
            return f"{self.version} is released and live."
        return f"{self.version} is released, not yet seen live: apply the patch, and record the prompt with its commit."


def release_draft(
    draft_id: uuid.UUID | str, *, by: str, reason: str = "", acknowledged: bool = False, now: datetime
) -> ReleasedDraft:
    """Hand over a draft that a trial decided about; a person does. Safe to repeat by its answer: a released draft is
    refused (`wrong_state`), and its patch stays on its page.

    Raises NotFound; BadInput: `person_required`, `no_reason`, `not_acknowledged`; Conflict: `not_tried`, `blocked`,
    `wrong_state`, `in_trial`, and `live_moved` where another prompt is live than the one that the trial played.
    """
    if not by:
        raise BadInput("A draft is released by a person.", code="person_required")
    row = find_draft(draft_id)
    with transaction.atomic():
        line = PromptLine.objects.select_for_update().select_related("live").get(pk=row.line_id)
        draft = PromptDraft.objects.select_for_update(of=("self",)).select_related("version").get(pk=row.pk)
        trial = decided_trial(draft, line)
        worse = worse_groups(trial)
        refuse_release(verdict=verdict_of_trial(trial), worse=worse, reason=reason, acknowledged=acknowledged)
        patch = patch_of(line, draft)
        PromptDraft.objects.filter(pk=draft.pk).update(
            status=DraftStatus.RELEASED, released_by=by[:150], released_at=now, release_reason=reason.strip()
        )
        at_once = is_admins_own(line)
        if at_once:
            make_live(version=draft.version.version, by=by)
    log_event(EventType.DRAFT_RELEASED, draft=str(draft.pk), version=draft.version.version, by=by, live=at_once)
    return ReleasedDraft(draft_id=draft.pk, version=draft.version.version, patch=patch, live=at_once)


def mark_seen_live(*, name: str, version: str, now: datetime) -> int:
    """Mark released drafts of the live version's words as seen live; return how many.

    Line ends that an editor changed make no difference. Three queries at most.
    """
    rows = PromptDraft.objects.filter(line__name=name, status=DraftStatus.RELEASED, seen_live_at__isnull=True)
    words = comparable(PromptVersion.objects.values_list("text", flat=True).get(version=version))
    same = [id for id, text in rows.values_list("pk", "version__text") if comparable(text or "") == words]
    return PromptDraft.objects.filter(pk__in=same).update(seen_live_at=now) if same else 0
