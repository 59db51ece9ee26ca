"""The columns to empty in rows that hang on a subject's conversation, and how each is emptied.

Scores, outcomes, states, times and ids stay. `text` becomes empty, `list` [], `dict` {}; of `quotes`, a JSON value
whose shape pages read, every text goes but those under a key that holds a code of ours.
"""

from collections.abc import Mapping
from typing import Any

CODES = frozenset(
    {
        "at",
        "behaviour",
        "by",
        "check",
        "code",
        "conversation",
        "conversation_id",
        "criterion",
        "critical",
        "id",
        "judge",
        "kind",
        "metric",
        "mode",
        "model",
        "outcome",
        "position",
        "provider",
        "purpose",
        "repair",
        "role",
        "rule",
        "scale",
        "score",
        "slug",
        "source",
        "state",
        "status",
        "turn",
        "verified",
        "version",
    }
)

CONVERSATION = "{ids}"
_OF_CONVERSATION = "t.conversation_id = ANY(%(ids)s)"

# table -> (which rows hang on conversations %(ids)s, its columns and how each is emptied)
BY_REFERENCE: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "runs_turn": (
        _OF_CONVERSATION,
        {
            "content": "text",
            "tool_calls": "list",
            "tool_call_id": "text",
            "name": "text",
            "attachments": "list",
            "extra": "dict",
        },
    ),
    "runs_conversation": (
        "t.id = ANY(%(ids)s)",
        {
            "external_id": "identifier",
            "domain": "text",
            "source": "text",
            "labels": "quotes",
            "extra": "dict",
            "session": "dict",
            "spec": "quotes",
            "error_message": "text",
        },
    ),
    "runs_pulledturn": (
        _OF_CONVERSATION,
        {"session": "text", "messages": "list", "context": "dict", "reply": "dict"},
    ),
    "runs_simulatorreview": (_OF_CONVERSATION, {"findings": "quotes", "reason": "text", "raw_reply": "text"}),
    "evaluations_judgement": (_OF_CONVERSATION, {"raw_reply": "text", "error_message": "text"}),
    "evaluations_criterionscore": (
        "t.judgement_id IN (SELECT id FROM evaluations_judgement WHERE conversation_id = ANY(%(ids)s))",
        {"reason": "text", "evidence": "quotes", "opinions": "quotes"},
    ),
    "checks_checkresult": (_OF_CONVERSATION, {"reason": "text", "evidence": "quotes"}),
    "calibration_humanlabel": (
        "t.item_id IN (SELECT id FROM calibration_labellingitem WHERE conversation_id = ANY(%(ids)s))",
        {"reason": "text"},
    ),
    "calibration_nonblindlabel": (_OF_CONVERSATION, {"reason": "text"}),
    "calibration_conversationnote": (_OF_CONVERSATION, {"text": "text"}),
    "production_feedback": (_OF_CONVERSATION, {"comment": "text", "external_id": "text"}),
    "production_promotion": (
        _OF_CONVERSATION,
        {"transcript": "quotes", "signals": "quotes", "residues": "list", "persona": "text", "draft_note": "text"},
    ),
    "production_productionconversation": (
        _OF_CONVERSATION,
        {
            "external_id": "text",
            "people": "text",
            "document_digest": "text",
            "turn_digests": "list",
            "name_digests": "list",
            "person_digests": "dict",
            "customer_ref_hmac": "text",
        },
    ),
    "production_feedbackquestion": (_OF_CONVERSATION, {"recipient": "text", "person_digests": "list", "error": "text"}),
    "production_pendingcomment": (_OF_CONVERSATION, {"sender_digests": "list", "recipient": "text"}),
    "improvement_playground": (_OF_CONVERSATION, {"error_message": "text"}),
    "improvement_playgroundcolumn": (
        "t.playground_id IN (SELECT id FROM improvement_playground WHERE conversation_id = ANY(%(ids)s))",
        {"own_text": "text", "replies": "quotes", "error_message": "text"},
    ),
    # What became a test is made of the customer's words: it goes too, and is archived.
    "catalog_scenario": (
        "t.id IN (SELECT scenario_id FROM production_promotion WHERE conversation_id = ANY(%(ids)s))",
        {"goal": "text", "opening": "text", "script": "quotes", "provenance": "quotes"},
    ),
}


def emptied(value: Any, how: str, *, row_id: object) -> Any:
    """The emptied value of a column."""
    match how:
        case "text":
            return ""
        case "identifier":
            return f"erased {row_id}"
        case "list":
            return []
        case "dict":
            return {} if value is not None else None
        case _:
            return without_texts(value)


def without_texts(value: Any, key: str = "") -> Any:
    """A JSON value without its texts; numbers that are not of a code go too, where they are long enough to be a
    person's."""
    if isinstance(value, dict):
        return {name: without_texts(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [without_texts(one, key) for one in value]
    if isinstance(value, str):
        return value if key in CODES else ""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1_000_000:
        return 0
    return value


def without_quotes_of(value: Any, ids: frozenset[str]) -> Any:
    """A JSON document without the texts of each object in it that names one of these conversations."""
    if isinstance(value, dict):
        if any(isinstance(one, str) and one in ids for one in value.values()):
            return without_texts(value)
        return {name: without_quotes_of(one, ids) for name, one in value.items()}
    if isinstance(value, list):
        return [without_quotes_of(one, ids) for one in value]
    return value


def without_ids(value: Any, ids: frozenset[str], key: str = "") -> Any:
    """A JSON document that names none of these conversations any more."""
    if isinstance(value, dict):
        return {name: without_ids(one, ids, name) for name, one in value.items()}
    if isinstance(value, list):
        return [without_ids(one, ids, key) for one in value]
    names_one = key in ("conversation", "conversations", "conversation_id")
    return "deleted" if names_one and isinstance(value, str) and value in ids else value
