"""Start a rollout, raise it, try a conversation in it, roll it back, promote it: people's moves."""

import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from apps.catalog.models import PromptLine
from apps.catalog.prompts.services.recording import make_live
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.core.inserting import insert_together
from apps.core.plurals import many
from apps.production.domain.routing import route_digest
from apps.production.rollouts.domain.request import (
    MAX_FORCED,
    MAX_REASON,
    RolloutRequest,
    check_hours,
    check_percentage,
)
from apps.production.rollouts.domain.rules import RULES, promotion_refusals, thin
from apps.production.rollouts.domain.states import RolloutMove, RolloutStatus
from apps.production.rollouts.models import Rollout, RolloutEvent
from apps.production.rollouts.queries.documents import find_rollout
from apps.production.rollouts.queries.figures import rollout_figures
from apps.production.rollouts.queries.material import RolloutMaterial, rollout_material
from apps.production.rollouts.services.arms import assign_arms
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config


def plan_rollout(request: RolloutRequest, *, now: datetime) -> RolloutMaterial:
    """Plan a rollout: what would run, and what it would see; nothing is changed. Some fifteen queries. Raises as
    `rollout_material`, and BadInput for a percentage or a time that cannot be."""
    check_percentage(request.percentage)
    check_hours(request.hours)
    return rollout_material(
        role=request.role,
        canary=request.canary,
        percentage=request.percentage,
        hours=request.hours,
        config=request.evaluator_config,
        margin=workflow_config(current_slug()).rollout_margin,
        now=now,
    )


def start_rollout(request: RolloutRequest, *, by: str, now: datetime) -> uuid.UUID:
    """Send so many of a hundred conversations to the canary, from the next reading of the routers' tables on.

    Raises as `plan_rollout`; Conflict: `rollout_runs` (one at a time for a role), `other_rollout_runs` (another role's,
    and nobody said that it may).
    """
    made, margin = plan_rollout(request, now=now), workflow_config(current_slug()).rollout_margin
    with transaction.atomic():
        line = PromptLine.objects.select_for_update().get(pk=made.line.pk)
        if line.live_id != made.line.live_id:
            raise Conflict("Another prompt went live meanwhile: look again.", code="live_moved")
        list(PromptLine.objects.select_for_update().order_by("pk").values_list("pk", flat=True))  # two roles at once
        _refuse_beside(line, request.beside_others)
        row = Rollout(
            created_at=now,
            line=line,
            stable_id=line.live_id,
            canary=made.canary,
            status=RolloutStatus.RUNNING,
            percentage=request.percentage,
            evaluator_config=made.config,
            margin=margin,
            beside_others=request.beside_others,
            forecast=as_json(made.forecast.document()),
            started_by=by[:150],
            ends_at=now + timedelta(hours=request.hours),
            look_at=now,
        )
        insert_together([row])
        began = f"Started at {request.percentage} % for {many(request.hours, 'hour')}."
        note(row, RolloutMove.STARTED, by=by, now=now, sentence=f"{began} {made.forecast.sentence}")
    log_event(EventType.ROLLOUT_STARTED, rollout=str(row.pk), role=line.name, percentage=row.percentage, by=by)
    return row.pk


def _refuse_beside(line: PromptLine, beside_others: bool) -> None:
    running = list(Rollout.objects.select_related("line").filter(status=RolloutStatus.RUNNING))
    if any(rollout.line_id == line.pk for rollout in running):
        raise Conflict(f"A rollout of {line.name} runs already: end it first.", code="rollout_runs")
    if running and not beside_others:
        names = ", ".join(rollout.line.name for rollout in running)
        raise Conflict(
            f"A rollout of {names} runs. The hash has no salt: the same conversations would be in both canaries, and "
            "nobody could tell which of the two a difference comes from. Say beside_others to start it all the same.",
            code="other_rollout_runs",
        )


def change_rollout(
    rollout_id: uuid.UUID | str, *, by: str, now: datetime, percentage: int | None = None, hours: int | None = None
) -> None:
    """Raise the percentage (5, 25, 100: conversations move from stable to canary only), or give it more hours from now
    on. Raises NotFound; BadInput (`not_raised`, `bad_percentage`, `bad_hours`); Conflict (`wrong_state`; `time_over`
    for a percentage alone)."""
    if percentage is None and hours is None:
        raise BadInput("Say a percentage or hours.", code="nothing_changed")
    with transaction.atomic():
        row = _locked(rollout_id)
        if hours is None:
            _refuse_over(row, now)
        if percentage is not None:
            check_percentage(percentage)
            if percentage <= row.percentage:
                raise BadInput(
                    f"It is at {row.percentage} % now, and a percentage is only raised. To lower it, roll it back.",
                    code="not_raised",
                    pointer="/percentage",
                )
            before, row.percentage = row.percentage, percentage
            note(row, RolloutMove.RAISED, by=by, now=now, sentence=f"Raised from {before} % to {percentage} %.")
        if hours is not None:
            check_hours(hours)
            row.ends_at = now + timedelta(hours=hours)
            note(row, RolloutMove.PROLONGED, by=by, now=now, sentence=f"Goes on for {many(hours, 'hour')} from now.")
        row.save(update_fields=["percentage", "ends_at"])
    log_event(EventType.ROLLOUT_CHANGED, rollout=str(row.pk), percentage=row.percentage, by=by)


def try_conversation(
    rollout_id: uuid.UUID | str, *, tenant_id: str, conversation_id: str, by: str, now: datetime
) -> None:
    """Force one conversation into the canary as a trial; it counts in an arm only if its hash is in it.
    Its id is stored as a digest. Safe to repeat. Raises NotFound, BadInput (`too_many`), Conflict (`wrong_state`,
    `time_over`)."""
    digest = route_digest(tenant_id, conversation_id)
    with transaction.atomic():
        row = _locked(rollout_id)
        if digest in row.forced:
            return
        _refuse_over(row, now)
        if len(row.forced) >= MAX_FORCED:
            raise BadInput(f"{MAX_FORCED} conversations are tried already.", code="too_many")
        row.forced = [*row.forced, digest]
        row.save(update_fields=["forced"])
        note(row, RolloutMove.TRIED, by=by, now=now, sentence="One conversation was put into the canary for trying.")


def roll_back(rollout_id: uuid.UUID | str, *, by: str, now: datetime, reason: str = "") -> None:
    """Roll back by hand (`watching_rollouts` does it by itself): everybody gets what is live again, with the routers'
    next reading. Raises NotFound, and Conflict (`wrong_state`) where it has ended; a second call changes nothing."""
    with transaction.atomic():
        row = _locked(rollout_id)
        sentence = f"Rolled back: {reason.strip()[:MAX_REASON]}" if reason.strip() else "Rolled back."
        end(row, RolloutStatus.ROLLED_BACK, by=by, now=now, sentence=sentence, figures=rollout_figures(row).as_json())
    log_event(EventType.ROLLOUT_ROLLED_BACK, rollout=str(row.pk), role=row.line.name, by=by, reason=sentence)


def promote_rollout(
    rollout_id: uuid.UUID | str, *, by: str, now: datetime, acknowledged: bool = False, reason: str = ""
) -> None:
    """Make the canary live: a person signs it, and with `acknowledged` what was not shown.

    Raises NotFound; BadInput: `person_required`, `not_acknowledged`; Conflict: `wrong_state`, `live_moved`,
    `not_promotable` with what stands in the way.
    """
    if not by:
        raise BadInput("A canary is promoted by a person.", code="person_required")
    with transaction.atomic():
        row = _locked(rollout_id)
        if PromptLine.objects.select_for_update().get(pk=row.line_id).live_id != row.stable_id:
            raise Conflict("Another prompt went live since it started: start again.", code="live_moved")
        assign_arms(row, now=now)
        figures = rollout_figures(row)
        refusals = promotion_refusals(figures.readings, started_at=row.created_at, now=now, margin=row.margin)
        if refusals:
            raise Conflict(
                f"It is not promoted: {' '.join(refusal.sentence for refusal in refusals)}",
                code="not_promotable",
                reasons=[{"code": refusal.code, "sentence": refusal.sentence} for refusal in refusals],
            )
        unknown = [RULES[reading.metric].title for reading in thin(figures.readings)]
        if unknown and not acknowledged:
            raise BadInput(
                f"Acknowledge what was not shown: {', '.join(unknown)}.",
                code="not_acknowledged",
                pointer="/acknowledged",
            )
        signed = f" Signed although not shown: {', '.join(unknown)}." if unknown else ""
        why = f" {reason.strip()[:MAX_REASON]}" if reason.strip() else ""
        end(row, RolloutStatus.PROMOTED, by=by, now=now, sentence=f"Promoted.{signed}{why}", figures=figures.as_json())
        make_live(version=row.canary.version, by=by)
    log_event(EventType.ROLLOUT_PROMOTED, rollout=str(row.pk), role=row.line.name, by=by)


def stop_rollout(rollout_id: uuid.UUID | str, *, by: str, now: datetime, reason: str = "") -> None:
    """End it without saying that the canary is bad: everybody gets what is live. Raises NotFound, Conflict."""
    with transaction.atomic():
        row = _locked(rollout_id)
        sentence = f"Stopped: {reason.strip()[:MAX_REASON]}" if reason.strip() else "Stopped."
        end(row, RolloutStatus.STOPPED, by=by, now=now, sentence=sentence, figures=rollout_figures(row).as_json())
    log_event(EventType.ROLLOUT_ENDED, rollout=str(row.pk), role=row.line.name, status=row.status, by=by)


def end(
    row: Rollout, status: RolloutStatus, *, by: str, now: datetime, sentence: str, figures: Mapping[str, Any]
) -> None:
    """Percentage 0, the state, and the event with the figures, in the caller's transaction, which holds the row."""
    row.status, row.percentage, row.forced = status, 0, []
    row.ended_at, row.ended_by, row.reason = now, by[:150], sentence
    row.figures, row.looked_at = dict(figures), now
    row.save()
    note(row, RolloutMove(status.value), by=by, now=now, sentence=sentence, figures=figures)


def note(
    row: Rollout, move: RolloutMove, *, by: str, now: datetime, sentence: str, figures: Mapping[str, Any] | None = None
) -> None:
    """Write down what happened: who, when, the percentage from now on, and the figures then."""
    insert_together(
        [
            RolloutEvent(
                created_at=now,
                rollout=row,
                move=move,
                by=by[:150],
                percentage=row.percentage,
                sentence=sentence,
                figures=dict(figures or {}),
            )
        ]
    )


def _refuse_over(row: Rollout, now: datetime) -> None:
    if now >= row.ends_at:
        raise Conflict("Its time is over, and nobody gets the canary: give it more hours.", code="time_over")


def _locked(rollout_id: uuid.UUID | str) -> Rollout:
    find_rollout(rollout_id)
    row = Rollout.objects.select_for_update(of=("self",)).select_related("line", "stable", "canary").get(pk=rollout_id)
    if row.status != RolloutStatus.RUNNING:
        raise Conflict(f"This rollout is {row.status}.", code="wrong_state", status_now=row.status)
    return row
