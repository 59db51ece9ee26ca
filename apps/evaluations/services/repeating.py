"""Playing part of an earlier run again, under its own frozen plan."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q

from apps.catalog.domain.states import ELIGIBLE
from apps.catalog.models import Persona
from apps.core.errors import BadInput, Conflict
from apps.evaluations.domain.states import JudgementStatus
from apps.runs.domain.states import Blame, ConversationStatus, Kind
from apps.runs.models import Conversation, TestRun
from apps.runs.queries.progress import find_run

ERRORED = Q(status__in=[ConversationStatus.FAILED, ConversationStatus.TIMEOUT]) & ~Q(blame=Blame.AGENT_QUALITY) | Q(
    judgements__status__in=[JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR]
)
FAILED = Q(blame=Blame.AGENT_QUALITY) | Q(judgements__scores__score__lt=F("judgements__scores__pass_mark"))


def repeat_run(*, run_id: uuid.UUID, only: str, now: datetime, triggered_by: str = "") -> uuid.UUID:
    """A new run of the conversations of an earlier one that errored, or that failed a criterion.

    Raises NotFound; Conflict (`cannot_repeat`) for an imported run, which nobody can play; BadInput
    (`nothing_to_repeat`) when none qualifies, (`persona_not_eligible`) when one's persona may not play any more. Four
    queries. Not safe to repeat: every call makes a run.
    """
    earlier = find_run(run_id)
    if earlier.kind == Kind.IMPORTED:
        raise Conflict(
            "An imported run cannot be played again: its conversations happened elsewhere.", code="cannot_repeat"
        )
    wanted = Conversation.objects.filter(ERRORED if only == "errored" else FAILED, run=earlier).distinct()
    rows = list(wanted.order_by("position"))
    if not rows:
        raise BadInput(f"No conversation of run {run_id} has {only}.", code="nothing_to_repeat")
    _refuse_unfit_personas(rows)
    with transaction.atomic():
        run = TestRun.objects.create(
            kind=earlier.kind,
            agent_id=earlier.agent_id,
            name=f"{earlier.name}, {only} again"[:200],
            plan={**earlier.plan, "from": str(earlier.id), "only": only},
            triggered_by=triggered_by[:100],
            progress_at=now,
        )
        Conversation.objects.bulk_create(
            Conversation(
                run=run,
                position=position,
                external_id=row.external_id,
                kind=row.kind,
                language=row.language,
                spec=row.spec,
            )
            for position, row in enumerate(rows)
        )
    return uuid.UUID(str(run.id))


def _refuse_unfit_personas(rows: Sequence[Conversation]) -> None:
    names = {row.spec["persona_name"] for row in rows if row.spec.get("persona_name")}
    unfit = Persona.objects.filter(name__in=names).exclude(status__in=ELIGIBLE).order_by("name").first()
    if unfit is not None:
        raise BadInput(
            f"Persona {unfit.name!r} is {unfit.status} by now and may not play.",
            code="persona_not_eligible",
            persona=unfit.name,
            status_now=unfit.status,
        )
