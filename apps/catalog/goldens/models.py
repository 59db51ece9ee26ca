"""Golden sessions, their versions and the files that go with their turns."""

from typing import Any

import pgtrigger
from django.db import models
from django.db.models import Q

from apps.catalog.domain.states import GOLDEN_MOVES, GoldenStatus, pairs
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices

# Everything of a version but what approving and retiring it writes.
_CONTENT = "(to_jsonb({row}) - 'status' - 'approved_by' - 'approved_at')"


class GoldenSession(Row):
    """A name with numbered versions; the highest approved one is what a replay plays.

    `owner` answers for it; `confirmed_at` and `confirmed_by` say when somebody last looked and found it right.
    """

    name = models.CharField(max_length=200)
    agent: Any = models.ForeignKey(
        "catalog.Agent", null=True, blank=True, on_delete=models.PROTECT, related_name="golden_sessions", db_index=False
    )
    owner = models.CharField(max_length=150, blank=True, default="", db_default="")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    confirmed_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="one_golden_session_per_name")]

    def __str__(self) -> str:
        return self.name


class GoldenVersion(Row):
    """A captured, masked, curated conversation as it was: the conversation document with its gates, tools and files.

    The database refuses changes, with one exception: masking when a candidate is approved or retired, so that nothing
    raw is left behind. `digest` is of `document`; `profile` is the golden session's own (connections.domain.profile),
    {} where it has none; `test_data`: a person vouches that it holds nobody's data, so it is kept to the letter.
    """

    golden = models.ForeignKey(GoldenSession, on_delete=models.PROTECT, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    document = models.JSONField()
    profile = models.JSONField(default=dict, blank=True)
    digest = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=choices(GoldenStatus), default=GoldenStatus.CANDIDATE)
    test_data = models.BooleanField(default=False)
    captured_from = models.CharField(max_length=500, blank=True)
    approved_by = models.CharField(max_length=150, blank=True, editable=False)
    approved_at = models.DateTimeField(null=True, blank=True, editable=False)
    note = models.TextField(blank=True)

    objects = StateQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["golden", "number"], name="one_golden_version_per_number"),
            models.CheckConstraint(
                condition=~Q(status=GoldenStatus.APPROVED) | Q(approved_at__isnull=False), name="approved_has_a_time"
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="golden_content",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(
                    f"((OLD.status <> 'candidate' OR NEW.status = 'candidate') AND {_CONTENT.format(row='OLD')}"
                    f" IS DISTINCT FROM {_CONTENT.format(row='NEW')})"
                ),
            ),
            pgtrigger.FSM(name="golden_lifecycle", field="status", transitions=pairs(GOLDEN_MOVES)),
            pgtrigger.Protect(
                name="golden_stays",
                operation=pgtrigger.Delete,
                condition=pgtrigger.Condition("OLD.status <> 'candidate'"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.golden.name}@{self.number}"


class StoredFile(models.Model):
    """A file that goes with a turn of a golden session, found by its digest; stored once, however often it is named."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256
