"""Starting the probe dialogues of a persona: frozen here, played by the same workers as battles."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.core.events import EventType, log_event
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation, TestRun

# The plan's agent has no row: each dialogue brings its own script (services.players.probe).
SCRIPTED_AGENT: Mapping[str, Any] = {"id": None, "name": "probe script", "kind": "scripted", "address": ""}


def start_probes(
    *,
    persona: Mapping[str, Any],
    scripts: Mapping[str, Mapping[str, Any]],
    simulator: Mapping[str, Any],
    max_turns: int,
    now: datetime,
) -> uuid.UUID:
    """Owe one dialogue of kind `probe` for each script; the run's id.

    `persona` is what a battle's spec has of it: {"persona_name", "persona", "persona_spec", "goal", "language"};
    `scripts` {probe: options of a scripted agent}; `max_turns` counts both sides. Two queries. Each call makes a run.
    """
    plan = {"kind": Kind.PROBE.value, "simulator": dict(simulator), "repeats": 1, "seed": 0, "stagger_s": [0.0, 0.0]}
    with transaction.atomic():
        run = TestRun.objects.create(
            kind=Kind.PROBE,
            name=f"probe of {persona['persona_name']}"[:200],
            plan={**plan, "agent": dict(SCRIPTED_AGENT)},
            triggered_by="persona validation",
            progress_at=now,
        )
        Conversation.objects.bulk_create(
            Conversation(
                run=run,
                position=position,
                external_id=probe,
                kind=Kind.PROBE,
                language=str(persona["language"])[:20],
                spec={**persona, "script": dict(script), "opening": "", "max_turns": max_turns, "seed": position},
            )
            for position, (probe, script) in enumerate(scripts.items())
        )
    log_event(EventType.RUN_CREATED, run=str(run.id), kind=Kind.PROBE.value, conversations=len(scripts))
    return uuid.UUID(str(run.id))
