"""Named ways in which an agent fails: what people noted, put together by a person."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from apps.calibration.models import ConversationNote
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.improvement.drafts.domain.states import ProposalStatus
from apps.improvement.failure_modes.domain.states import ModeStatus, NoteShows
from apps.jobs.models import LeasedRow


class ModeGrouping(LeasedRow, Row):
    """A question to a model: which notes tell of the same failure. `notes` and `modes` are the ids of what is shown, in
    its order; what it proposes are failure modes that nobody has named yet."""

    status = models.CharField(max_length=20, choices=choices(ProposalStatus), default=ProposalStatus.PENDING)
    notes = models.JSONField()
    modes = models.JSONField()
    grouper = models.JSONField()
    model = models.CharField(max_length=120, blank=True, default="")
    error_message = models.TextField(blank=True, default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    requested_by = models.CharField(max_length=150, blank=True, default="")
    ended_at: Any = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["status"], name="one_open_grouping", condition=Q(status="pending")),
        ]

    def __str__(self) -> str:
        return f"{self.status} grouping of {len(self.notes)} notes"


class FailureMode(Row):
    """`grouping` is the question that proposed it, None where a person began it; `into`: the mode that it was merged
    into, or that a proposal says its notes belong to. `criterion` was drafted of it, or measures it; "" for none.
    `fixed_at`: what happens from then on should no longer show it, says `fixed_by`."""

    status = models.CharField(max_length=20, choices=choices(ModeStatus), default=ModeStatus.NAMED)
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    grouping: Any = models.ForeignKey(
        ModeGrouping, null=True, blank=True, on_delete=models.SET_NULL, related_name="proposals"
    )
    into: Any = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    criterion = models.CharField(max_length=100, blank=True)
    made_by = models.CharField(max_length=150)
    decided_by = models.CharField(max_length=150, blank=True)
    fixed_at: Any = models.DateTimeField(null=True, blank=True)
    fixed_by = models.CharField(max_length=150, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("name"), name="one_named_mode_per_name", condition=Q(status="named")),
        ]

    def __str__(self) -> str:
        return self.name


class ModeNote(models.Model):
    """A note that tells of a mode. One note may tell of several."""

    id = models.BigAutoField(primary_key=True)
    mode: Any = models.ForeignKey(FailureMode, on_delete=models.CASCADE, related_name="notes", db_index=False)
    note: Any = models.ForeignKey(ConversationNote, on_delete=models.PROTECT, related_name="modes")
    shows = models.CharField(max_length=20, choices=choices(NoteShows), default=NoteShows.FAILURE)
    added_by = models.CharField(max_length=150)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["mode", "note"], name="one_note_per_mode")]

    def __str__(self) -> str:
        return f"note {self.note_id} of {self.mode_id}"
