"""The row of what was found out about a simulated customer."""

import pgtrigger
from django.db import models

from apps.core.models import Row
from apps.core.states import choices
from apps.runs.domain.states import SimulatorVerdict


class SimulatorReview(Row):
    """The review of the simulated customer in one attempt at a battle. Final once stored.

    `findings` are [{"kind", "rule"?, "behaviour"?, "turn", "quote", "why", "critical", "verified"}], turns numbered
    from 0 within the attempt. `reason` says in words why nothing was measured. Provider, model and cost are empty where
    no model was asked; `raw_reply` is what it answered where that could not be read.
    """

    conversation = models.ForeignKey(
        "runs.Conversation", on_delete=models.PROTECT, related_name="simulator_reviews", db_index=False
    )
    attempt = models.PositiveIntegerField()
    verdict = models.CharField(max_length=20, choices=choices(SimulatorVerdict))
    findings = models.JSONField(default=list, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    provider = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=120, blank=True)
    cost_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    raw_reply = models.TextField(blank=True)
    reviewed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["conversation", "attempt"], name="one_simulator_review_per_attempt"),
        ]
        triggers = [
            pgtrigger.Protect(name="simulator_review_is_final", operation=pgtrigger.Update | pgtrigger.Delete),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} in attempt {self.attempt} of {self.conversation_id}"
