"""Langfuse projects that conversations and ratings are read from."""

from django.db import models

from apps.catalog.fields import EncryptedTextField
from apps.core.models import Row


class LangfuseSource(Row):
    """A project that a team's agent traces to already. Read every few minutes, in windows that overlap: what was
    late is found again, and what is known changes nothing. `polled_until` is the end of the last window read whole.
    `sends_since`: ratings and scores are sent there too, from then on; at most one project gets them."""

    name = models.CharField(max_length=100, unique=True)
    base_url = models.CharField(max_length=200)
    public_key = models.CharField(max_length=200)
    secret_key = EncryptedTextField(blank=True, default="")
    environment = models.CharField(max_length=100, blank=True)
    enabled = models.BooleanField(default=True)
    not_before = models.DateTimeField(null=True, blank=True)
    polled_until = models.DateTimeField(null=True, blank=True)
    sends_since = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=300, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "Langfuse source"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                models.Value(1), name="one_langfuse_gets_scores", condition=models.Q(sends_since__isnull=False)
            )
        ]

    def __str__(self) -> str:
        return self.name
