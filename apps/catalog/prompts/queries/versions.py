"""Versions of prompts, and which one is live."""

from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from apps.catalog.prompts.models import PromptLine, PromptVersion


def prompt_text(version: str) -> str:
    """The text of a recorded prompt version; empty where there is none of this name. One query."""
    return str(PromptVersion.objects.filter(version=version).values_list("text", flat=True).first() or "")


def prompt_versions() -> QuerySet[PromptVersion]:
    """Prompt versions, each with `live`: whether it is the one that its line plays. One query when read."""
    line = PromptLine.objects.filter(live=OuterRef("pk"))
    return PromptVersion.objects.annotate(live=Exists(line))


def live_prompt(name: str) -> str:
    """The version of this name that is live; empty where there is none, or drafts only. One query."""
    return str(PromptLine.objects.filter(name=name).values_list("live__version", flat=True).first() or "")


def live_prompts_of(agent_id: UUID | str, name: str) -> tuple[str, ...]:
    """The live versions of an agent's own lines: those that name it, and the one of its name that names no agent. One
    query."""
    lines = PromptLine.objects.filter(Q(agent_id=agent_id) | Q(agent__isnull=True, name=name))
    return tuple(lines.order_by("name").values_list("live__version", flat=True))
