"""The rows of a run that begins: itself and its conversations, none of them played."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any

from django.db import transaction

from apps.core.events import EventType, log_event
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.states import Kind


def store_run(
    *,
    kind: Kind,
    name: str,
    plan: Mapping[str, Any],
    conversations: Sequence[tuple[str, Mapping[str, Any]]],
    triggered_by: str,
    now: datetime,
    agent_id: uuid.UUID | None = None,
    subject: Mapping[str, Any] = MappingProxyType({}),
    personas: Mapping[str, Any] = MappingProxyType({}),
    of: Kind | None = None,
) -> uuid.UUID:
    """A run with its frozen plan, and a pending conversation for each (external id, spec); the run's id.

    `kind` is how its conversations are played, `of` what the run itself is, where that is another. `personas` has
    ids by the `persona_name` of a spec. Two queries in a transaction. Each call makes a run.
    """
    with transaction.atomic():
        run = TestRun.objects.create(
            kind=of or kind, agent_id=agent_id, name=name[:200], plan=dict(plan), subject=dict(subject),
            triggered_by=triggered_by[:100], progress_at=now,
        )  # fmt: skip
        Conversation.objects.bulk_create(
            Conversation(
                run=run,
                position=position,
                external_id=external_id,
                kind=kind,
                persona_id=personas.get(spec.get("persona_name", "")),
                language=str(spec["language"])[:20],
                spec=dict(spec),
            )
            for position, (external_id, spec) in enumerate(conversations)
        )
    log_event(EventType.RUN_CREATED, run=str(run.id), kind=(of or kind).value, conversations=len(conversations))
    return uuid.UUID(str(run.id))
