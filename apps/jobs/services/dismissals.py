"""Dismissing what needs somebody, for oneself, and taking that back."""

from datetime import datetime

from apps.jobs.domain.dismissals import FORGOTTEN_AFTER
from apps.jobs.models import DismissedNeed


def dismiss_need(*, user: str, key: str, state: str, count: int, now: datetime) -> None:
    """Hide a to-do from this person's Home until it is about something new. Safe to repeat. Two statements."""
    DismissedNeed.objects.filter(user=user, dismissed_at__lt=now - FORGOTTEN_AFTER).delete()
    DismissedNeed.objects.update_or_create(
        user=user, key=key, defaults={"state": state, "count": count, "dismissed_at": now}
    )


def show_need_again(*, user: str, key: str) -> None:
    """Show a to-do again, as if this person had never dismissed it. Safe to repeat."""
    DismissedNeed.objects.filter(user=user, key=key).delete()
