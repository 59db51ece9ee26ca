"""Show the page where people rate one conversation at a time. It is theirs while they have it before them."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.i18n import set_language

from apps.calibration.queries.labelling import find_item, languages_of
from apps.calibration.services.labelling import Given, rate
from apps.calibration.services.rating_leases import hold_item, put_back
from apps.core.errors import BadInput, RatibaError
from apps.dashboard.conversations.views.annotation import LABEL
from apps.dashboard.labelling.queries.rating import LabellingPage, labelling_page
from apps.dashboard.page_access import READ, show, staff_page
from apps.dashboard.reading_language import in_readers_language

VIEW = "calibration.view_certificate"
_TRIES = 5  # others may be faster at the same item


@staff_page(LABEL, methods=READ)
@in_readers_language
def labelling(request: HttpRequest, item_id: int | None = None) -> HttpResponse:
    """The next conversation to rate; ?after=ID skips one and leaves it to others, ?queue=ID names a queue."""
    user, now = request.user.get_username(), timezone.now()
    after = int(request.GET["after"]) if request.GET.get("after", "").isdecimal() else None
    if after is not None:
        put_back(item_id=after, rater=user, now=now)
    for _attempt in range(_TRIES):
        page = labelling_page(user=user, item_id=item_id, after=after, round_id=_queue(request))
        if page.item is None or page.again or hold_item(item_id=page.item.pk, rater=user, now=now):
            break
    may = {"calibration": request.user.has_perm(VIEW)}
    reads = "" if page.item else " ".join(languages_of(user))
    return show(request, "labelling/rating", _("Labelling"), found=page, may=may, reads=reads)


@staff_page(LABEL, methods=("POST",))
@in_readers_language
def save_labels(request: HttpRequest, item_id: int) -> HttpResponse:
    """Store this person's ratings and go on; a refused form keeps its entries. POST only."""
    user = request.user.get_username()
    item = find_item(item_id)
    try:
        names = [criterion["name"] for criterion in item.round.criteria]
        given = {name: one for n, name in enumerate(names) if (one := _given(request, n)) is not None}
        rate(item_id=item_id, rater=user, ratings=given, note=request.POST.get("note", ""))
    except BadInput as error:
        messages.error(request, error.message)
        page: LabellingPage = labelling_page(user=user, item_id=item_id, posted=request.POST.dict())
        answer = show(request, "labelling/rating", _("Labelling"), found=page)
        answer.status_code = 422
        return answer
    except RatibaError as error:
        messages.error(request, error.message)
    on = reverse("labelling")
    return redirect(on if item.round.month else f"{on}?queue={item.round_id}")


@staff_page(methods=("POST",))
def reading_language(request: HttpRequest) -> HttpResponse:
    """Store the language in which this person reads these pages, and go back. POST only."""
    return set_language(request)


def _queue(request: HttpRequest) -> uuid.UUID | None:
    try:
        return uuid.UUID(request.GET.get("queue", ""))
    except ValueError:
        return None


def _given(request: HttpRequest, number: int) -> Given | None:
    value, reason = request.POST.get(f"value-{number}", ""), request.POST.get(f"reason-{number}", "")
    if not value:
        return None
    if value == "none":
        return Given(value=None, reason=reason)
    try:
        return Given(value=float(value), reason=reason)
    except ValueError:
        raise BadInput(f"{value!r} is no rating.") from None
