"""Delete people's sentences about real conversations whose words are deleted; their ratings stay."""

from collections.abc import Collection
from uuid import UUID

from django.db import connection

from apps.calibration.models import REASON, TEXT
from apps.calibration.round_models import RESOLUTION_REASON
from apps.runs.final_rows import assignments

_LABELS = f"""
UPDATE calibration_humanlabel SET {assignments(REASON)}
WHERE item_id IN (SELECT id FROM calibration_labellingitem WHERE conversation_id = ANY(%s))
"""  # noqa: S608 - words of our own, as below
_RESOLUTIONS = f"""
UPDATE calibration_labelresolution SET {assignments(RESOLUTION_REASON)}
WHERE item_id IN (SELECT id FROM calibration_labellingitem WHERE conversation_id = ANY(%s))
"""  # noqa: S608 - as above
_OTHERS = (
    f"UPDATE calibration_nonblindlabel SET {assignments(REASON)} WHERE conversation_id = ANY(%s)",  # noqa: S608
    f"UPDATE calibration_conversationnote SET {assignments(TEXT)} WHERE conversation_id = ANY(%s)",  # noqa: S608
)


def delete_remark_words(*, conversation_ids: Collection[UUID]) -> None:
    """Reasons and notes beside these conversations. The database lets it for production conversations whose time is
    over, and for no other. Four statements, in the caller's transaction. Safe to repeat."""
    with connection.cursor() as cursor:
        for statement in (_LABELS, _RESOLUTIONS, *_OTHERS):
            cursor.execute(statement, [list(conversation_ids)])
