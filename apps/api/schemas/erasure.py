"""The shapes of erasures, as they are answered."""

from apps.api.schema_building import COUNT, ID, TEXT, THEN, YES, Schema, known, made

_COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
_MAYBE_THEN: Schema = {"oneOf": [THEN, {"type": "null"}]}
_STATUS: Schema = {
    "type": "string",
    "enum": ["pending", "found", "erased", "completed", "failed"],
    "description": "found: a dry run's answer, for a day. erased: done, and looked at once more after 15 minutes; "
    "completed: looked at, and every live machine has cleaned its files and its log.",
}
COMPONENTS: dict[str, Schema] = {
    "ErasureReceipt": made(
        {
            "conversations": {**COUNT, "description": "Conversations with this person, all of whose words are gone."},
            "words": {
                **_COUNTS,
                "description": "Places with the person's number, address or name, by table and column.",
            },
            "words_in_all": COUNT,
            "rows": {**_COUNTS, "description": "Rows of these conversations that were emptied, by table."},
            "quotes": {**_COUNTS, "description": "Rows elsewhere that quoted them, by table."},
            "cache_entries": {**COUNT, "description": "Cached answers of models that were deleted."},
            "files": {**_COUNTS, "description": "Places in files of the state folder and the log."},
            "words_in_files": COUNT,
            "unreadable": {"type": "array", "items": TEXT, "description": "Files that were not opened: look at them."},
            "nodes": {**COUNT, "description": "Machines (state folders) whose files and logs were searched."},
            "nodes_open": {
                "type": "array",
                "items": TEXT,
                "description": "Those that have not answered yet: their files "
                "and logs have not been cleaned. An erasure is completed when there is none.",
            },
            "nodes_gone": {
                "type": "array",
                "items": TEXT,
                "description": "Those that were silent for a day: delete their "
                "state and log folders, or erase_subject there.",
            },
        }
    ),
    "LangfuseDeletion": made(
        {
            "project": {**TEXT, "description": "The Langfuse source's name."},
            "state": {
                "type": "string",
                "enum": ["pending", "asked", "done", "refused"],
                "description": "asked: it took the request, and its traces are looked for until they "
                "are gone. refused: a "
                "person must look there.",
            },
            "requests": COUNT,
            "done": COUNT,
            "error": {"oneOf": [TEXT, {"type": "null"}]},
        }
    ),
    "Erasure": made(
        {
            "id": ID,
            "status": _STATUS,
            "dry_run": YES,
            "requested_by": TEXT,
            "requested_at": THEN,
            "erased_at": _MAYBE_THEN,
            "completed_at": _MAYBE_THEN,
            "receipt": {"oneOf": [known("ErasureReceipt"), {"type": "null"}]},
            "langfuse": {
                "type": "array",
                "items": known("LangfuseDeletion"),
                "description": "How far the deletion of their traces is, for each Langfuse of the tenant.",
            },
            "error": {"oneOf": [TEXT, {"type": "null"}]},
        }
    ),
}
