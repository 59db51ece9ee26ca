"""The shapes of saved views."""

from apps.api.schema_building import ID, TEXT, THEN, YES, Schema, known, listed, made

COMPONENTS: dict[str, Schema] = {
    "SavedView": made(
        {
            "id": ID,
            "name": TEXT,
            "address": {**TEXT, "description": "A path of this tenant's pages with its query."},
            "shared": YES,
            "user": TEXT,
            "created_at": THEN,
        }
    ),
    "SavedViews": made({"results": listed(known("SavedView"))}),
    "SavedViewRemoved": made({"id": ID, "name": TEXT}),
}
