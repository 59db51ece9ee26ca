"""Views that people keep of pages: an address under a name, for oneself or for everybody here."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from apps.core.errors import BadInput
from apps.dashboard.page_access import READ, show, staff_page, with_message
from apps.reports.search.domain.saved_views import read_view_name
from apps.reports.search.queries.saved_views import views_of
from apps.reports.search.services.saved_views import page_address, remove_view, save_view, share_view

SEE = "runs.view_testrun"
MANAGES_PEOPLE = "auth.change_user"  # removes what somebody shared who left
VIEWS = "saved_views"


@staff_page(SEE, methods=READ)
def views(request: HttpRequest) -> HttpResponse:
    """Show the saved views: one's own, and those that others shared."""
    user = request.user.get_username()
    shared_views = views_of(user)
    own, others = (
        [view for view in shared_views if view.user == user],
        [view for view in shared_views if view.user != user],
    )
    return show(
        request,
        "settings/saved_views",
        "Saved views",
        own=own,
        others=others,
        manages=request.user.has_perm(MANAGES_PEOPLE),
    )


@staff_page(SEE, methods=("POST",))
def save(request: HttpRequest) -> HttpResponse:
    """Save the list's present view for this person, and go back to it. POST only."""
    try:
        address = page_address(request.POST.get("address", ""))
    except BadInput as error:
        messages.error(request, error.message)
        return redirect(VIEWS)

    def keep() -> str:
        view = save_view(
            user=request.user.get_username(),
            name=read_view_name(request.POST.get("name", "")),
            address=address,
            shared=request.POST.get("shared") == "yes",
        )
        return f"Saved as “{view.name}”" + (", for everybody here." if view.shared else ", for you.")

    return with_message(request, keep, f"{address.path}?{address.query}" if address.query else address.path)


@staff_page(SEE, methods=("POST",))
def share(request: HttpRequest, view_id: uuid.UUID) -> HttpResponse:
    """Share one's own view with everybody here, or stop sharing it. POST only."""
    shared = request.POST.get("shared") == "yes"

    def change() -> str:
        view = share_view(view_id=view_id, user=request.user.get_username(), shared=shared)
        return f"“{view.name}” is " + ("shared with everybody here." if shared else "yours alone now.")

    return with_message(request, change, VIEWS)


@staff_page(SEE, methods=("POST",))
def remove(request: HttpRequest, view_id: uuid.UUID) -> HttpResponse:
    """Remove one's own view, or a shared one if this person manages people. POST only."""

    def gone() -> str:
        manages = request.user.has_perm(MANAGES_PEOPLE)
        return f"“{remove_view(view_id=view_id, user=request.user.get_username(), of_anybody=manages)}” is removed."

    return with_message(request, gone, VIEWS)
