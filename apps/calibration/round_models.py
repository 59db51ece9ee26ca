"""Rounds of conversations that people rate, drawn monthly or made from a filter, and who has one before them."""

from typing import Any

import pgtrigger
from django.db import models

from apps.calibration.domain.label_sampling import SamplingReason
from apps.core.models import Row
from apps.core.states import choices
from apps.runs.final_rows import NO_WORDS, final_but_for_words

RESOLUTION_REASON = {"reason": NO_WORDS}


class LabellingRound(Row):
    """Conversations that people rate. A month's own has `month`, its first day: a constraint keeps one a month. A queue
    has a `name` and a `source` instead (domain.queue_source), and is open until `closed_at`. `assigned`: who rates it;
    [] is whoever may rate. `at_random`: drawn from everything its filter matched, so that its shares are rates.
    `asks_notes`: whoever rates is asked what went wrong, so that no note says that nobody saw anything."""

    month: Any = models.DateField(null=True, blank=True)
    name = models.CharField(max_length=100, blank=True, default="", db_default="")
    source: Any = models.JSONField(default=dict, blank=True, db_default={})
    at_random = models.BooleanField(default=False, db_default=False)
    asks_notes = models.BooleanField(default=False, db_default=False)
    assigned: Any = models.JSONField(default=list, blank=True, db_default=[])
    made_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    closed_at: Any = models.DateTimeField(null=True, blank=True)
    seed = models.BigIntegerField()
    owner = models.CharField(max_length=150, blank=True)
    raters_wanted = models.PositiveSmallIntegerField()
    scale = models.CharField(max_length=20)
    config_ref = models.CharField(max_length=200)
    criteria = models.JSONField()
    models_reviewed_at = models.DateTimeField(null=True, blank=True)
    models_reviewed_by = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["month"], name="one_round_a_month")]

    def __str__(self) -> str:
        return f"{self.month:%B %Y}" if self.month else self.name


class LabellingItem(models.Model):
    """One conversation of a round and why it is in it."""

    id = models.BigAutoField(primary_key=True)
    round = models.ForeignKey(LabellingRound, on_delete=models.PROTECT, related_name="items", db_index=False)
    conversation = models.ForeignKey("runs.Conversation", on_delete=models.PROTECT, related_name="+", db_index=False)
    position = models.PositiveSmallIntegerField()
    language = models.CharField(max_length=20, blank=True)
    why = models.CharField(max_length=20, choices=choices(SamplingReason))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "conversation"], name="one_item_per_conversation"),
        ]

    def __str__(self) -> str:
        return f"{self.round} {self.position + 1}"


class RatingLease(models.Model):
    """An item that a rater has before them until `until`.

    It counts as one of its raters meanwhile, so that no more people begin it than are wanted. Whoever once had it may
    still hand in what they wrote.
    """

    id = models.BigAutoField(primary_key=True)
    item: Any = models.ForeignKey(LabellingItem, on_delete=models.CASCADE, related_name="leases", db_index=False)
    rater = models.CharField(max_length=150)
    until = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["item", "rater"], name="one_lease_per_rater")]

    def __str__(self) -> str:
        return f"{self.rater} until {self.until}"


class LabelResolution(Row):
    """The rating that counts for one criterion where raters differ, and why. Final: the raters' own ratings stay beside
    it."""

    item: Any = models.ForeignKey(LabellingItem, on_delete=models.PROTECT, related_name="resolutions", db_index=False)
    criterion = models.CharField(max_length=100)
    value = models.FloatField(null=True, blank=True)
    reason = models.TextField(blank=True)
    resolved_by = models.CharField(max_length=150)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["item", "criterion"], name="one_resolution_per_criterion")]
        triggers = [
            final_but_for_words(
                name="resolution_is_kept",
                operation=pgtrigger.Update | pgtrigger.Delete,
                words=RESOLUTION_REASON,
                conversation="(SELECT i.conversation_id FROM calibration_labellingitem i WHERE i.id = OLD.item_id)",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value}, says {self.resolved_by}"
