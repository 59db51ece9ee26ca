"""Keeping, sharing and removing views."""

from typing import Any

from django.db import transaction
from django.urls import Resolver404, resolve

from apps.core.errors import BadInput, Conflict, NotFound
from apps.reports.models import SavedView
from apps.reports.search.domain.saved_views import MAX_VIEWS, ViewAddress, read_view_address


def page_address(text: str) -> ViewAddress:
    """The address of a page that is here. Raises BadInput (`/address`)."""
    address = read_view_address(text)
    try:
        resolve(address.path)
    except Resolver404 as error:
        raise BadInput("there is no such page here", pointer="/address") from error
    return address


def save_view(*, user: str, name: str, address: ViewAddress, shared: bool) -> SavedView:
    """A person's view of that name on that path; one they have already is changed. Safe to repeat. Three statements.

    Raises Conflict where they have `MAX_VIEWS` already.
    """
    with transaction.atomic():
        known = SavedView.objects.filter(user=user, path=address.path, name=name)
        if not known.exists() and SavedView.objects.filter(user=user).count() >= MAX_VIEWS:
            raise Conflict(f"you have {MAX_VIEWS} views: remove one first", code="too_many_views")
        view, _ = SavedView.objects.update_or_create(
            user=user, path=address.path, name=name, defaults={"query": address.query, "shared": shared}
        )
    return view


def share_view(*, view_id: Any, user: str, shared: bool) -> SavedView:
    """Show it to everybody of the tenant, or to nobody else any more. Raises NotFound for a view of somebody else."""
    if not SavedView.objects.filter(pk=view_id, user=user).update(shared=shared):
        raise NotFound("you have no such view")
    return SavedView.objects.get(pk=view_id)


def remove_view(*, view_id: Any, user: str, of_anybody: bool = False) -> str:
    """Remove one's own view; with `of_anybody` a shared one of somebody else too. Its name. Raises NotFound."""
    view = SavedView.objects.filter(pk=view_id).first()
    if view is None or not (view.user == user or (of_anybody and view.shared)):
        raise NotFound("you have no such view")
    view.delete()
    return view.name
