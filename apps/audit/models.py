"""The audit trail: one row for each change, with its author, written by the database itself (triggers, see the first
migration)."""

from typing import Any

from django.db import models
from django.db.models.functions import Now

from apps.audit.domain.actions import Action
from apps.core.states import choices


class Entry(models.Model):
    """A row that was added, changed or deleted: by whom, when, and its columns before and after.

    A change keeps the columns that differ, the others all of them. Secrets are never in it. Nothing can change or
    delete an entry, nor add one by hand: the database refuses.
    """

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(db_default=Now())
    actor = models.TextField()
    action = models.CharField(max_length=10, choices=choices(Action))
    table_name = models.CharField(max_length=63)
    object_id = models.CharField(max_length=64)
    object_text = models.TextField()
    before: Any = models.JSONField(null=True)
    after: Any = models.JSONField(null=True)

    class Meta:
        verbose_name = "change"
        default_permissions = ("view",)
        indexes = [models.Index(fields=["table_name", "object_id"], name="audit_of_object")]

    def __str__(self) -> str:
        return f"{self.object_text} {self.action} by {self.actor}"
