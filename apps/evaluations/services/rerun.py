"""Playing part of an earlier run again, under its own frozen plan."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from apps.catalog.models import Persona
from apps.core.errors import BadInput, Conflict
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.models import Judgement
from apps.evaluations.services.reconciling import requeue_errors
from apps.runs.domain.kind_traits import traits_of
from apps.runs.domain.states import Blame, ConversationStatus
from apps.runs.models import Conversation, TestRun
from apps.runs.queries.progress import find_run

ERRORED = Q(status__in=[ConversationStatus.FAILED, ConversationStatus.TIMEOUT]) & ~Q(blame=Blame.AGENT_QUALITY)
UNJUDGED = [JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR]
FAILED = Q(blame=Blame.AGENT_QUALITY)
CANCELLED = Q(status=ConversationStatus.CANCELLED)
PART = {"errored": ERRORED, "failed": FAILED, "cancelled": CANCELLED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """`run_id` is the new run, None where nothing has to be played; `judged_again` counts what is judged again where it
    is, in `evaluations`. `evaluator_config` is what the evaluation that was followed was judged with, "" for none."""

    run_id: uuid.UUID | None
    evaluator_config: str = ""
    judged_again: int = 0
    evaluations: Sequence[uuid.UUID] = ()


def rerun(
    *, run_id: uuid.UUID, only: str, now: datetime, also: Collection[uuid.UUID] = (), triggered_by: str = ""
) -> Repeated:
    """Do again what of an earlier run errored: what failed is played in a new run, what was played and could not be
    judged is judged again. With `only` "failed": a new run of what failed by the agent; with "cancelled": of what a
    cancelled run had not played.
    `also` are conversations of the run that later rooms count to this part; of "undecided" they are all there is.

    Raises NotFound; Conflict (`cannot_repeat`) for an imported run of which something must be played; BadInput
    (`nothing_to_repeat`) when nothing qualifies, (`persona_not_eligible`) when one's persona may not play any more.
    Seven queries. Not safe to repeat: a call that plays makes a run.
    """
    earlier = find_run(run_id)
    part = Q(pk__in=list(also)) | PART.get(only, Q(pk__in=[]))
    failures = Conversation.objects.filter(part, run=earlier).distinct()
    rows = list(failures.order_by("position"))
    if rows and not traits_of(earlier.kind).plays:
        raise Conflict(
            "An imported run cannot be played again: its conversations happened elsewhere.", code="cannot_repeat"
        )
    _refuse_unfit_personas(rows)
    with transaction.atomic():
        unjudged = Judgement.objects.filter(evaluation__run=earlier, status__in=UNJUDGED).order_by("evaluation_id")
        evaluations = list(unjudged.values_list("evaluation_id", flat=True).distinct()) if only == "errored" else []
        again = requeue_errors(run_id=run_id, now=now) if evaluations else 0
        if not rows and not again:
            what = {"undecided": "is undecided", "cancelled": "was cancelled"}.get(only, f"has {only}")
            raise BadInput(f"No conversation of run {run_id} {what}.", code="nothing_to_repeat")
        played = _play_again(earlier, rows, only=only, now=now, triggered_by=triggered_by) if rows else None
    return Repeated(run_id=played, judged_again=again, evaluations=evaluations)


def _play_again(
    earlier: TestRun, rows: Sequence[Conversation], *, only: str, now: datetime, triggered_by: str
) -> uuid.UUID:
    with transaction.atomic():
        run = TestRun.objects.create(
            kind=earlier.kind,
            agent_id=earlier.agent_id,
            name=f"{earlier.name}, {only} again"[:200],
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


def _refuse_unfit_personas(rows: Sequence[Conversation]) -> None:
    played = {row.persona_id for row in rows if row.persona_id}
    unfit = Persona.objects.filter(pk__in=played, may_play=False).order_by("name").first()
    if unfit is not None:
        raise BadInput(
            f"Persona {unfit.name!r} is {unfit.why_not()} by now and may not play.",
            code="persona_not_eligible",
            persona=unfit.name,
            status_now=unfit.status,
        )
