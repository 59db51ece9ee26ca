"""The gate of a pull request: what was compared by which rule, and what it came to."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.evaluations.models.judging import Evaluation
from apps.gates.domain.gate_states import GateKind, GateStatus
from apps.gates.models.floors import GateAcceptance
from apps.statistics.decision import Decision


class PullRequestGate(Row):
    """One question "may this pull request pass?", owed until both evaluations have ended, and final then.

    `policy` is the declared rule whole (domain.policy), `floor` the least that was held against it ({} where nobody set
    one). `changes` are what the pull request alters of what decides (domain.judging_changes), and `acceptance` the
    person's answer by which its own versions decided. `document` is the answer as the API shows it, less what only
    the row knows; `digest` is over what decided, and the same whenever the same rows are asked by the same rule.
    `waiting_for` says what is still to come. A gate with a `first_look` asks the same again where that one could not
    tell: its evaluations are repeats of the same cases, and count together with the first look's. One with `replays_of`
    has played again what that gate named: cases in which the candidate alone was lost, or failed.
    """

    kind = models.CharField(max_length=10, choices=choices(GateKind))
    status = models.CharField(max_length=10, choices=choices(GateStatus), default=GateStatus.PENDING)
    agent = models.CharField(max_length=100)
    commit = models.CharField(max_length=64)
    base_commit = models.CharField(max_length=64, blank=True)
    pull_request = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=300, blank=True)
    candidate = models.ForeignKey(Evaluation, on_delete=models.PROTECT, related_name="+")
    baseline = models.ForeignKey(Evaluation, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    first_look = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="second_look"
    )
    replays_of = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="replayed")
    policy = models.JSONField()
    floor = models.JSONField(default=dict, db_default={}, blank=True)
    changes = models.JSONField(default=list, db_default=[], blank=True)
    acceptance = models.ForeignKey(GateAcceptance, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    budget_usd = models.DecimalField(max_digits=12, decimal_places=4, null=True, blank=True)
    requested_by = models.CharField(max_length=200, blank=True)
    decision = models.CharField(max_length=20, choices=choices(Decision), blank=True)
    why = models.CharField(max_length=40, blank=True)
    sentence = models.TextField(blank=True)
    document = models.JSONField(default=dict, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    waiting_for = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["created_at"], name="gate_pending", condition=Q(status="pending")),
            models.Index(fields=["agent", "commit"], name="gate_of_commit"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status="pending", decision="") | (Q(status="decided") & ~Q(decision="")),
                name="a_decided_gate_says_what",
            ),
            models.CheckConstraint(
                condition=Q(first_look__isnull=True) | Q(replays_of__isnull=True), name="a_gate_follows_one_gate"
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="gate_is_final",
                operation=pgtrigger.Update | pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.status = 'decided'"),
            ),
        ]

    @property
    def before(self) -> "PullRequestGate | None":
        """The gate whose question this one asks again, over more conversations. One query where it is not loaded."""
        return self.first_look or self.replays_of

    def __str__(self) -> str:
        return f"gate of {self.agent} {self.commit[:12]}: {self.decision or self.status}"
