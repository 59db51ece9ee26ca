"""The views a person may open by name."""

from django.db.models import Q

from apps.reports.models import SavedView


def views_of(user: str, *, path: str = "") -> list[SavedView]:
    """Their own and the shared ones, their own first, by name; of one page where a path is given. One query."""
    rows = SavedView.objects.filter(Q(user=user) | Q(shared=True))
    found = rows.filter(path=path) if path else rows
    return sorted(found, key=lambda one: (one.user != user, one.name.casefold()))
