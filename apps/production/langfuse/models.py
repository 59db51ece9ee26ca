"""Langfuse projects: what is read from them and sent to them, and deletions that are requested there."""

from typing import Any

from django.db import models
from django.db.models import Value

from apps.catalog.fields import EncryptedTextField
from apps.core.digest import sha256_hex
from apps.core.models import Row
from apps.core.states import choices
from apps.production.langfuse.domain.deletion_states import LangfuseDeletionStatus


class _Connected(models.Manager["LangfuseSource"]):
    """Manager that loads the connection, which is read wherever the source is."""

    def get_queryset(self) -> models.QuerySet["LangfuseSource"]:
        return super().get_queryset().select_related("connection")


class LangfuseSource(Row):
    """A project that a team's agent traces to already. `connection` has its address and keys, and goes with it (by a
    trigger of migration 0013, which also writes there what older code writes into columns of its own). Read every few
    minutes, in windows that overlap: what was late is found again, and what is known changes nothing. `polled_until` is
    the end of the last window read whole.
    `window_s` is how long a window may be after one that could not be read whole. `sends_since`: ratings and scores are
    sent there too, from then on; `sends_runs_since`: our runs and judge calls are; at most one project gets each.
    `…_enqueued_until`: what is older has its delivery, so that nobody looks for it again. `publishes_prompts`: versions
    of prompts are; `read_prompts` names those that are read from there instead. `server_version` is what the server
    said last."""

    name = models.CharField(max_length=100, unique=True)
    connection: Any = models.OneToOneField(
        "catalog.OutsideConnection", on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )
    environment = models.CharField(max_length=100, blank=True)
    enabled = models.BooleanField(default=True)
    not_before = models.DateTimeField(null=True, blank=True)
    polled_until = models.DateTimeField(null=True, blank=True)
    window_s = models.PositiveIntegerField(null=True, blank=True)
    sends_since = models.DateTimeField(null=True, blank=True)
    scores_enqueued_until = models.DateTimeField(null=True, blank=True)
    sends_runs_since = models.DateTimeField(null=True, blank=True)
    runs_enqueued_until = models.DateTimeField(null=True, blank=True)
    publishes_prompts = models.BooleanField(default=False, db_default=False)
    read_prompts = models.JSONField(default=list, blank=True, db_default=Value([], models.JSONField()))
    server_version = models.CharField(max_length=40, blank=True, default="", db_default="")
    last_error = models.CharField(max_length=300, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = _Connected()

    class Meta:
        verbose_name = "Langfuse source"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                models.Value(1), name="one_langfuse_gets_scores", condition=models.Q(sends_since__isnull=False)
            ),
            models.UniqueConstraint(
                models.Value(1), name="one_langfuse_gets_runs", condition=models.Q(sends_runs_since__isnull=False)
            ),
            models.UniqueConstraint(
                models.Value(1), name="one_langfuse_gets_prompts", condition=models.Q(publishes_prompts=True)
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def base_url(self) -> str:
        """The address of the Langfuse."""
        return str(self.connection.address)

    @property
    def project_digest(self) -> str:
        """Digest of the server and project of this source: 64 hex digits. No query where the connection is loaded."""
        return sha256_hex([self.base_url.rstrip("/"), self.connection.options.get("public_key", "")])


class LangfuseDeletion(Row):
    """A request that a project deletes traces of an erased person. `targets` are their ids, encrypted, and gone once
    they are (`done`); `project` is the source's name then, `project_digest` which one it led to ("" of rows of before),
    and `conversations` how many it was about."""

    source: Any = models.ForeignKey(LangfuseSource, null=True, on_delete=models.SET_NULL, related_name="deletions")
    project = models.CharField(max_length=100)
    project_digest = models.CharField(max_length=64, blank=True, default="", db_default="")
    targets = EncryptedTextField(blank=True, default="")
    conversations = models.PositiveIntegerField(default=0)
    status = models.CharField(
        max_length=20, choices=choices(LangfuseDeletionStatus), default=LangfuseDeletionStatus.PENDING
    )
    error = models.CharField(max_length=300, blank=True)
    requested_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.status} deletion in {self.project}"
