"""The shapes of what real customers said, as it is posted and answered."""

from apps.alerts.domain.conditions import Severity
from apps.alerts.queries.open_alerts import OF_RUNS
from apps.api.schema_building import COUNT, ID, TEXT, THEN, TIME, Schema, known, listed, made, or_null, words

_STATUS: Schema = {
    "type": "string",
    "enum": ["open", "settled"],
    "description": "open: further turns may come; settled: it takes no more.",
}
_ALERT: Schema = made(
    {
        "rule": {"type": "string", "enum": sorted(OF_RUNS)},
        "severity": words(Severity),
        "sentence": TEXT,
        "opened_at": THEN,
    }
)
COMPONENTS: dict[str, Schema] = {
    "ProductionState": made(
        {
            "sentence": TEXT,
            "conversations": {**COUNT, "description": "Of the last seven days, as are complaints: a thumbs-down each."},
            "complaints": COUNT,
            "complaints_since_yesterday": COUNT,
            "newest_complaint_at": TIME,
            "candidates_waiting": {**COUNT, "description": "To become tests, for a person."},
            "served": listed(known("RolloutLine"), description="Canaries that get conversations now."),
            "rolled_back": listed(known("RolloutLine"), description="By the rule, within seven days."),
            "promotable": listed(known("RolloutLine"), description="Shown to be no worse: they wait for a person."),
            "alerts": {
                **or_null(listed(_ALERT)),
                "description": "Of runs, judges and canaries, not of money; null: no channel was added, nobody looks.",
            },
        }
    ),
    "ProductionConversationTaken": made(
        {
            "id": {**TEXT, "description": "As it was posted; what could be a number or a name in it is masked."},
            "conversation_id": {**ID, "description": "Ours: of its page, and for feedback."},
            "test_run_id": {**ID, "description": "The run of this agent and these six hours."},
            "status": _STATUS,
            "turns": COUNT,
            "keep_until": {**THEN, "description": "From then on its turns are deleted."},
        }
    ),
    "WhatsAppChallenge": {"type": "string", "description": "hub.challenge, bare."},
    "WhatsAppPost": {
        "type": "object",
        "description": "A webhook of WhatsApp's Cloud API, as Meta documents it. Anything else in it is left out.",
        "properties": {
            "object": {"type": "string", "enum": ["whatsapp_business_account"]},
            "entry": {"type": "array", "items": {"type": "object"}},
        },
    },
    "OtlpExportRequest": {
        "type": "object",
        "description": "An ExportTraceServiceRequest of OTLP 1.x; also as application/x-protobuf, packed with gzip.",
        "properties": {"resourceSpans": {"type": "array", "items": {"type": "object"}}},
    },
    "OtlpExportAnswer": {
        "type": "object",
        "description": "Empty where all was taken; else what was not, and how to mend it.",
        "properties": {
            "partialSuccess": {
                "type": "object",
                "properties": {"rejectedSpans": TEXT, "errorMessage": TEXT},
            }
        },
    },
    "WhatsAppPostTaken": made({"status": {"type": "string", "enum": ["stored"]}}),
    "FeedbackTaken": made(
        {
            "conversation_id": ID,
            "rating": TEXT,
            "new": {"type": "boolean", "description": "false: this id was there before, and nothing changed."},
        }
    ),
}
