"""A prompt version's way into production: its share of the conversations, and what is known of either side."""

from datetime import datetime
from typing import Any

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.catalog.models import PromptLine, PromptVersion
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.production.rollouts.domain.states import Arm, RolloutMove, RolloutStatus, served_percentage


class Rollout(Row):
    """A canary of one role, while it runs and after.

    `line` is the role's; `stable` was live when it started. `evaluator_config` is frozen with its number ("": nobody
    judges), and so are `margin` (points of score) and `forecast`. `forced` holds the router's digests of conversations
    that a person put into the canary for trying. `beside_others`: a person said that it may run beside another role's,
    whose figures cannot be told from its own. `figures` is what the last look came to; `settled_until` up to when
    conversations were given their arms. From `ends_at` on nobody gets the canary, whatever its status is.
    """

    line: Any = models.ForeignKey(PromptLine, on_delete=models.PROTECT, related_name="rollouts")
    stable: Any = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="+")
    canary: Any = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=20, choices=choices(RolloutStatus), default=RolloutStatus.RUNNING)
    percentage = models.PositiveSmallIntegerField()
    evaluator_config = models.CharField(max_length=200, blank=True)
    margin = models.FloatField()
    beside_others = models.BooleanField(default=False)
    forecast = models.JSONField(default=dict, blank=True)
    forced = models.JSONField(default=list, blank=True)
    started_by = models.CharField(max_length=150)
    ends_at = models.DateTimeField()
    look_at = models.DateTimeField()
    settled_until = models.DateTimeField(null=True, blank=True)
    figures = models.JSONField(default=dict, blank=True)
    looked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=150, blank=True)
    reason = models.TextField(blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["line"], name="one_rollout_per_role", condition=Q(status="running")),
            models.CheckConstraint(condition=Q(percentage__lte=100), name="a_rollout_has_a_percentage"),
            models.CheckConstraint(
                condition=Q(status="running") | Q(ended_at__isnull=False), name="an_ended_rollout_says_when"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} rollout of {self.canary_id}"

    def served(self, now: datetime) -> int:
        """The number of conversations in a hundred that get the canary now."""
        return served_percentage(self.status, self.percentage, ends_at=self.ends_at, now=now)


class RolloutEvent(Row):
    """One step of a rollout, by whom it was taken ("": by the rule), and the figures at that moment. Written once."""

    rollout: Any = models.ForeignKey(Rollout, on_delete=models.PROTECT, related_name="events")
    move = models.CharField(max_length=20, choices=choices(RolloutMove))
    by = models.CharField(max_length=150, blank=True)
    percentage = models.PositiveSmallIntegerField()
    sentence = models.TextField()
    figures = models.JSONField(default=dict, blank=True)

    class Meta:
        default_permissions = ()
        triggers = [pgtrigger.Protect(name="rollout_event_is_final", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"{self.move} of {self.rollout_id}"


class RolloutConversation(models.Model):
    """Arm of a settled conversation in a rollout, and the evaluation that judges it for the rollout.

    `latency_ms` is the mean over its replies: it stays when the turns are deleted.
    """

    id = models.BigAutoField(primary_key=True)
    rollout: Any = models.ForeignKey(Rollout, on_delete=models.PROTECT, related_name="conversations", db_index=False)
    conversation: Any = models.ForeignKey("runs.Conversation", on_delete=models.PROTECT, related_name="+")
    arm = models.CharField(max_length=10, choices=choices(Arm))
    caller = models.UUIDField(null=True, blank=True)
    latency_ms = models.FloatField(null=True, blank=True)
    evaluation: Any = models.ForeignKey(
        "evaluations.Evaluation", null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(fields=["rollout", "conversation"], name="one_arm_per_rollout_and_conversation"),
        ]
        indexes = [models.Index(fields=["rollout", "arm"], name="rollout_by_arm")]

    def __str__(self) -> str:
        return f"{self.conversation_id} in {self.arm}"
