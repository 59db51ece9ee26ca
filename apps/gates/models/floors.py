"""Rows that people write for gates: the floor of an agent, and the changes of one commit."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.core.models import Row


class GateFloor(Row):
    """The least that a gate of this agent asks (domain.gate_floor). `policy` are the fields that a person set; the
    others are the defaults. `evaluator_config` is a name, whose active version is meant, or name@version; "" is any."""

    agent = models.CharField(max_length=100, unique=True)
    evaluator_config = models.CharField(max_length=200, blank=True)
    policy = models.JSONField(default=dict, blank=True)
    budget_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["agent"]

    def __str__(self) -> str:
        return f"floor of {self.agent}"


class GateAcceptance(Row):
    """A person lets one commit be decided by its own versions of what decides: exactly the named changes, on the page
    of the gate that told them (`gate`, its id). Never changed; a later commit needs its own."""

    gate = models.UUIDField(unique=True)
    agent = models.CharField(max_length=100)
    commit = models.CharField(max_length=64)
    changes = models.JSONField()
    accepted_by = models.CharField(max_length=150)
    note = models.CharField(max_length=2000, blank=True)

    class Meta:
        indexes = [models.Index(fields=["agent", "commit"], name="acceptance_of_commit")]
        constraints = [
            models.CheckConstraint(condition=~Q(accepted_by=""), name="a_person_accepts_changes"),
        ]
        triggers = [pgtrigger.Protect(name="acceptance_is_final", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"{self.agent} {self.commit[:12]} accepted by {self.accepted_by}"
