"""Prompts of agents: their versions, written once, and the lines that say which of them is live."""

from typing import Any

import pgtrigger
from django.db import models

from apps.core.models import Row


class PromptVersion(Row):
    """A prompt's text as it was: `version` is `<name>@<git short sha>`, or `<name>@sha256-…` where git knows it not.

    Written once; the database refuses changes.
    """

    name = models.CharField(max_length=100)
    version = models.CharField(max_length=150)
    text = models.TextField()
    digest = models.CharField(max_length=64)
    path = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version"], name="one_prompt_per_version")]
        triggers = [pgtrigger.Protect(name="prompt_is_final", operation=pgtrigger.Update | pgtrigger.Delete)]

    def __str__(self) -> str:
        return self.version


class PromptLine(Row):
    """All prompt versions of one name, and the one that is live: what an agent of that prompt plays where nobody names
    a version. A version that is recorded as a draft is in no line until somebody makes it live.

    `agent` is whose prompt it is, where that is known.
    """

    name = models.CharField(max_length=100)
    agent: Any = models.ForeignKey(
        "catalog.Agent", null=True, blank=True, on_delete=models.SET_NULL, related_name="prompt_lines"
    )
    live = models.ForeignKey(PromptVersion, on_delete=models.PROTECT, related_name="+")
    live_since = models.DateTimeField(auto_now=True)
    live_by = models.CharField(max_length=150, blank=True, default="", db_default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name"], name="one_prompt_line_per_name")]

    def __str__(self) -> str:
        return self.name
