"""The shapes of optimizations, of their matrix, and of the texts that ask their models."""

from apps.api.schema_building import (
    ANY,
    COUNT,
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
from apps.improvement.domain.optimization_states import (
    DraftPlace,
    LeftOut,
    OptimizationOutcome,
    OptimizationStatus,
)
from apps.improvement.drafts.domain.decision_document import GroupMovement
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.prompt_templates.domain.texts import TemplatePurpose

_BOUNDS: Schema = {"type": ["array", "null"], "items": NUMBER, "minItems": 2, "maxItems": 2}
_LEFT_OUT: Schema = or_null(made({"code": words(LeftOut), "sentence": TEXT}))
_LINE: dict[str, Schema] = {
    "id": ID,
    "evaluation_id": ID,
    "name": TEXT,
    "base": {**TEXT, "description": "The prompt version that was live when it was asked for."},
    "mode": TEXT,
    "round": COUNT,
    "status": words(OptimizationStatus),
    "outcome": {
        **word_or_null(OptimizationOutcome),
        "description": "helped: on the selection, which proves nothing; better and not_shown rest on the hold-out.",
    },
    "sentence": TEXT,
    "requested_by": TEXT,
    "created_at": THEN,
    "ended_at": TIME,
}
_DRAFT: Schema = made(
    {
        "position": COUNT,
        "name": TEXT,
        "place": words(DraftPlace),
        "draft_id": ID_OR_NULL,
        "prompt_version": TEXT_OR_NULL,
        "status": word_or_null(DraftStatus),
        "findings": listed(COUNT),
        "note": TEXT,
        "hopes": ANY,
        "sections": TEXTS,
        "trial": or_null(known("TrialLine")),
        "estimate": {
            **NUMBER,
            "description": "Draft minus live on the selection, in points; too high for the best one.",
        },
        "helped": YES,
        "best": YES,
        "left_out": _LEFT_OUT,
    }
)
_MOVED: Schema = {**words(GroupMovement), "description": "As the decision says; a sign alone may be chance."}
_CELL: Schema = or_null(
    made(
        {
            "name": TEXT,
            "difference": NUMBER,
            "interval": _BOUNDS,
            "p": NUMBER,
            "families": COUNT,
            "worse": YES,
            "moved": _MOVED,
        }
    )
)
_LESS: Schema = made({"conversations": COUNT, "calls": COUNT, "cost_usd": NUMBER})
COMPONENTS: dict[str, Schema] = {
    "OptimizationForecast": made(
        {
            "sentence": TEXT,
            "drafts": COUNT,
            "trials": COUNT,
            "conversations": COUNT,
            "calls": COUNT,
            "minutes": {**NUMBER, "description": "null: none was played with these models yet."},
            "cost_usd": NUMBER,
            "limit_usd": NUMBER,
            "with_early_stops": {
                **_LESS,
                "description": "Where every draft is stopped for futility as early as may be.",
            },
            "round": COUNT,
            "rounds": COUNT,
            "warnings": TEXTS,
            "trial": known("TrialForecast"),
        }
    ),
    "OptimizationForecastOnly": made({"forecast": known("OptimizationForecast")}),
    "OptimizationLine": made(_LINE),
    "OptimizationPage": page("OptimizationLine"),
    "Optimization": made(
        {
            **_LINE,
            "drafts": listed(_DRAFT),
            "wanted": COUNT,
            "templates": listed(made({"purpose": words(TemplatePurpose), "language": TEXT, "version": TEXT})),
            "search": or_null(
                made(
                    {
                        "train": TEXTS,
                        "selection": TEXTS,
                        "most_plays": COUNT,
                        "steps": listed(
                            made(
                                {
                                    "parent": {
                                        **COUNT,
                                        "description": "The position of the draft it goes on from, 0: the live prompt.",
                                    },
                                    "draft": {"type": ["integer", "null"]},
                                    "families": TEXTS,
                                    "before": NUMBER,
                                    "after": NUMBER,
                                }
                            )
                        ),
                        "trials": listed(ID),
                        "over": YES,
                    }
                )
            ),
            "evaluator_configs": TEXTS,
            "agent": TEXT,
            "personas": TEXTS,
            "repeats": COUNT,
            "seed": COUNT,
            "budget_usd": NUMBER,
            "forecast": known("OptimizationForecast"),
            "spent": made(
                {
                    "conversations": COUNT,
                    "calls": COUNT,
                    "cost_usd": NUMBER,
                    "stopped_early": COUNT,
                    "spared": {
                        **_LESS,
                        "description": "Left unplayed by early stops, at what a played conversation took.",
                    },
                    "planned_conversations": COUNT,
                }
            ),
            "analysis_id": ID_OR_NULL,
            "proof": or_null(known("TrialLine")),
            "progress": made(
                {
                    "drafts": COUNT,
                    "of": COUNT,
                    "trial": or_null(made({"done": COUNT, "total": COUNT})),
                }
            ),
            "waiting_for": TEXT,
            "error_message": TEXT,
            "next": listed({"type": "string", "enum": ["cancel", "prove", "combine"]}),
            "conflicts": listed(
                made(
                    {
                        "section": TEXT,
                        "title": TEXT,
                        "before": TEXT,
                        "texts": listed(made({"draft": TEXT, "text": TEXT})),
                    }
                )
            ),
        }
    ),
    "PromptTemplates": made(
        {
            "results": listed(
                made(
                    {
                        "id": ID_OR_NULL,
                        "purpose": words(TemplatePurpose),
                        "language": TEXT,
                        "version": {**TEXT, "description": "`built-in N` of one that ships, else its number."},
                        "in_force": YES,
                        "system": TEXT,
                        "ask": TEXT,
                        "note": TEXT,
                        "created_by": TEXT,
                        "created_at": TIME,
                    }
                )
            )
        }
    ),
    "OptimizationMatrix": made(
        {
            "id": ID,
            "base": TEXT,
            "sentence": TEXT,
            "part": TEXT,
            "note": TEXT,
            "criteria": TEXTS,
            "rows": listed(
                made(
                    {
                        "position": COUNT,
                        "name": TEXT,
                        "place": words(DraftPlace),
                        "draft_id": ID_OR_NULL,
                        "note": TEXT,
                        "left_out": _LEFT_OUT,
                        "trial": ID_OR_NULL,
                        "stopped_early": YES,
                        "overall": or_null(
                            made(
                                {
                                    "difference": NUMBER,
                                    "interval": _BOUNDS,
                                    "families": COUNT,
                                    "pairs": COUNT,
                                    "moved": _MOVED,
                                }
                            )
                        ),
                        "criteria": listed(_CELL),
                        "measures": ANY,
                    }
                )
            ),
        }
    ),
}
