"""The shapes of snapshot reviews (see apps.gates.queries.snapshot_reviews)."""

from apps.api.schema_building import ANY, ID, TEXT, THEN, TIME, Schema, listed, made, or_null, page, words
from apps.gates.domain.snapshot_states import SnapshotStatus

_LINE: Schema = {
    "id": ID,
    "status": words(SnapshotStatus),
    "scenario": TEXT,
    "file": TEXT,
    "language": TEXT,
    "agent": TEXT,
    "commit": TEXT,
    "pull_request": TEXT,
    "base_digest": {**TEXT, "description": "Of the accepted file; empty for a new conversation."},
    "digest": TEXT,
    "divergence": made({"turn": {"type": ["integer", "null"]}, "kind": TEXT, "sentence": TEXT}),
    "reviewed_by": {**TEXT, "description": "The person who answered; no key can."},
    "reviewed_at": TIME,
    "note": TEXT,
    "created_at": THEN,
    "url": TEXT,
}
COMPONENTS: dict[str, Schema] = {
    "SnapshotLine": made(_LINE),
    "SnapshotPage": page("SnapshotLine"),
    "Snapshot": made({**_LINE, "accepted": or_null(listed(ANY)), "played": listed(ANY)}),
}
