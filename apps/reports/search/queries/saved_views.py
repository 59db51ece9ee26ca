"""The views a person may open by name."""

from collections.abc import Sequence
from typing import Annotated

from django.db.models import Q

from apps.core.documents import Document, Id, Moment
from apps.core.shapes import described
from apps.reports.models import SavedView


class SavedViewDocument(Document, component="SavedView"):
    id: Id
    name: str
    address: Annotated[str, described("A path of this tenant's pages with its query.")]
    shared: bool
    user: str
    created_at: Moment


class SavedViewList(Document, component="SavedViews"):
    results: Sequence[SavedViewDocument]


class SavedViewRemoved(Document, component="SavedViewRemoved"):
    id: Id
    name: str


def views_of(user: str, *, path: str = "") -> list[SavedView]:
    """Return a user's own views and the shared ones, their own first, by name.

    Of one page where a path is given. One query.
    """
    rows = SavedView.objects.filter(Q(user=user) | Q(shared=True))
    visible = rows.filter(path=path) if path else rows
    return sorted(visible, key=lambda one: (one.user != user, one.name.casefold()))


def view_document(view: SavedView) -> SavedViewDocument:
    """Return the view as the API shows it. No query."""
    return SavedViewDocument(
        id=str(view.pk),
        name=view.name,
        address=view.address,
        shared=view.shared,
        user=view.user,
        created_at=view.created_at.isoformat(),
    )
