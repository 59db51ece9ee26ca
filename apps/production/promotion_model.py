"""What became of a conversation that was made a test, and the weekly look for more."""

from typing import Any

from django.db import models
from django.db.models import Q, Value

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow
from apps.production.domain.promotion_states import DraftWork, RoundStatus, SignalKind


class Promotion(LeasedRow, Row):
    """A conversation as a scenario, beside that scenario: what was said, masked, and why it is here.

    `transcript` is [{"role", "content", "tool_calls"?}], masked (domain.masked_conversation), and stays when the
    conversation's own turns are deleted. `signals` say why it was promoted: [{"kind", "text", "at"}]. `residues` is
    what the second check found after masking, {"kind", "turn", "quote"}: while there are any and nobody cleared them,
    the scenario is not released. `persona` is a draft of who the customer is. `drafted_by` is "rules" or the model that
    worded goal and persona; `draft_work` says whether a model is still to be asked, `draft_note` why its answer was not
    taken.
    """

    conversation: Any = models.OneToOneField("runs.Conversation", on_delete=models.PROTECT, related_name="promotion")
    scenario: Any = models.OneToOneField("catalog.Scenario", on_delete=models.PROTECT, related_name="promotion")
    transcript = models.JSONField(default=list)
    signals = models.JSONField(default=list, blank=True)
    residues = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    cleared_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    cleared_at = models.DateTimeField(null=True, blank=True)
    persona = models.TextField(blank=True, default="", db_default="")
    drafted_by = models.CharField(max_length=200, default="rules", db_default="rules")
    draft_work = models.CharField(
        max_length=20, choices=choices(DraftWork), default=DraftWork.NONE, db_default=DraftWork.NONE
    )
    draft_note = models.TextField(blank=True, default="", db_default="")
    attempts = models.PositiveSmallIntegerField(default=0, db_default=0)
    promoted_by = models.CharField(max_length=150)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(cleared_at__isnull=True, cleared_by="") | Q(cleared_at__isnull=False) & ~Q(cleared_by=""),
                name="a_person_cleared_it",
            ),
        ]

    def __str__(self) -> str:
        return f"promotion of {self.conversation_id}"

    @property
    def blocked(self) -> bool:
        """Whether a person has to look at what masking may have left."""
        return bool(self.residues) and self.cleared_at is None

    @property
    def keeps_good(self) -> bool:
        """Whether it is here because it went surprisingly well, and nobody was discontent with it since."""
        kinds = {one["kind"] for one in self.signals}
        return SignalKind.SURPRISINGLY_GOOD in kinds and SignalKind.THUMBS_DOWN not in kinds

    @property
    def masking(self) -> str:
        """The word of it: blocked, cleared, or clean."""
        return "blocked" if self.blocked else "cleared" if self.residues else "clean"


class PromotionRound(LeasedRow, Row):
    """One weekly look at what customers did not like, and at what surprised: due at `not_before`. It covers what came
    from `since` on; `outcome` is what it came to ({"promoted", "known", "surprising", "more_surprising", "refused":
    [{"conversation", "code", "sentence"}]})."""

    status = models.CharField(max_length=20, choices=choices(RoundStatus), default=RoundStatus.PENDING)
    since = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.JSONField(default=dict, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["status"], name="one_round_is_due", condition=Q(status="pending")),
        ]

    def __str__(self) -> str:
        return f"{self.status} round of {self.not_before}"
