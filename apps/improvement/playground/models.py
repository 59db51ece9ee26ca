"""Prompts tried beside each other on a kept conversation."""

from typing import Any

from django.db import models

from apps.catalog.models import Agent, PromptVersion
from apps.core.models import Row, StateQuerySet
from apps.core.states import choices
from apps.improvement.playground.domain.answers import ColumnStatus, PlaygroundStatus
from apps.jobs.models import LeasedRow
from apps.runs.models import Conversation


class Playground(LeasedRow, Row):
    """Owed answers of several prompts and models to the same messages of a customer.

    `lines` are the positions of these messages, `connection` how the agent is reached, frozen and without secrets:
    itself where it is a prompt, else its staging connections; never an address where customers are served.
    """

    conversation: Any = models.ForeignKey(Conversation, on_delete=models.PROTECT, related_name="playgrounds")
    agent: Any = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    lines = models.JSONField(default=list)
    connection = models.JSONField(default=dict)
    status = models.CharField(max_length=20, choices=choices(PlaygroundStatus), default=PlaygroundStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    error_message = models.TextField(blank=True, default="", db_default="")
    requested_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StateQuerySet.as_manager()

    def __str__(self) -> str:
        return f"playground on {self.conversation_id}"


class PlaygroundColumn(models.Model):
    """One prompt with one model: its answers, in the order of the lines ({"text", "tools", "latency_ms"}). `version` is
    None where somebody tried words of their own, which stand in `own_text`. `provider` and `model` are empty where the
    agent speaks by a model that we do not see; `answered_by` is the one that did answer."""

    id = models.BigAutoField(primary_key=True)
    playground: Any = models.ForeignKey(Playground, on_delete=models.CASCADE, related_name="columns")
    number = models.PositiveSmallIntegerField()
    prompt = models.CharField(max_length=100)
    version: Any = models.ForeignKey(PromptVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    own_text = models.TextField(blank=True, default="", db_default="")
    provider = models.CharField(max_length=100, blank=True, default="", db_default="")
    model = models.CharField(max_length=120, blank=True, default="", db_default="")
    answered_by = models.CharField(max_length=120, blank=True, default="", db_default="")
    status = models.CharField(max_length=20, choices=choices(ColumnStatus), default=ColumnStatus.PENDING)
    replies = models.JSONField(default=list, blank=True, db_default=[])
    error_message = models.TextField(blank=True, default="", db_default="")
    calls = models.PositiveIntegerField(default=0, db_default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)

    class Meta:
        default_permissions = ()  # those of its playground
        constraints = [models.UniqueConstraint(fields=["playground", "number"], name="one_column_per_number")]

    def __str__(self) -> str:
        return f"column {self.number} of {self.playground_id}"

    @property
    def text(self) -> str:
        """The prompt's words."""
        return str(self.version.text) if self.version_id else self.own_text
