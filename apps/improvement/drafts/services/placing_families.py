"""Place scenario families into train, selection and hold-out: each once."""

import uuid
from collections.abc import Collection
from datetime import datetime

from django.db import connection, transaction

from apps.core.errors import Conflict
from apps.core.events import EventType, log_event
from apps.improvement.domain.acceptance import LEAST_FAMILIES
from apps.improvement.drafts.models import Trial
from apps.improvement.drafts.queries.families import hold_out_set
from apps.improvement.drafts.queries.hold_out import untried_families
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.models import FamilyMember, FamilyPart
from apps.improvement.holdout.queries.placement import next_placement
from apps.improvement.holdout.queries.sealing import sealed_families
from apps.statistics.looks import LOOKS


def lock_families() -> None:
    """Lock the placing of families and the counting of looks until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' hold-out', 0))")


@transaction.atomic
def place_new_families(*, now: datetime) -> int:
    """Give every family that may be played and has no part one; how many were new. A family that holds what another
    one held follows it, and a sealed one that shares a scenario with what is read goes to train, whatever they are
    called now. Safe to repeat and to race. Eight queries, four more where a scenario is new, was moved or reworded."""
    lock_families()
    coming = next_placement()
    placement, number = coming.placement, hold_out_set().number
    followed = FamilyPart.objects.filter(family__in=placement.follows.values())
    sets = dict(followed.values_list("family", "set_number")) if placement.follows else {}
    FamilyPart.objects.bulk_create(
        FamilyPart(
            family=family,
            part=part,
            drawn_at=now,
            follows=placement.follows.get(family, ""),
            set_number=sets.get(placement.follows.get(family, ""), number) if part is Part.HOLD_OUT else 0,
        )
        for family, part in placement.parts.items()
    )
    FamilyMember.objects.bulk_create(coming.rows(now=now))
    if placement.spent:
        FamilyPart.objects.filter(family__in=placement.spent, part=Part.HOLD_OUT).update(part=Part.TRAIN)
        log_event(EventType.HOLD_OUT_OPENED, families=len(placement.spent), by="a scenario that train holds too")
    return len(placement.parts)


@transaction.atomic
def draw_hold_out(*, now: datetime) -> int:
    """Fill the hold-out set to its least size with families that no trial played; return how many.

    New families go there by themselves; these come from the selection. Raises Conflict: `hold_out_in_use` where the set
    was looked at already (an addition would not have been sealed from the first look on), and `no_untried_families`
    where none is left: write more scenarios, of other families. Some ten queries.
    """
    lock_families()
    place_new_families(now=now)
    current = hold_out_set()
    if current.spent or current.in_use:
        raise Conflict(
            f"Hold-out set {current.number} is in use: {current.spent} of {LOOKS} looks are spent. New families are "
            "drawn when it is worn.",
            code="hold_out_in_use",
        )
    missing = LEAST_FAMILIES - current.families
    drawn = untried_families()[: max(missing, 0)]
    if missing > 0 and not drawn:
        raise Conflict(
            f"{current.families} families are sealed, {LEAST_FAMILIES} are needed, and every other family has been "
            f"played by a trial: release scenarios of {missing} more families.",
            code="no_untried_families",
        )
    FamilyPart.objects.filter(family__in=drawn).update(part=Part.HOLD_OUT, set_number=current.number, drawn_at=now)
    log_event(EventType.HOLD_OUT_DRAWN, set=current.number, families=len(drawn))
    return len(drawn)


@transaction.atomic
def open_sealed(ids: Collection[uuid.UUID], *, by: str) -> int:
    """Open conversations of a hold-out that a person reads; return how many families.

    They are named by what they are (conversations, runs or evaluations); their families go to train, for good. Safe to
    repeat: what is open stays open. Four queries.
    """
    lock_families()
    families = sealed_families(ids)
    FamilyPart.objects.filter(part=Part.HOLD_OUT, family__in=families).update(part=Part.TRAIN)
    if families:
        log_event(EventType.HOLD_OUT_OPENED, families=len(families), by=by)
    return len(families)


def spend_look(trial: Trial) -> int:
    """The number of the look that this trial spends, now; it counts for life. After the last one the set goes to
    train. In the caller's transaction. Some six queries."""
    lock_families()
    look = 1 + Trial.objects.filter(set_number=trial.set_number, look__isnull=False).count()
    if look >= LOOKS:
        FamilyPart.objects.filter(part=Part.HOLD_OUT, set_number=trial.set_number).update(part=Part.TRAIN)
    return look
