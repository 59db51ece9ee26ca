"""The results of checks of conversations, and the work of measuring them."""

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.checks.domain.check_states import CheckJobStatus, CheckSource
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.jobs.models import LeasedRow
from apps.runs.final_rows import NO_WORDS, final_but_for_words
from apps.statistics.decision import Decision

# What of a result quotes its conversation: it goes with a real customer's words (services.word_deletion).
RESULT_WORDS = {"reason": NO_WORDS, "evidence": "'[]'::jsonb"}


class CheckJob(LeasedRow, Row):
    """One conversation whose own assertions are to be measured; a worker holds it by a lease.

    `attempts` counts the workers that took it. `wait_code` says to programs why it waits, `waiting_for` to people.
    """

    conversation = models.OneToOneField("runs.Conversation", on_delete=models.PROTECT, related_name="check_job")
    status = models.CharField(max_length=20, choices=choices(CheckJobStatus), default=CheckJobStatus.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    ended_at = models.DateTimeField(null=True, blank=True)
    wait_code = models.CharField(max_length=60, blank=True, default="", db_default="")

    objects = StateQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["created_at"], name="check_job_pending", condition=Q(status="pending")),
        ]

    def __str__(self) -> str:
        return f"{self.status} checks of {self.conversation_id}"


class RunLook(Row):
    """A run whose conversations were looked at together, once (services.session_isolation)."""

    run = models.OneToOneField("runs.TestRun", on_delete=models.PROTECT, related_name="look")
    looked_at = models.DateTimeField()

    class Meta:
        default_permissions = ()  # what it found stands in CheckResult

    def __str__(self) -> str:
        return f"look at {self.run_id}"


class CheckResult(Row):
    """One expectation of one conversation and its outcome. Final once stored: measuring again is a further attempt, and
    the highest attempt counts.

    `check_name` is the metric's (or check's) name. `subject` tells apart several results of one check in a conversation
    (a turn, a tool); empty is the whole conversation. `position` is the turn it is about, or null. `score` and
    `threshold` are on `scale`; without a score `reason` says in words why, and `error_code` for programs. Provider,
    model and fingerprint are those of the judge where one was asked. `source` says who asked for it.
    """

    run = models.ForeignKey("runs.TestRun", on_delete=models.PROTECT, related_name="check_results", db_index=False)
    conversation = models.ForeignKey(
        "runs.Conversation", on_delete=models.PROTECT, related_name="check_results", db_index=False
    )
    check_name = models.CharField(max_length=100)
    subject = models.CharField(max_length=200, blank=True)
    position = models.PositiveIntegerField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=1)
    source = models.CharField(max_length=20, choices=choices(CheckSource))
    outcome = models.CharField(max_length=20, choices=choices(Decision))
    score = models.FloatField(null=True, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    scale = models.CharField(max_length=10, default="0-1")
    version = models.CharField(max_length=40, blank=True)
    error_code = models.CharField(max_length=60, blank=True)
    reason = models.TextField(blank=True)
    evidence = models.JSONField(default=list, blank=True)
    provider = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=120, blank=True)
    fingerprint = models.CharField(max_length=64, blank=True)
    measured_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "check_name", "subject", "attempt"], name="one_result_per_check_and_attempt"
            ),
            models.CheckConstraint(
                condition=Q(outcome__in=["unmeasurable", "skipped"], score__isnull=True)
                | Q(outcome__in=["pass", "fail", "undecided"]),
                name="no_score_where_nothing_was_measured",
            ),
        ]
        indexes = [models.Index(fields=["run", "id"], name="check_result_of_run")]
        triggers = [
            final_but_for_words(
                name="check_result_is_final",
                operation=pgtrigger.Update | pgtrigger.Delete,
                words=RESULT_WORDS,
                conversation="OLD.conversation_id",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_name}: {self.outcome}"
