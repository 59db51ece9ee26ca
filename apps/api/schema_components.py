"""The shapes of the API as JSON Schema 2020-12, exactly as the readers and documents of this room have them."""

from typing import Any

from apps.api.domain.fields import LONGEST_LIST
from apps.api.domain.run_body import KINDS, TRANSPORTS
from apps.api.schema_building import (
    ANY,
    ID,
    INTERVAL,
    NUMBER,
    TEXT,
    TEXTS,
    THEN,
    TIME,
    WARNING_CODES,
    counts,
    known,
    listed,
    made,
    optional,
    or_null,
    page,
    word_or_null,
    words,
)
from apps.api.schema_decision import DECIDED
from apps.calibration.domain.agreement_with_people import CertificateStatus
from apps.core.conversation import TurnRole
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus, ScoreStatus, UnscoredReason
from apps.runs.domain.states import Blame, ConversationStatus, EndReason, Kind, RunStatus
from apps.statistics.decision import OF_SCORES

_NAME = {"type": "string", "minLength": 1}
_NAMES = {"type": "array", "items": _NAME, "minItems": 1, "maxItems": LONGEST_LIST, "uniqueItems": True}
_TAKEN = {"id": ID, "status": {"const": "pending"}, "status_url": {"type": "string", "format": "uri"}}
_LINE = {
    "triggered_by": TEXT,
    "error_message": TEXT,
    "created_at": THEN,
    "started_at": TIME,
    "ended_at": TIME,
}
_RUN = {"id": ID, "kind": words(Kind), "status": words(RunStatus), "name": TEXT, "subject": known("Subject"), **_LINE}
_DOUBT = {
    "verdict": word_or_null(OF_SCORES),
    "interval": INTERVAL,
}
_EVALUATION = {
    "id": ID, "test_run_id": ID, "evaluator_config": TEXT, "status": words(EvaluationStatus),
    "subject": known("Subject"),
    "error_code": {**TEXT, "description": "nothing_scored, run_cancelled, cancelled, watchdog; else empty."}, **_LINE,
}  # fmt: skip
_ASKED = {
    "run_analyzer": optional("boolean", default=False),
    "triggered_by": optional("string", maxLength=100, description="Stored and shown; nothing branches on it."),
    "callback_url": optional("string", format="uri", maxLength=2000, pattern="^https?://[A-Za-z0-9]"),
    "subject": or_null(known("Subject")),
    "pull_request": optional("string", maxLength=200, description="Whose budget pays, as CI names it."),
}
_EVALUATION_ASKED = {
    "evaluator_config": {
        "type": "string", "minLength": 1, "maxLength": 200, "pattern": r"\S",
        "description": "`name@3`, or `name` for the active version.",
    },
    "use_cache": optional("boolean", default=True, description="False asks although an answer is kept."),
    "repeat": optional("integer", minimum=1, maximum=1000, description="2, 3 … ask once more."),
    **_ASKED,
}  # fmt: skip
_RUN_ASKED = {
    "agent": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": r"\S"},
    "repeats": optional("integer", minimum=1, maximum=50),
    "evaluator_config": optional("string", maxLength=200),
    **_ASKED,
}

COMPONENTS: dict[str, Any] = {
    "Problem": {
        "type": "object",
        "description": "RFC 9457. `code` is stable; `pointer` (RFC 6901) names the field at fault.",
        "properties": {"type": TEXT, "title": TEXT, "status": {"type": "integer"}, "detail": TEXT, "code": TEXT,
                       "pointer": TEXT},
        "required": ["type", "title", "status", "detail", "code"],
        "additionalProperties": True,
    },
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
        "properties": {"name": _NAME, "path": optional("string", description="Kept as words; never opened."),
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
    # Two shapes and not one with alternatives: what makes clients from this document knows unions of objects only.
    "RunEvaluationRequest": {
        "type": "object",
        "description": "Judge a run that exists.",
        "properties": {"test_run_id": ID, **_EVALUATION_ASKED},
        "required": ["evaluator_config", "test_run_id"],
        "additionalProperties": False,
    },
    "ConversationsEvaluationRequest": {
        "type": "object",
        "description": "Judge conversations that come with the request.",
        "properties": {
            "conversations": {"type": "array", "items": known("ConversationRequest"), "minItems": 1, "maxItems": 500},
            **_EVALUATION_ASKED,
        },
        "required": ["evaluator_config", "conversations"],
        "additionalProperties": False,
    },
    "EvaluationRequest": {
        "oneOf": [known("ConversationsEvaluationRequest"), known("RunEvaluationRequest")],
    },
    "EvaluationTaken": made({**_TAKEN, "test_run_id": ID}),
    "BattleRequest": {
        "type": "object",
        "properties": {
            "kind": {"const": KINDS[0]},
            "scenarios": {"anyOf": [{"const": "all"}, _NAMES]},
            "personas": {"anyOf": [{"const": "eligible"}, _NAMES, {"type": "null"}]},
            "max_turns": optional("integer", minimum=1, maximum=400),
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
            "transport": optional("string", enum=[*TRANSPORTS, None]),
            **_RUN_ASKED,
        },
        "required": ["kind", "agent", "golden_sessions"],
        "additionalProperties": False,
    },
    "TestRunRequest": {
        "oneOf": [known("BattleRequest"), known("ReplayRequest")],
    },
    "TestRunTaken": made({
        **_TAKEN,
        "evaluation_id": {"type": ["string", "null"], "format": "uuid"},
        "left_out": {
            **listed(made({"scenario": TEXT, "persona": TEXT, "why": TEXT})),
            "description": 'Of "all" scenarios those whose persona may not play, with the reason.',
        },
    }),
    "EvaluationLine": made(_EVALUATION),
    "EvaluationPage": page("EvaluationLine"),
    "Evaluation": {
        **made({
            **_EVALUATION,
            "run_analyzer": {"type": "boolean"},
            "analysis": or_null(known("AnalysisAsked")),
            "fingerprint": {"type": "string", "description": "Of the judge as it answered; empty until then."},
            "snapshot_digest": TEXT,
            "counts": counts(JudgementStatus),
            "weighted_score": NUMBER,
            "interval": INTERVAL,
            "pass_rate": NUMBER,
            "decision": known("Decision"),
            "verdicts": counts(DECIDED),
            "criteria": listed(known("CriterionResult")),
            "criterion_verdicts": {"type": "object", "additionalProperties": counts(DECIDED)},
            "cross_check": {"type": ["object", "null"], "description": "What a second judge says on a share."},
            "cost_usd": {"type": "number"},
            "tokens_used": {"type": "integer"},
            "model_calls": {"type": "integer"},
            "from_cache": {"type": "integer", "description": "Answers kept from before: nobody was asked again."},
            "saved_usd": {"type": "number"},
            "blame": {"type": ["string", "null"], "description": "budget: judgements wait for money."},
            "criteria_snapshot": listed(ANY),
            "judge": ANY,
            "certificate": or_null(known("CertificateInForce")),
            "certificate_note": {**TEXT, "description": "Whether the judge is certified, in a sentence."},
            "corrected": {"type": ["object", "null"]},
            "warnings": TEXTS,
            "warning_codes": WARNING_CODES,
        }),
        "additionalProperties": True,
    },
    "CertificateInForce": made({
        "status": words(CertificateStatus),
        "reason": TEXT,
        "fingerprint": TEXT,
        "valid_until": TIME,
        "kappa": {**NUMBER, "description": "The lowest of its criteria and languages."},
        "decides": {**TEXT, "description": "Which kappa that is: unweighted, linear or quadratic."},
        "items": listed(ANY, description="Each criterion and language that was judged."),
    }),
    "Evidence": {
        "type": "object",
        "properties": {
            "quote": TEXT,
            "turn": {"type": ["integer", "null"]},
            "kind": {"type": "string", "enum": ["exact", "pattern", "unverified"]},
            "repair": {"type": ["string", "null"]},
            "source": {"type": ["string", "null"]},
        },
        "required": ["quote", "turn", "kind", "repair", "source"],
    },
    "CriterionScore": made({
        "criterion": TEXT,
        "status": words(ScoreStatus),
        "unscored_reason": word_or_null(UnscoredReason),
        "score": NUMBER,
        **_DOUBT,
        "answers": {"type": "integer", "description": "How many answers of the judge the score is the mean of."},
        "standard_error": NUMBER,
        "scale": TEXT,
        "weight": {"type": "number"},
        "pass_mark": {"type": "number"},
        "reason": TEXT,
        "evidence": listed(known("Evidence")),
        "opinions": {"type": "array", "items": ANY, "description": "Who else said what: repeats, panel, cross-check."},
    }),
    "Judgement": {
        **made({
            "id": ID,
            "conversation_id": {"type": "string", "description": "The id the conversation came with."},
            "conversation": ID,
            "language": TEXT,
            "status": words(JudgementStatus),
            "weighted_score": NUMBER,
            **_DOUBT,
            "blocked_by": {**TEXTS, "description": "Blocking criteria below their pass mark."},
            "fingerprint": TEXT,
            "provider": TEXT,
            "model": TEXT,
            "by_fallback": {"type": "boolean"},
            "late": {"type": "boolean"},
            "latency": ANY,
            "error_code": TEXT,
            "error_message": TEXT,
            "raw_reply": {"type": "string", "description": "What the model said, where it could not be parsed."},
            "judged_at": TIME,
            "criteria": listed(known("CriterionScore")),
        }),
        "additionalProperties": True,
    },
    "JudgementPage": page("Judgement"),
    "TestRunLine": made(_RUN),
    "TestRunPage": page("TestRunLine"),
    "TestRun": made({**_RUN, "plan": ANY}),
    "Turn": {
        "type": "object",
        "properties": {"role": words(TurnRole), "content": TEXT, "ts": {"type": "string", "format": "date-time"},
                       "tool_calls": listed(ANY), "tool_call_id": TEXT, "name": TEXT,
                       "latency_ms": {"type": "integer"}, "attachments": listed(ANY)},
        "required": ["role", "content"],
    },
    "Conversation": made({
        "id": ID,
        "conversation_id": TEXT,
        "position": {"type": "integer"},
        "kind": words(Kind),
        "status": words(ConversationStatus),
        "blame": word_or_null(Blame),
        "end_reason": {"type": "string", "enum": ["", *EndReason], "description": "Empty until it is over."},
        "attempt": {"type": "integer", "description": "Turns are those of the last attempt; 0: nothing was played."},
        "language": TEXT,
        "domain": TEXT,
        "source": TEXT,
        "labels": ANY,
        "error_code": TEXT,
        "error_message": TEXT,
        "started_at": TIME,
        "ended_at": TIME,
        "turns": listed(known("Turn")),
    }),
    "ConversationPage": page("Conversation"),
    "Status": made({
        "status": words(RunStatus),
        "conversations": counts(ConversationStatus),
        "evaluations": {"type": "array", "items": made({"id": ID, "status": words(EvaluationStatus)})},
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
