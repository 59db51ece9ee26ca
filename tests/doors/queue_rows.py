"""A review queue whose two raters differ."""

import uuid
from collections.abc import Sequence

from apps.calibration.models import HumanLabel, LabellingItem, LabellingRound
from apps.runs.models import Conversation


def make_disputed_queue(rows: Sequence[Conversation], *, criteria: Sequence[str] = ("tone",)) -> uuid.UUID:
    """Three conversations, two of them rated by two people: once alike, once not."""
    row = LabellingRound.objects.create(
        name="Malalamiko ya bei za wiki hii", source={"called": "conversations", "matched": 12, "address": "/admin/"},
        at_random=True, seed=1, raters_wanted=2, scale="1-5", config_ref="tea@1", made_by="owner", owner="owner",
        criteria=[
            {"name": one, "description": "Says the price first", "scoring_guide": {"0": "no", "10": "yes"}}
            for one in criteria
        ],
    )  # fmt: skip
    for position, conversation in enumerate(rows[:3]):
        item = LabellingItem.objects.create(
            round=row, conversation=conversation, position=position, language="sw", why="filtered"
        )
        values = [("otieno", 1.0), ("wanjiru", 4.0 if position else 1.0)] if position < 2 else []
        for rater, value in values:
            HumanLabel.objects.create(
                item=item, rater=rater, criterion="tone", value=value, reason=f"{rater}: Hakusema bei mpaka mwisho."
            )
    return uuid.UUID(str(row.pk))
