"""The people who may rate conversations."""

from django.contrib.auth.models import User
from django.db.models import Q


def people_who(permission: str) -> list[str]:
    """The names of active people who have `app.verb_model`, in order. One query."""
    app, _, codename = permission.partition(".")
    has = Q(groups__permissions__codename=codename, groups__permissions__content_type__app_label=app)
    rows = User.objects.filter(Q(is_superuser=True) | has, is_active=True).distinct()
    return list(rows.order_by("username").values_list("username", flat=True))
