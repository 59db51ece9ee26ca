"""The row of a turn that a runner comes for."""

from typing import Any

from django.db import models
from django.db.models import Q

from apps.core.models import Row
from apps.core.states import choices
from apps.jobs.models import LeasedRow
from apps.runs.domain.pulled_turns import OPEN, PulledState


class PulledTurn(LeasedRow, Row):
    """A turn of one attempt, left for the agent's runner (connectors.agents.pulled).

    `messages` is the conversation so far, the turn last; `context` what the runner is told beside it. Once delivered or
    lost it holds neither: the conversation's own turns do. `reply_digest` tells a reply sent again from another one.
    """

    conversation = models.ForeignKey(
        "runs.Conversation", on_delete=models.CASCADE, related_name="pulled_turns", db_index=False
    )
    agent = models.ForeignKey(  # None: the agent came with the run
        "catalog.Agent", null=True, on_delete=models.CASCADE, related_name="pulled_turns", db_index=False
    )
    attempt = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    session = models.CharField(max_length=200)
    messages = models.JSONField(default=list)
    context = models.JSONField(default=dict)
    timeout_s = models.FloatField()
    state = models.CharField(max_length=20, choices=choices(PulledState), default=PulledState.PENDING)
    asked_at = models.DateTimeField()
    leased_at = models.DateTimeField(null=True)
    answer_by = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    reply: Any = models.JSONField(default=dict)
    reply_digest = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        default_permissions = ()  # it is seen as the turn it becomes
        constraints = [
            models.UniqueConstraint(fields=["conversation", "attempt", "position"], name="one_pulled_turn"),
            models.CheckConstraint(
                condition=Q(state__in=OPEN) | Q(messages=[], reply={}), name="closed_pulled_turn_is_empty"
            ),
        ]
        indexes = [models.Index(fields=["agent", "asked_at"], name="pulled_turn_open", condition=Q(state__in=OPEN))]

    def __str__(self) -> str:
        return f"turn {self.position} of {self.conversation_id}, {self.state}"
