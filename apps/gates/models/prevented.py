"""A real customer's failure that a gate stopped from coming back."""

from typing import Any

import pgtrigger
from django.db import models

from apps.core.models import Row
from apps.gates.models.pull_requests import PullRequestGate


class PreventedFailure(Row):
    """A released production scenario that failed in a gate which then said no; stored once a gate.
    `slug` stays if the scenario is deleted. Never changed."""

    gate: Any = models.ForeignKey(PullRequestGate, on_delete=models.PROTECT, related_name="+", db_index=False)
    scenario: Any = models.ForeignKey(
        "catalog.Scenario", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    slug = models.CharField(max_length=150)
    conversation = models.UUIDField(null=True, blank=True)
    why = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["gate", "slug"], name="prevented_once_a_gate")]
        triggers = [
            pgtrigger.Protect(
                name="prevented_is_final",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition("OLD.slug IS DISTINCT FROM NEW.slug OR OLD.gate_id <> NEW.gate_id"),
            )
        ]

    def __str__(self) -> str:
        return f"{self.slug}, prevented by {self.gate_id}"
