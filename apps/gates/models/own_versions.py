"""Altered scenarios as a commit itself has them: what became of them, beside its gate."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.core.models import Row
from apps.evaluations.models.judging import Evaluation
from apps.gates.models.pull_requests import PullRequestGate


class GateOwnVersions(Row):
    """The scenarios that the pull request of a decided gate alters, played by its agent as the commit has them. They
    decide nothing. `cases` are rows of domain.own_versions; `left_out` says why they were not played, and then there is
    no evaluation. Written once, never changed."""

    gate = models.OneToOneField(PullRequestGate, on_delete=models.PROTECT, related_name="own_versions")
    evaluation = models.ForeignKey(Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    cases = models.JSONField(default=list, blank=True)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    left_out = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(evaluation__isnull=False, left_out="") | (Q(evaluation__isnull=True) & ~Q(left_out="")),
                name="own_versions_played_or_left_out",
            ),
        ]
        triggers = [pgtrigger.Protect(name="own_versions_are_final", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return f"own versions of {self.gate_id}"
