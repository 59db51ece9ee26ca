"""Rows that tests of sampling and anchors share."""

import uuid
from datetime import UTC, datetime
from typing import Any

from apps.evaluations.models import Judgement
from apps.production.intake.services.conversations import take_conversation
from apps.production.models import ProductionConversation, SamplingRule
from apps.runs.models import Conversation
from apps.tenants.models import Tenant

NIGHT = datetime(2026, 11, 24, 0, 0, tzinfo=UTC)  # a window begins
F = "f" * 64


def phase(slug: str, number: int = 2, **more: Any) -> None:
    Tenant.objects.filter(slug=slug).update(settings={"phase": number, **more})


def rule(config: str, **more: Any) -> SamplingRule:
    return SamplingRule.objects.create(
        **{"name": "all", "evaluator_config": config, "rate": 1.0, "drawn_until": NIGHT, **more}
    )


def arrived(
    id: str, *, at: datetime, language: str = "en", channel: str = "whatsapp", version: str = "", **more: Any
) -> uuid.UUID:
    """A conversation that settled then."""
    document = {
        "id": id, "ended": True, "language": language, "channel": channel, "prompt_version": version,
        "turns": [{"role": "user", "content": f"Habari, {id}"}, {"role": "assistant", "content": "Karibu"}], **more,
    }  # fmt: skip
    return take_conversation(raw=document, now=at, rewritten_by=str(more.get("source", ""))).conversation_id


def many(count: int, *, at: datetime, start: int = 0, **more: Any) -> list[uuid.UUID]:
    return [arrived(f"chat {start + n}", at=at, **more) for n in range(count)]


def score(values: dict[uuid.UUID, float] | float, *, fingerprint: str = F) -> None:
    """Judge what is owed, with the score of each conversation."""
    for one in Judgement.objects.filter(status="pending"):
        value = values if isinstance(values, float) else values[one.conversation_id]
        Judgement.objects.filter(pk=one.pk).update(
            status="scored", weighted_score=value, fingerprint=fingerprint, judged_at=one.created_at
        )


def production_row(conversation_id: uuid.UUID) -> ProductionConversation:
    return ProductionConversation.objects.get(conversation_id=conversation_id)


def conversation(conversation_id: uuid.UUID) -> Conversation:
    return Conversation.objects.get(pk=conversation_id)
