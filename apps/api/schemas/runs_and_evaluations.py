"""The shapes of what the API answers as JSON Schema 2020-12, exactly as the documents of this room have them."""

from typing import Any

from apps.api.schema_building import (
    ANY,
    COUNT,
    COUNT_OR_NULL,
    ID,
    ID_OR_NULL,
    INTERVAL,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    THEN,
    TIME,
    WARNING_CODES,
    YES,
    counts,
    known,
    listed,
    made,
    or_null,
    page,
    word_or_null,
    words,
)
from apps.api.schemas.decision import DECIDED
from apps.calibration.domain.agreement_with_people import CertificateStatus
from apps.catalog.domain.states import AgentKind
from apps.core.conversation import TurnRole
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus, ScoreStatus, UnscoredReason
from apps.runs.domain.states import ConversationStatus, Kind, RunStatus, SimulatorVerdict
from apps.statistics.decision import OF_SCORES

_ACCEPTED = {"id": ID, "status": {"const": "pending"}, "status_url": {"type": "string", "format": "uri"}}
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
    "id": ID,
    "test_run_id": ID,
    "evaluator_config": TEXT,
    "status": words(EvaluationStatus),
    "subject": known("Subject"),
    "error_code": {**TEXT, "description": "nothing_scored, run_cancelled, cancelled, watchdog; else empty."},
    **_LINE,
}
_NAMES_BY_SECTION: dict[str, Any] = {"type": "object", "additionalProperties": TEXTS}
COMPONENTS: dict[str, Any] = {
    "CatalogNames": made(
        {
            "agents": listed(made({"name": TEXT, "kind": words(AgentKind), "prompt": TEXT})),
            "evaluator_configs": listed(
                made(
                    {
                        "name": TEXT,
                        "active": {**COUNT_OR_NULL, "description": "What a bare name means; null: none is published."},
                        "description": TEXT,
                    }
                )
            ),
        }
    ),
    "CatalogImported": made(
        {
            "created": {
                **_NAMES_BY_SECTION,
                "description": "Names by section: criteria, personas, scenarios, agents …",
            },
            "updated": _NAMES_BY_SECTION,
            "unchanged": COUNT,
            "notes": TEXTS,
        }
    ),
    "Problem": {
        "type": "object",
        "description": "RFC 9457. `code` is stable; `pointer` (RFC 6901) names the field at fault.",
        "properties": {
            "type": TEXT,
            "title": TEXT,
            "status": {"type": "integer"},
            "detail": TEXT,
            "code": TEXT,
            "pointer": TEXT,
        },
        "required": ["type", "title", "status", "detail", "code"],
        "additionalProperties": True,
    },
    "EvaluationTaken": made({**_ACCEPTED, "test_run_id": ID}),
    "TestRunTaken": made(
        {
            **_ACCEPTED,
            "evaluation_id": ID_OR_NULL,
            "transport": {**TEXT, "description": "How the agent is reached; pulled: by whoever leases its turns."},
            "left_out": {
                **listed(made({"scenario": TEXT, "persona": TEXT, "why": TEXT})),
                "description": 'Of "all" scenarios those whose persona may not play, with the reason.',
            },
        }
    ),
    "RunForecast": made(
        {
            "conversations": COUNT,
            "cost_usd": {**NUMBER, "description": "In all; null where the price of a part is not known."},
            "interval": {**INTERVAL, "description": "95 %, from what earlier conversations cost."},
            "parts": listed(made({"part": TEXT, "model": TEXT, "cost_usd": NUMBER, "sample": COUNT, "why": TEXT})),
            "minutes": {**NUMBER, "description": "How long it probably plays; null: with these models none was yet."},
            "left_out": listed(made({"scenario": TEXT, "persona": TEXT, "why": TEXT})),
            "confirm_above_usd": {**NUMBER, "description": "The tenant's setting `confirm_run_usd`."},
            "confirm": {"type": "boolean", "description": "The cost is above it: the page and `start_run` ask first."},
        }
    ),
    "RerunTaken": made(
        {
            "id": {
                "type": ["string", "null"],
                "format": "uuid",
                "description": "The new run; null where nothing had to be played, only judged again.",
            },
            "from": ID,
            "evaluation_id": {
                "type": ["string", "null"],
                "format": "uuid",
                "description": "What judges the new run; null where no config was named or followed.",
            },
            "judged_again": COUNT,
            "status_url": TEXT,
        }
    ),
    "EvaluationLine": made(_EVALUATION),
    "EvaluationPage": page("EvaluationLine"),
    "Evaluation": {
        **made(
            {
                **_EVALUATION,
                "run_analyzer": YES,
                "analysis": or_null(known("AnalysisAsked")),
                "fingerprint": {"type": "string", "description": "Of the judge as it answered; empty until then."},
                "snapshot_digest": TEXT,
                "counts": counts(JudgementStatus),
                "weighted_score": NUMBER,
                "interval": INTERVAL,
                "cases": {"type": "integer", "description": "Scenarios behind mean and interval; repeats are no more."},
                "pass_rate": NUMBER,
                "decision": known("Decision"),
                "verdicts": counts(DECIDED),
                "criteria": listed(known("CriterionResult")),
                "criterion_verdicts": {"type": "object", "additionalProperties": counts(DECIDED)},
                "cross_check": {"type": ["object", "null"], "description": "What a second judge says on a share."},
                "cost_usd": {**NUMBER, "description": "Of all calls; null where one has no price."},
                "known_cost_usd": {"type": "number", "description": "What the calls with a price cost."},
                "tokens_used": {"type": "integer"},
                "model_calls": {"type": "integer"},
                "calls_without_price": {
                    "type": "integer",
                    "description": "Where this is not 0, nobody knows the cost: `cost_usd` is null.",
                },
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
                "warning_names": {
                    **listed(TEXTS),
                    "description": "In the order of `warnings`: the names of the criteria or models each is about.",
                },
            }
        ),
        "additionalProperties": True,
    },
    "CertificateInForce": made(
        {
            "status": words(CertificateStatus),
            "reason": TEXT,
            "fingerprint": TEXT,
            "valid_until": TIME,
            "kappa": {**NUMBER, "description": "The lowest of its criteria and languages."},
            "decides": {**TEXT, "description": "Which kappa that is: unweighted, linear or quadratic."},
            "items": listed(ANY, description="Each criterion and language that was judged."),
        }
    ),
    "Evidence": {
        "type": "object",
        "properties": {
            "quote": TEXT,
            "turn": {"type": ["integer", "null"]},
            "kind": {"type": "string", "enum": ["exact", "pattern", "unverified"]},
            "repair": TEXT_OR_NULL,
            "source": TEXT_OR_NULL,
            "said_by": {
                "type": "string",
                "enum": ["customer"],
                "description": "Where the quote is the customer's: it proves nothing about the agent.",
            },
        },
        "required": ["quote", "turn", "kind", "repair", "source"],
    },
    "CriterionScore": made(
        {
            "criterion": TEXT,
            "title": {**TEXT, "description": "What people call the criterion; its name where it has no title."},
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
            "opinions": {
                "type": "array",
                "items": ANY,
                "description": "Who else said what: repeats, panel, cross-check.",
            },
        }
    ),
    "Judgement": {
        **made(
            {
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
                "by_fallback": YES,
                "late": YES,
                "latency": ANY,
                "error_code": TEXT,
                "error_message": TEXT,
                "raw_reply": {
                    "type": "string",
                    "description": "What the model said, masked, with * in place of the secret in "
                    "the key of its numbers.",
                },
                "judged_at": TIME,
                "criteria": listed(known("CriterionScore")),
            }
        ),
        "additionalProperties": True,
    },
    "JudgementPage": page("Judgement"),
    "TestRunLine": made(_RUN),
    "TestRunPage": page("TestRunLine"),
    "TestRun": made(
        {
            **_RUN,
            "simulator": {
                "description": "How simulated customers did; null where the run has no battle.",
                "oneOf": [
                    {"type": "null"},
                    made(
                        {
                            "battles": COUNT,
                            "invalid": {**COUNT, "description": "Blamed on the simulator: in no denominator."},
                            "replayed": COUNT,
                            "verdicts": counts([one for one in SimulatorVerdict if one]),
                            "sentence": TEXT,
                        }
                    ),
                ],
            },
            "plan": ANY,
        }
    ),
    "Turn": {
        "type": "object",
        "properties": {
            "role": words(TurnRole),
            "content": TEXT,
            "ts": {"type": "string", "format": "date-time"},
            "tool_calls": listed(ANY),
            "tool_call_id": TEXT,
            "name": TEXT,
            "latency_ms": {"type": "integer"},
            "attachments": listed(ANY),
        },
        "required": ["role", "content"],
    },
    "Status": made(
        {
            "status": words(RunStatus),
            "conversations": counts(ConversationStatus),
            "evaluations": {"type": "array", "items": made({"id": ID, "status": words(EvaluationStatus)})},
            "progress": {"type": "number", "minimum": 0, "maximum": 1},
            "waiting_for": {"type": "string", "description": "In words, for people; empty when nothing is left."},
        }
    ),
}
