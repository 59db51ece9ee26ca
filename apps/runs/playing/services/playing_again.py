"""Conversations of an earlier run in a new run: under its own frozen plan, or by another prompt of the same agent."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from apps.catalog.models import Persona
from apps.core.errors import BadInput
from apps.core.subject import UNNAMED
from apps.runs.agents.services.run_agent import agent_of_run
from apps.runs.conversations.models import Conversation, TestRun
from apps.runs.domain.states import Kind
from apps.runs.playing.services.run_choices import store_planned


def play_under_the_same_plan(
    earlier: TestRun, rows: Sequence[Conversation], *, only: str, now: datetime, triggered_by: str = ""
) -> uuid.UUID:
    """A new run of these conversations under the plan of `earlier`, which `only` names a part of. `rows` are stored
    ones or copies with other specs; nothing of them but spec, persona, language and name is read. Two queries. Each
    call makes a run."""
    again = f"from {only}" if only.startswith("turn ") else f"{only} again"
    with transaction.atomic():
        run = TestRun.objects.create(
            kind=earlier.kind,
            agent_id=earlier.agent_id,
            name=f"{earlier.name[: 190 - len(again)]}, {again}",
            subject=earlier.subject,
            plan=replace(earlier.frozen_plan, earlier_run=str(earlier.id), only=only).as_json(),
            triggered_by=triggered_by[:100],
            progress_at=now,
        )
        Conversation.objects.bulk_create(
            Conversation(
                run=run,
                position=position,
                external_id=row.external_id,
                kind=row.kind,
                persona_id=row.persona_id,
                language=row.language,
                spec=row.spec,
            )
            for position, row in enumerate(rows)
        )
    return uuid.UUID(str(run.id))


def play_by_prompt(earlier: TestRun, *, prompt: str, name: str, now: datetime, triggered_by: str = "") -> uuid.UUID:
    """Start a new run of everything that `earlier` played, with this version of its prompt.

    It has the same customers, and its agent as it is now. Raises what `agent_of_run` raises (`unknown_agent`,
    `no_staging_connection`). Ten queries at most. Each call makes a run.
    """
    plan = earlier.frozen_plan
    agent = agent_of_run(plan.agent_name, prompt=prompt)
    rows = list(Conversation.objects.filter(run=earlier).select_related("persona").order_by("position"))
    return store_planned(
        Kind(earlier.kind),
        agent,
        replace(plan, prompt_version="", prompt_text="", transport=agent.transport, earlier_run="", only=""),
        [(row.external_id, dict(row.spec)) for row in rows],
        plan.stagger_s or (0.0, 0.0),
        triggered_by,
        UNNAMED,
        now,
        {row.spec.get("persona_name", ""): row.persona_id for row in rows if row.persona_id},
        name=name,
    )


def refuse_unfit_personas(rows: Sequence[Conversation]) -> None:
    """Refuse conversations whose persona may not play any more. Raises BadInput (`persona_not_eligible`). One query."""
    played = {row.persona_id for row in rows if row.persona_id}
    unfit = Persona.objects.filter(pk__in=played, may_play=False).order_by("name").first()
    if unfit is not None:
        raise BadInput(
            f"Persona {unfit.name!r} is {unfit.why_not()} by now and may not play.",
            code="persona_not_eligible",
            persona=unfit.name,
            status_now=unfit.status,
        )
