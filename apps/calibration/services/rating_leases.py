"""Leases of the people who rate a conversation now: no more people begin one than are to rate it."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from apps.calibration.models import HumanLabel, LabellingItem, RatingLease
from apps.calibration.queries.labelling import may_rate_in
from apps.core.errors import Conflict

# Our choice: a long conversation with ten criteria is rated in some twenty minutes; who goes to lunch loses the place,
# and nothing of what they wrote.
LEASE = timedelta(minutes=30)


def hold_item(*, item_id: int, rater: str, now: datetime) -> bool:
    """Take the item for a while; False where as many as wanted have rated it or have it before them. Three or four
    statements, one rater after another. Safe to repeat: it is held longer."""
    with transaction.atomic():
        item = LabellingItem.objects.select_for_update(of=("self",)).select_related("round").get(pk=item_id)
        taken = set(HumanLabel.objects.filter(item=item).values_list("rater", flat=True))
        taken |= set(RatingLease.objects.filter(item=item, until__gt=now).values_list("rater", flat=True))
        if rater not in taken and len(taken) >= item.round.raters_wanted:
            return False
        RatingLease.objects.update_or_create(item=item, rater=rater, defaults={"until": now + LEASE})
    return True


def put_back(*, item_id: int, rater: str, now: datetime) -> None:
    """The rater leaves it for somebody else. One query; safe to repeat."""
    RatingLease.objects.filter(item_id=item_id, rater=rater, until__gt=now).update(until=now)


def refuse_beyond_wanted(item: LabellingItem, rater: str, *, rated: bool, others: int) -> None:
    """Refuse ratings in a closed or reassigned queue, or beyond the raters wanted. Raises Conflict.
    Needs the item locked. Whoever leased it before is never one too many: their ratings are not lost."""
    if not may_rate_in(item.round, rater):
        why = (
            _("The queue %(queue)s is closed. Your ratings were not kept.")
            if item.round.closed_at
            else _("The queue %(queue)s was given to other people. Your ratings were not kept.")
        )
        code = "queue_closed" if item.round.closed_at else "not_assigned"
        raise Conflict(why % {"queue": item.round}, code=code)
    complete = others + rated >= item.round.raters_wanted
    if rated and complete and item.round.month is None:
        raise Conflict(
            _(
                "All ratings of this conversation are in and may be seen side by side, so yours can no longer be "
                "changed."
            ),
            code="ratings_complete",
        )
    leases = RatingLease.objects.filter(item=item)
    if rated or leases.filter(rater=rater).exists():
        return
    holders = leases.filter(until__gt=Now()).exclude(rater=rater).values_list("rater", flat=True)
    rated_by = HumanLabel.objects.filter(item=item).exclude(rater=rater).values_list("rater", flat=True)
    if len({*holders, *rated_by}) >= item.round.raters_wanted:
        raise _enough(others, item.round.raters_wanted)


def _enough(rated: int, wanted: int) -> Conflict:
    """Say that this person would be one too many."""
    sentence = (
        _(
            "%(n)d people have rated this conversation already, and with those who are at it that is all that were "
            "wanted. Your ratings were not kept."
        )
        if rated < wanted
        else _(
            "%(n)d people have rated this conversation already, which is all that were wanted. Your ratings were not "
            "kept."
        )
    )
    return Conflict(sentence % {"n": rated}, code="enough_raters")
