"""Say why a candidate may not be released yet.

Every start of a process loads this module: it knows the tables alone.
"""

from typing import Any

from apps.core.errors import Conflict
from apps.production.conversations.models import Promotion

MASKING_NOT_CLEARED = "masking_not_cleared"


def refuse_unclear_masking(scenario_id: Any) -> None:
    """Asked by every door before a scenario is released. Raises Conflict (`masking_not_cleared`, and `nothing_to_play`
    where its words were deleted). One query."""
    row = Promotion.objects.select_related("scenario").filter(scenario_id=scenario_id).first()
    if row is not None and not row.scenario.goal.strip():
        message = "The words of this candidate were deleted, so there is nothing to play: archive it."
        raise Conflict(message, code="nothing_to_play")
    if row is not None and row.blocked:
        message = (
            "Masking may have left something of a person in it: look at it on its page, and clear it or archive it, "
            "before it is released."
        )
        raise Conflict(message, code=MASKING_NOT_CLEARED)
