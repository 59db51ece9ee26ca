"""The shapes of what the API takes: from the shapes that read it, and of conversations as their own reader has them."""

from typing import Any

from apps.api.domain.catalog_body import CatalogImportRequest
from apps.api.domain.evaluation_body import ConversationsEvaluationRequest, RunEvaluationRequest
from apps.api.domain.gate_body import GateAcceptanceRequest, GateOwnVersionsRequest, GateRequest
from apps.api.domain.golden_body import GoldenSessionRequest
from apps.api.domain.persona_body import PersonaGenerationRequest
from apps.api.domain.persona_decision_body import PersonaEditRequest, PersonaOverrideRequest, PersonaValidationRequest
from apps.api.domain.prompt_body import PromptRequest
from apps.api.domain.pulled_body import PulledExtendRequest, PulledLeaseRequest, PulledReplyRequest
from apps.api.domain.run_body import BattleRequest, ReplayRequest, RerunRequest, ResimulationRequest
from apps.api.domain.runner_checks_body import RunnerChecksRequest
from apps.api.domain.snapshot_body import SnapshotRequest
from apps.api.schema_building import ANY, TEXT, Schema, known, optional, words
from apps.core.conversation import TurnRole
from apps.core.validation import json_schemas

PERSONAS = (PersonaGenerationRequest, PersonaValidationRequest, PersonaOverrideRequest, PersonaEditRequest)
RUNS = (BattleRequest, ReplayRequest, ResimulationRequest, RerunRequest)
PULLED = (PulledLeaseRequest, PulledExtendRequest, PulledReplyRequest)
OTHERS = (
    PromptRequest, GateRequest, GateAcceptanceRequest, GateOwnVersionsRequest,
    SnapshotRequest, CatalogImportRequest, GoldenSessionRequest, RunnerChecksRequest,
)  # fmt: skip
SHAPES = (RunEvaluationRequest, ConversationsEvaluationRequest, *RUNS, *PERSONAS, *PULLED, *OTHERS)
UNIONS: dict[str, Schema] = {
    "EvaluationRequest": {"oneOf": [known("ConversationsEvaluationRequest"), known("RunEvaluationRequest")]},
    "TestRunRequest": {"oneOf": [known("BattleRequest"), known("ReplayRequest"), known("ResimulationRequest")]},
}
# apps.core.document_parsing reads these by hand (docs/adr/0110).
CONVERSATIONS: dict[str, Schema] = {
    "TurnRequest": {
        "type": "object",
        "properties": {
            "role": words(TurnRole),
            "content": TEXT,
            "tool_calls": optional("array", items=known("ToolCallRequest")),
            "tool_call_id": optional("string"),
            "name": optional("string"),
            "ts": optional("string", format="date-time", description="Without a zone: UTC."),
            "latency_ms": optional("number", minimum=0, maximum=2147483647),
            "attachments": optional("array", items=known("AttachmentRequest")),
        },
        "required": ["role", "content"],
        "additionalProperties": True,
    },
    "ToolCallRequest": {
        "type": "object",
        "properties": {"id": optional("string"), "name": {"type": "string", "pattern": r"\S"}, "arguments": ANY},
        "required": ["name"],
    },
    "AttachmentRequest": {
        "type": "object",
        "properties": {"name": {"type": "string", "minLength": 1},
                       "path": optional("string", description="Kept as words; never opened."),
                       "sha256": optional("string"), "media_type": optional("string")},
        "required": ["name"],
    },
    "ConversationRequest": {
        "type": "object",
        "description": "The conversation document. `messages` in OpenAI's form is accepted in place of `turns`.",
        "properties": {
            "id": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S"},
            "source": optional("string"),
            "language": optional("string"),
            "domain": optional("string"),
            "turns": {"type": "array", "items": known("TurnRequest"), "minItems": 1,
                      "maxItems": 400},
            "labels": optional("object"),
        },
        "required": ["id", "turns"],
        "additionalProperties": True,
    },
}  # fmt: skip


def request_components() -> dict[str, Any]:
    """{name: JSON Schema} of everything that is read."""
    return {**json_schemas(SHAPES, "#/components/schemas/{model}"), **UNIONS, **CONVERSATIONS}


_TURNS = [
    {"role": "user", "content": "Habari, naomba nafasi ya nywele kesho saa nne.", "ts": "2026-11-20T10:30:00Z"},
    {"role": "assistant", "content": "Karibu! Kesho saa nne ipo. Nikuwekee jina gani?", "ts": "2026-11-20T10:30:02Z"},
]
EXAMPLES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "EvaluationRequest": [
        (
            "Conversations given inline",
            {
                "conversations": [{"id": "c-1", "language": "sw", "turns": _TURNS}],
                "evaluator_config": "booking-quality",
                "triggered_by": "runner",
            },
        ),
    ],
    "TestRunRequest": [
        ("Every scenario once", {"kind": "battle", "agent": "booking", "scenarios": "all"}),
    ],
}
