"""The shapes of what the API takes: from the shapes that read it, and of conversations as their own reader has them."""

from typing import Any

from apps.api.domain.anchor_body import AnchorRequest
from apps.api.domain.catalog_body import CatalogImportRequest
from apps.api.domain.draft_body import DraftCombinationRequest, DraftRejection, DraftRequest, FixProposalRequest
from apps.api.domain.evaluation_body import ConversationsEvaluationRequest, RunEvaluationRequest
from apps.api.domain.failure_mode_body import (
    ConversationNoteRequest,
    FailureModeCriterion,
    FailureModeFixRequest,
    FailureModeMerge,
    FailureModeNotes,
    FailureModeRequest,
    FailureModeWording,
)
from apps.api.domain.gate_body import GateAcceptanceRequest, GateOwnVersionsRequest, GateRequest
from apps.api.domain.golden_body import GoldenSessionRequest
from apps.api.domain.optimization_body import (
    OptimizationCombination,
    OptimizationProof,
    OptimizationRequest,
)
from apps.api.domain.persona_body import PersonaGenerationRequest
from apps.api.domain.persona_decision_body import PersonaEditRequest, PersonaOverrideRequest, PersonaValidationRequest
from apps.api.domain.playground_body import PlaygroundRequest
from apps.api.domain.promotion_body import PromotionRequest
from apps.api.domain.prompt_body import PromptRequest
from apps.api.domain.pulled_body import PulledExtendRequest, PulledLeaseRequest, PulledReplyRequest
from apps.api.domain.queue_body import ReviewQueueRaters, ReviewQueueRequest, ReviewQueueResolution
from apps.api.domain.rollout_body import (
    RolloutChangeRequest,
    RolloutPromotionRequest,
    RolloutReasonRequest,
    RolloutStartRequest,
    TriedConversationRequest,
)
from apps.api.domain.run_body import BattleRequest, ReplayRequest, RerunRequest, ResimulationRequest
from apps.api.domain.runner_checks_body import RunnerChecksRequest
from apps.api.domain.saved_view_body import SavedViewRequest, SavedViewShare
from apps.api.domain.scenario_body import ScenarioReleaseRequest
from apps.api.domain.snapshot_body import SnapshotRequest
from apps.api.domain.trial_body import BlockLiftRequest, DraftReleaseRequest, TrialRequest
from apps.api.schema_building import ANY, TEXT, Schema, known, optional, words
from apps.core.conversation import TurnRole
from apps.core.validation import json_schemas
from apps.erasure.domain.subject import ErasureRequest
from apps.production.intake.domain.posted_document import FeedbackRequest, ProductionFields

PERSONAS = (PersonaGenerationRequest, PersonaValidationRequest, PersonaOverrideRequest, PersonaEditRequest)
RUNS = (BattleRequest, ReplayRequest, ResimulationRequest, RerunRequest)
PULLED = (PulledLeaseRequest, PulledExtendRequest, PulledReplyRequest)
FAILURE_MODES = (
    ConversationNoteRequest,
    FailureModeRequest,
    FailureModeWording,
    FailureModeMerge,
    FailureModeNotes,
    FailureModeFixRequest,
    FailureModeCriterion,
)
OPTIMIZATIONS = (OptimizationRequest, OptimizationCombination, OptimizationProof)
TRIALS = (TrialRequest, BlockLiftRequest, DraftReleaseRequest)
ROLLOUTS = (
    RolloutStartRequest,
    RolloutChangeRequest,
    TriedConversationRequest,
    RolloutPromotionRequest,
    RolloutReasonRequest,
)
OTHERS = (
    PromptRequest,
    GateRequest,
    GateAcceptanceRequest,
    GateOwnVersionsRequest,
    SnapshotRequest,
    CatalogImportRequest,
    GoldenSessionRequest,
    RunnerChecksRequest,
    AnchorRequest,
    FeedbackRequest,
    ErasureRequest,
    PromotionRequest,
    DraftRequest,
    DraftRejection,
    DraftCombinationRequest,
    FixProposalRequest,
    PlaygroundRequest,
    ScenarioReleaseRequest,
)
SHAPES = (
    RunEvaluationRequest,
    ConversationsEvaluationRequest,
    *RUNS,
    *FAILURE_MODES,
    ReviewQueueRaters,
    ReviewQueueRequest,
    ReviewQueueResolution,
    SavedViewRequest,
    SavedViewShare,
    *PERSONAS,
    *PULLED,
    *OPTIMIZATIONS,
    *ROLLOUTS,
    *TRIALS,
    *OTHERS,
)
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
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "path": optional("string", description="Kept as words; never opened."),
            "sha256": optional("string"),
            "media_type": optional("string"),
        },
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
            "turns": {"type": "array", "items": known("TurnRequest"), "minItems": 1, "maxItems": 400},
            "labels": optional("object"),
        },
        "required": ["id", "turns"],
        "additionalProperties": True,
    },
}


def request_components() -> dict[str, Any]:
    """{name: JSON Schema} of everything that is read."""
    shapes = json_schemas((*SHAPES, ProductionFields), "#/components/schemas/{model}")
    own = shapes.pop("ProductionFields")["properties"]
    document = CONVERSATIONS["ConversationRequest"]
    posted = {**document, "properties": {**document["properties"], **own}}
    return {**shapes, **UNIONS, **CONVERSATIONS, "ProductionConversationRequest": posted}


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
    "ProductionConversationRequest": [
        (
            "A conversation that is over",
            {
                "id": "chat-4081",
                "agent": "booking",
                "prompt_version": "booking@a1b2c3d",
                "channel": "whatsapp",
                "customer_ref": "C-77",
                "customer": {"names": ["Wanjiku Kamau"]},
                "turns": _TURNS,
                "ended": True,
            },
        ),
    ],
    "FeedbackRequest": [
        ("Thumbs down", {"id": "f-1", "conversation_id": "chat-4081", "rating": "down", "comment": "Wrong price"}),
    ],
    "ErasureRequest": [
        ("Whoever has this number", {"phone": "+254 712 345 678"}),
        ("First only find them", {"email": "wanjiku@example.org", "names": ["Wanjiku Kamau"], "dry_run": True}),
    ],
    "PromotionRequest": [
        (
            "What the judge found wrong must not happen again",
            {"conversation_id": "01a5b0f0-0000-7000-8000-000000000000"},
        ),
        (
            "Said by whoever promotes it",
            {
                "conversation_id": "01a5b0f0-0000-7000-8000-000000000000",
                "must_not": [{"criterion": "price_clarity", "below": 6}],
            },
        ),
    ],
    "TrialRequest": [
        ("What it would take", {"evaluator_config": "booking-quality", "forecast_only": True}),
        ("Prove it, for five dollars at most", {"evaluator_config": "booking-quality", "budget_usd": 5}),
    ],
    "TestRunRequest": [
        ("Every scenario once", {"kind": "battle", "agent": "booking", "scenarios": "all"}),
    ],
}
