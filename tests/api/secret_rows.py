"""Rows of review whose texts no other tenant may see."""

import uuid

from apps.calibration.models import LabellingRound
from apps.calibration.services.remarks import add_note
from apps.improvement.models import FailureMode, ModeGrouping
from apps.reports.models import SavedView

SECRET = "secret-1"


def secret_rows(conversation_id: uuid.UUID) -> dict[str, str]:
    """Their ids, by the names that addresses are filled with."""
    add_note(conversation_id=conversation_id, text=SECRET, author=SECRET)
    grouping = ModeGrouping.objects.create(notes=[], modes=[], grouper={}, status="completed", model=SECRET)
    queue = LabellingRound.objects.create(
        name=SECRET, source={}, seed=1, raters_wanted=1, scale="1-5", config_ref=SECRET, criteria=[]
    )
    return {
        "mode_id": str(FailureMode.objects.create(name=SECRET, made_by=SECRET).pk),
        "grouping_id": str(grouping.pk),
        "queue_id": str(queue.pk),
        "view_id": str(SavedView.objects.create(user=SECRET, name=SECRET, path="/admin/", shared=True).pk),
    }
