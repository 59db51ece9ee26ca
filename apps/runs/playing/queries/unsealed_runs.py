"""The runs that a command line may read: no conversation of a trial, which may belong to a hold-out."""

import uuid
from collections.abc import Collection

from django.db.models import Q

from apps.core.errors import Conflict
from apps.runs.conversations.models import TestRun
from apps.runs.domain.kind_traits import UNSEALED


def refuse_trials(ids: Collection[uuid.UUID | None]) -> None:
    """Refuse runs and evaluations that belong to a trial. Raises Conflict (`sealed`). One query."""
    wanted = [pk for pk in ids if pk is not None]
    rows = TestRun.objects.filter(Q(pk__in=wanted) | Q(evaluations__in=wanted)).values_list("kind", flat=True)
    if set(rows) - set(UNSEALED):
        raise Conflict(
            "This belongs to a trial of a draft, and a hold-out is worn by reading: read the trial on its page.",
            code="sealed",
        )
