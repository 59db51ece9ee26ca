"""The shapes of the API as JSON Schema 2020-12, exactly as the readers and documents of this room have them."""

from typing import Any

from apps.api.domain.fields import LONGEST_LIST
from apps.api.domain.run_body import KINDS, TRANSPORTS
from apps.core.conversation import Role
from apps.evaluations.domain.doubt import Decision
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus, ScoreStatus, UnscoredReason
from apps.runs.domain.states import Blame, ConversationStatus, Kind, RunStatus

_ANY: dict[str, Any] = {"type": "object", "additionalProperties": True}
_ID = {"type": "string", "format": "uuid"}
_TEXT = {"type": "string"}
_TIME = {"type": ["string", "null"], "format": "date-time"}
_NUMBER = {"type": ["number", "null"]}
_LINK = {"type": ["string", "null"], "format": "uri"}


def _words(states: Any) -> dict[str, Any]:
    return {"type": "string", "enum": [state.value for state in states]}


def _made(properties: dict[str, Any]) -> dict[str, Any]:
    """An object we send: every field is there, and no other."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _page(item: str) -> dict[str, Any]:
    results = {"type": "array", "items": {"$ref": f"#/components/schemas/{item}"}}
    return _made({"results": results, "next": _LINK, "previous": _LINK})


def _counts(states: Any) -> dict[str, Any]:
    return _made({state.value: {"type": "integer", "minimum": 0} for state in states})


def _optional(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": [kind, "null"], **more}


_NAME = {"type": "string", "minLength": 1}
_NAMES = {"type": "array", "items": _NAME, "minItems": 1, "maxItems": LONGEST_LIST, "uniqueItems": True}
_TAKEN = {"id": _ID, "status": {"const": "pending"}, "status_url": {"type": "string", "format": "uri"}}
_LINE = {
    "triggered_by": _TEXT,
    "error_message": _TEXT,
    "created_at": {"type": "string", "format": "date-time"},
    "started_at": _TIME,
    "ended_at": _TIME,
}
_RUN = {"id": _ID, "kind": _words(Kind), "status": _words(RunStatus), "name": _TEXT, **_LINE}
_DOUBT = {
    "verdict": {"type": ["string", "null"], "enum": [*(one.value for one in Decision), None]},
    "interval": {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
}
_EVALUATION = {"id": _ID, "test_run_id": _ID, "evaluator_config": _TEXT, "status": _words(EvaluationStatus), **_LINE}
_ASKED = {
    "run_analyzer": _optional("boolean", default=False),
    "triggered_by": _optional("string", maxLength=100, description="Stored and shown; nothing branches on it."),
    "callback_url": _optional("string", format="uri", maxLength=2000, pattern="^https?://[A-Za-z0-9]"),
    "pull_request": _optional("string", maxLength=200, description="Whose budget pays, as CI names it."),
}
_RUN_ASKED = {
    "agent": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": r"\S"},
    "repeats": _optional("integer", minimum=1, maximum=50),
    "evaluator_config": _optional("string", maxLength=200),
    **_ASKED,
}

COMPONENTS: dict[str, Any] = {
    "Problem": {
        "type": "object",
        "description": "RFC 9457. `code` is stable; `pointer` (RFC 6901) names the field at fault.",
        "properties": {"type": _TEXT, "title": _TEXT, "status": {"type": "integer"}, "detail": _TEXT, "code": _TEXT,
                       "pointer": _TEXT},
        "required": ["type", "title", "status", "detail", "code"],
        "additionalProperties": True,
    },
    "TurnRequest": {
        "type": "object",
        "properties": {
            "role": _words(Role),
            "content": _TEXT,
            "tool_calls": _optional("array", items={"$ref": "#/components/schemas/ToolCallRequest"}),
            "tool_call_id": _optional("string"),
            "name": _optional("string"),
            "ts": _optional("string", format="date-time", description="Without a zone: UTC."),
            "latency_ms": _optional("number", minimum=0, maximum=2147483647),
            "attachments": _optional("array", items={"$ref": "#/components/schemas/AttachmentRequest"}),
        },
        "required": ["role", "content"],
        "additionalProperties": True,
    },
    "ToolCallRequest": {
        "type": "object",
        "properties": {"id": _optional("string"), "name": {"type": "string", "pattern": r"\S"}, "arguments": _ANY},
        "required": ["name"],
    },
    "AttachmentRequest": {
        "type": "object",
        "properties": {"name": _NAME, "path": _optional("string"), "sha256": _optional("string"),
                       "media_type": _optional("string")},
        "required": ["name"],
    },
    "ConversationRequest": {
        "type": "object",
        "description": "The conversation document. `messages` in OpenAI's form is accepted in place of `turns`.",
        "properties": {
            "id": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S"},
            "source": _optional("string"),
            "language": _optional("string"),
            "domain": _optional("string"),
            "turns": {"type": "array", "items": {"$ref": "#/components/schemas/TurnRequest"}, "minItems": 1,
                      "maxItems": 400},
            "labels": _optional("object"),
        },
        "required": ["id", "turns"],
        "additionalProperties": True,
    },
    "EvaluationRequest": {
        "type": "object",
        "description": "Give either `test_run_id` or `conversations`.",
        "properties": {
            "evaluator_config": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S",
                                 "description": "`name@3`, or `name` for the active version."},
            "test_run_id": _ID,
            "conversations": {"type": "array", "items": {"$ref": "#/components/schemas/ConversationRequest"},
                              "minItems": 1, "maxItems": 500},
            "use_cache": _optional("boolean", default=True, description="False asks although an answer is kept."),
            "repeat": _optional("integer", minimum=1, maximum=1000, description="2, 3 … ask once more."),
            **_ASKED,
        },
        "required": ["evaluator_config"],
        "oneOf": [{"required": ["test_run_id"]}, {"required": ["conversations"]}],
        "additionalProperties": False,
    },
    "EvaluationTaken": _made({**_TAKEN, "test_run_id": _ID}),
    "BattleRequest": {
        "type": "object",
        "properties": {
            "kind": {"const": KINDS[0]},
            "scenarios": {"anyOf": [{"const": "all"}, _NAMES]},
            "personas": {"anyOf": [{"const": "eligible"}, _NAMES, {"type": "null"}]},
            "max_turns": _optional("integer", minimum=1, maximum=400),
            **_RUN_ASKED,
        },
        "required": ["kind", "agent", "scenarios"],
        "additionalProperties": False,
    },
    "ReplayRequest": {
        "type": "object",
        "properties": {
            "kind": {"const": KINDS[1]},
            "golden_sessions": _NAMES,
            "transport": _optional("string", enum=[*TRANSPORTS, None]),
            **_RUN_ASKED,
        },
        "required": ["kind", "agent", "golden_sessions"],
        "additionalProperties": False,
    },
    "TestRunRequest": {
        "oneOf": [{"$ref": "#/components/schemas/BattleRequest"}, {"$ref": "#/components/schemas/ReplayRequest"}],
    },
    "TestRunTaken": _made({**_TAKEN, "evaluation_id": {"type": ["string", "null"], "format": "uuid"}}),
    "EvaluationLine": _made(_EVALUATION),
    "EvaluationPage": _page("EvaluationLine"),
    "Evaluation": {
        **_made({
            **_EVALUATION,
            "run_analyzer": {"type": "boolean"},
            "fingerprint": {"type": "string", "description": "Of the judge as it answered; empty until then."},
            "snapshot_digest": _TEXT,
            "counts": _counts(JudgementStatus),
            "weighted_score": _NUMBER,
            "interval": {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
            "pass_rate": _NUMBER,
            "verdicts": _counts(Decision),
            "criterion_verdicts": {"type": "object", "additionalProperties": _counts(Decision)},
            "cross_check": {"type": ["object", "null"], "description": "What a second judge says on a share."},
            "cost_usd": {"type": "number"},
            "tokens_used": {"type": "integer"},
            "model_calls": {"type": "integer"},
            "from_cache": {"type": "integer", "description": "Answers kept from before: nobody was asked again."},
            "saved_usd": {"type": "number"},
            "blame": {"type": ["string", "null"], "description": "budget: judgements wait for money."},
            "criteria_snapshot": {"type": "array", "items": _ANY},
            "judge": _ANY,
            "certificate": {"type": ["object", "null"]},
            "corrected": {"type": ["object", "null"]},
            "warnings": {"type": "array", "items": _TEXT},
        }),
        "additionalProperties": True,
    },
    "Evidence": {
        "type": "object",
        "properties": {
            "quote": _TEXT,
            "turn": {"type": ["integer", "null"]},
            "kind": {"type": "string", "enum": ["exact", "pattern", "unverified"]},
            "repair": {"type": ["string", "null"]},
            "source": {"type": ["string", "null"]},
        },
        "required": ["quote", "turn", "kind", "repair", "source"],
    },
    "CriterionScore": _made({
        "criterion": _TEXT,
        "status": _words(ScoreStatus),
        "unscored_reason": {"type": ["string", "null"], "enum": [*(one.value for one in UnscoredReason), None]},
        "score": _NUMBER,
        **_DOUBT,
        "answers": {"type": "integer", "description": "How many answers of the judge the score is the mean of."},
        "standard_error": _NUMBER,
        "scale": _TEXT,
        "weight": {"type": "number"},
        "pass_mark": {"type": "number"},
        "reason": _TEXT,
        "evidence": {"type": "array", "items": {"$ref": "#/components/schemas/Evidence"}},
        "opinions": {"type": "array", "items": _ANY, "description": "Who else said what: repeats, panel, cross-check."},
    }),
    "Judgement": {
        **_made({
            "id": _ID,
            "conversation_id": {"type": "string", "description": "The id the conversation came with."},
            "conversation": _ID,
            "language": _TEXT,
            "status": _words(JudgementStatus),
            "weighted_score": _NUMBER,
            **_DOUBT,
            "fingerprint": _TEXT,
            "provider": _TEXT,
            "model": _TEXT,
            "by_fallback": {"type": "boolean"},
            "late": {"type": "boolean"},
            "latency": _ANY,
            "error_code": _TEXT,
            "error_message": _TEXT,
            "raw_reply": {"type": "string", "description": "What the model said, where it could not be parsed."},
            "judged_at": _TIME,
            "criteria": {"type": "array", "items": {"$ref": "#/components/schemas/CriterionScore"}},
        }),
        "additionalProperties": True,
    },
    "JudgementPage": _page("Judgement"),
    "TestRunLine": _made(_RUN),
    "TestRunPage": _page("TestRunLine"),
    "TestRun": _made({**_RUN, "plan": _ANY}),
    "Turn": {
        "type": "object",
        "properties": {"role": _words(Role), "content": _TEXT, "ts": {"type": "string", "format": "date-time"},
                       "tool_calls": {"type": "array", "items": _ANY}, "tool_call_id": _TEXT, "name": _TEXT,
                       "latency_ms": {"type": "integer"}, "attachments": {"type": "array", "items": _ANY}},
        "required": ["role", "content"],
    },
    "Conversation": _made({
        "id": _ID,
        "conversation_id": _TEXT,
        "position": {"type": "integer"},
        "kind": _words(Kind),
        "status": _words(ConversationStatus),
        "blame": {"type": ["string", "null"], "enum": [*(one.value for one in Blame), None]},
        "language": _TEXT,
        "domain": _TEXT,
        "source": _TEXT,
        "labels": _ANY,
        "error_code": _TEXT,
        "error_message": _TEXT,
        "started_at": _TIME,
        "ended_at": _TIME,
        "turns": {"type": "array", "items": {"$ref": "#/components/schemas/Turn"}},
    }),
    "ConversationPage": _page("Conversation"),
    "Status": _made({
        "status": _words(RunStatus),
        "conversations": _counts(ConversationStatus),
        "evaluations": {"type": "array", "items": _made({"id": _ID, "status": _words(EvaluationStatus)})},
        "progress": {"type": "number", "minimum": 0, "maximum": 1},
        "waiting_for": {"type": "string", "description": "In words, for people; empty when nothing is left."},
    }),
}  # fmt: skip

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
