"""The shapes of trials, of the hold-out sets and of a release."""

from apps.api.schema_building import (
    COUNT,
    COUNT_OR_NULL,
    ID,
    ID_OR_NULL,
    NUMBER,
    TEXT,
    TEXT_OR_NULL,
    TEXTS,
    THEN,
    TIME,
    YES,
    Schema,
    known,
    listed,
    made,
    or_null,
    page,
    word_or_null,
    words,
)
from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.drafts.domain.trial_states import SideName, TrialStatus
from apps.improvement.holdout.domain.parts import Part

_BOUNDS: Schema = {
    "type": ["array", "null"],
    "items": NUMBER,
    "minItems": 2,
    "maxItems": 2,
    "description": "In points; a bound that so few families cannot give is null.",
}
_LINE: Schema = {
    "id": ID,
    "draft": ID,
    "part": words(Part),
    "look": {**COUNT_OR_NULL, "description": "Its number among the looks at this hold-out set; null: none is spent."},
    "status": words(TrialStatus),
    "verdict": {**word_or_null(AcceptanceVerdict), "description": "With what people lifted taken away."},
    "sentence": TEXT,
    "requested_by": TEXT,
    "created_at": THEN,
    "decided_at": TIME,
}
_SIDE: Schema = made(
    {
        "side": words(SideName),
        "prompt_version": TEXT,
        "test_run": ID_OR_NULL,
        "evaluation": ID_OR_NULL,
    }
)
_LIFTED: Schema = made({"criterion": TEXT, "reason": TEXT, "by": TEXT, "at": THEN})
_STEP: Schema = {
    **made({"step": TEXT, "id": TEXT, "sentence": TEXT}),
    "additionalProperties": True,
    "description": "feedback, scenario, finding, draft, trial, decision or person.",
}
_GROUP: Schema = made(
    {
        "kind": {"type": "string", "enum": ["criterion", "language", "persona"]},
        "name": TEXT,
        "families": COUNT,
        "estimate": {"type": "number", "description": "Draft minus live, in points."},
        "interval": _BOUNDS,
        "p": {**NUMBER, "description": "Of a loss, adjusted for all criteria; null for other groups."},
        "worse": {**YES, "description": "The whole interval lies below 0."},
    }
)
_SET: Schema = made(
    {
        "set": COUNT,
        "families": COUNT,
        "sealed": {**COUNT, "description": "That no look and no opened page has sent to train."},
        "looks": listed(
            made(
                {
                    "look": COUNT,
                    "trial": ID,
                    "draft": ID,
                    "verdict": word_or_null(AcceptanceVerdict),
                    "sentence": TEXT,
                    "ended_at": TIME,
                }
            )
        ),
    }
)
COMPONENTS: dict[str, Schema] = {
    "TrialForecast": made(
        {
            "part": words(Part),
            "families": COUNT,
            "scenarios": COUNT,
            "sides": COUNT,
            "conversations": COUNT,
            "calls": COUNT,
            "minutes": {**NUMBER, "description": "null: none was played with these models yet."},
            "cost_usd": {**NUMBER, "description": "null: no price is known."},
            "cost": {**TEXT, "description": "On what it rests."},
            "sample": {**COUNT, "description": "Earlier conversations behind calls and minutes; 0: assumed."},
            "look": COUNT_OR_NULL,
            "stagger_s": listed({"type": "number"}, minItems=2, maxItems=2),
            "confirm": {**YES, "description": "Dearer than the tenant's confirm_run_usd, or of unknown cost."},
            "detectable": {**NUMBER, "description": "The true gain that this look shows four times of five."},
            "power": TEXT,
            "warnings": TEXTS,
            "sentence": TEXT,
        }
    ),
    "TrialForecastOnly": made({"draft": ID, "forecast": known("TrialForecast")}),
    "TrialDecision": made(
        {
            "verdict": words(AcceptanceVerdict),
            "sentence": TEXT,
            "reasons": TEXTS,
            "codes": {**TEXTS, "description": "A stable word for each reason, in the same order."},
            "estimate": NUMBER,
            "interval": _BOUNDS,
            "confidence": {"type": "number"},
            "level": {"type": "number"},
            "look": COUNT,
            "families": COUNT,
            "differing": COUNT,
            "pairs": COUNT,
            "left_out": COUNT,
            "live_mean": NUMBER,
            "draft_mean": NUMBER,
            "against_original": NUMBER,
            "blocked_criteria": TEXTS,
            "stopped_early": {**YES, "description": "Before all was played: the draft would not have scored higher."},
            "flagged": {**TEXTS, "description": "Personas without whom less than half of the gain is left."},
            "criteria": listed(known("TrialGroup")),
            "groups": listed(known("TrialGroup")),
            "groups_withheld": {**COUNT, "description": "Of a hold-out: groups of too few families to be told apart."},
        }
    ),
    "TrialGroup": _GROUP,
    "TrialLine": made(_LINE),
    "TrialPage": page("TrialLine"),
    "Trial": made(
        {
            **_LINE,
            "set_number": COUNT_OR_NULL,
            "agent": TEXT,
            "personas": TEXTS,
            "repeats": COUNT,
            "seed": COUNT,
            "evaluator_config": TEXT,
            "block_points": {"type": "number"},
            "budget_usd": NUMBER,
            "scenarios": COUNT,
            "forecast": known("TrialForecast"),
            "progress": made({"done": COUNT, "total": COUNT}),
            "waiting_for": TEXT,
            "error_message": TEXT,
            "sides": listed(_SIDE),
            "decision": or_null(known("TrialDecision")),
            "lifted_blocks": listed(_LIFTED),
            "provenance": listed(_STEP),
            "started_at": TIME,
            "ended_at": TIME,
        }
    ),
    "HoldOut": made(
        {
            "set": COUNT,
            "families": COUNT,
            "least": COUNT,
            "needed": {**COUNT, "description": "More families, before a gain can be proven."},
            "looks": COUNT,
            "spent": COUNT,
            "in_use": COUNT,
            "left": {"type": "integer"},
            "parts": made({part.value: COUNT for part in Part}),
            "drawable": {**COUNT, "description": "Families of the selection that no trial has played."},
            "sentence": TEXT,
            "sets": listed(_SET),
        }
    ),
    "HoldOutDrawn": made({"drawn": COUNT, "hold_out": known("HoldOut")}),
    "DraftRelease": made(
        {
            "draft": ID,
            "version": TEXT_OR_NULL,
            "status": words(DraftStatus),
            "trial": {**ID_OR_NULL, "description": "The one on a hold-out set that decides about it."},
            "verdict": word_or_null(AcceptanceVerdict),
            "sentence": TEXT,
            "worse": {**TEXTS, "description": "Criteria, personas and languages to acknowledge."},
            "may_be_released": YES,
            "refusal": or_null(made({"code": TEXT, "sentence": TEXT})),
            "needs_reason": YES,
            "needs_acknowledgement": YES,
            "live_at_once": {**YES, "description": "The prompt is the admin's own: no file, no commit."},
            "patch": {**TEXT, "description": "A unified diff against the live prompt, for `git apply`."},
            "released_by": TEXT,
            "released_at": TIME,
            "release_reason": TEXT,
            "seen_live_at": TIME,
        }
    ),
    "DraftReleased": made({"draft": ID, "version": TEXT, "sentence": TEXT, "live": YES, "patch": TEXT}),
}
