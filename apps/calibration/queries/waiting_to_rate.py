"""Count what waits for a rater, as one query for the sidebar.

queries.labelling.queue_for says the same of one round, in order.
"""

from collections.abc import Sequence
from typing import Any

# Open items of the month's newest round and of the open queues that this person rates, in a language they read, which
# they have neither rated nor seen judged. An item that somebody else has before them counts as one of its raters.
_TO_RATE = """
SELECT i.id FROM calibration_labellingitem i
JOIN calibration_labellinground r ON r.id = i.round_id
LEFT JOIN calibration_rater p ON p.user = %s AND jsonb_array_length(p.languages) > 0
WHERE (r.month = (SELECT max(month) FROM calibration_labellinground)
    OR r.month IS NULL AND r.closed_at IS NULL AND (r.assigned = '[]' OR r.assigned @> to_jsonb(%s::text)))
  AND (p.id IS NULL OR i.language = '' OR i.language = 'mixed' AND jsonb_array_length(p.languages) > 1
    OR lower(split_part(i.language, '-', 1)) IN (SELECT lower(l) FROM jsonb_array_elements_text(p.languages) l))
  AND NOT EXISTS (SELECT 1 FROM calibration_humanlabel l WHERE l.item_id = i.id AND l.rater = %s)
  AND NOT EXISTS (SELECT 1 FROM calibration_nonblindlabel n
    WHERE n.conversation_id = i.conversation_id AND n.rater = %s)
  AND (SELECT count(*) FROM (
    SELECT rater FROM calibration_humanlabel l WHERE l.item_id = i.id
    UNION SELECT rater FROM calibration_ratinglease h WHERE h.item_id = i.id AND h.until > now() AND h.rater <> %s
  ) others) < r.raters_wanted
"""


def rows_to_rate(rater: str) -> tuple[str, Sequence[Any]]:
    """Return the query that finds the items which wait for this person, with its values."""
    return _TO_RATE, [rater] * 5
