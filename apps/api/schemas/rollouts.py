"""The shapes of rollouts, of the table that routers read, and of a resolved prompt."""

from apps.api.schema_building import (
    COUNT,
    COUNT_OR_NULL,
    ID,
    NUMBER,
    TEXT,
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
    words,
)
from apps.production.domain.routing import PromptAlias
from apps.production.rollouts.domain.rules import GuardedMetric, MetricVerdict
from apps.production.rollouts.domain.states import Arm, RolloutMove, RolloutStatus

_SHARE: Schema = {"type": "integer", "minimum": 0, "maximum": 100}
_METRICS: Schema = {"type": "array", "items": words(GuardedMetric)}
_LINE: Schema = {
    "id": ID,
    "role": TEXT,
    "status": words(RolloutStatus),
    "stable": {**TEXT, "description": "What was live when it started."},
    "canary": TEXT,
    "percentage": {**_SHARE, "description": "That get the canary now: 0 from ends_at on, and once it has ended."},
    "evaluator_config": {**TEXT, "description": "Frozen with its number; empty: nobody judges."},
    "started_by": TEXT,
    "started_at": THEN,
    "hours": {"type": "number", "description": "From started_at to ends_at."},
    "ends_at": THEN,
    "ended_at": TIME,
    "ended_by": {**TEXT, "description": "Empty: the rule did."},
    "reason": TEXT,
}
_FORECAST: Schema = made(
    {
        "percentage": _SHARE,
        "hours": COUNT,
        "conversations_a_day": {"type": "number"},
        "conversations": COUNT,
        "canary": {**COUNT, "description": "Judged, with as many stable ones."},
        "cost_usd": {**NUMBER, "description": "null: no price is known."},
        "cost": TEXT,
        "deviation": {"type": "number", "description": "Of scores."},
        "deviation_measured": {**YES, "description": "false: assumed."},
        "loss_found": {**NUMBER, "description": "The smallest loss found in 24 h four times of five; null: none."},
        "needed": {**COUNT, "description": "An arm, until an equally good canary is shown to be not inferior."},
        "too_few": YES,
        "days_that_suffice": COUNT_OR_NULL,
        "percentage_that_suffices": COUNT_OR_NULL,
        "sentence": TEXT,
    }
)
_METRIC: Schema = made(
    {
        "metric": words(GuardedMetric),
        "title": TEXT,
        "verdict": words(MetricVerdict),
        "stable_n": COUNT,
        "canary_n": COUNT,
        "stable": {**NUMBER, "description": "Weighted over callers; of cost and latency the geometric mean."},
        "canary": NUMBER,
        "harm": {
            **NUMBER,
            "description": "Positive where the canary is worse; of cost and latency a natural logarithm.",
        },
        "low": {**NUMBER, "description": "Holds at every look; each side 95 %."},
        "high": NUMBER,
        "evidence": {**NUMBER, "description": "Of a loss; from called_at on it is one."},
        "called_at": {"type": "number"},
        "callers": COUNT,
        "left_out": {**COUNT, "description": "Callers with conversations of one arm alone."},
        "logs": YES,
    }
)
_FIGURES: Schema = {
    "type": "object",
    "description": "Empty before the first look.",
    "properties": {
        "counts": made({arm.value: COUNT for arm in Arm}),
        "judged": made({"stable": COUNT, "canary": COUNT}),
        "without_caller": COUNT,
        "metrics": listed(known("RolloutMetric")),
        "problem": TEXT,
    },
    "additionalProperties": False,
}
_VERSION: Schema = {"prompt_version": TEXT, "digest": TEXT}
_REFUSAL: Schema = made({"code": TEXT, "sentence": TEXT})
COMPONENTS: dict[str, Schema] = {
    "RolloutMetric": _METRIC,
    "RolloutFigures": _FIGURES,
    "RolloutForecast": _FORECAST,
    "RolloutForecastOnly": made(
        {"role": TEXT, "canary": TEXT, "evaluator_config": TEXT, "forecast": known("RolloutForecast")}
    ),
    "RolloutLine": made(_LINE),
    "RolloutPage": page("RolloutLine"),
    "Rollout": made(
        {
            **_LINE,
            "margin": {"type": "number", "description": "Points of score that it may be lower."},
            "forecast": known("RolloutForecast"),
            "forced": {**COUNT, "description": "Conversations that a person put into the canary for trying."},
            "figures": known("RolloutFigures"),
            "looked_at": TIME,
            "problem": {**TEXT, "description": "Why nobody judges, where the judge cannot be asked."},
            "worse": {**_METRICS, "description": "Now, or at its end."},
            "thin": {**_METRICS, "description": "Not shown: a promotion acknowledges them."},
            "may_be_promoted": YES,
            "refusals": listed(_REFUSAL),
            "not_told_apart_from": {**TEXTS, "description": "Roles whose rollout ran at the same time."},
            "events": listed(
                made(
                    {
                        "at": THEN,
                        "move": words(RolloutMove),
                        "by": TEXT,
                        "percentage": _SHARE,
                        "sentence": TEXT,
                        "figures": known("RolloutFigures"),
                    }
                )
            ),
        }
    ),
    "ResolvedPrompt": made(
        {
            "role": TEXT,
            "alias": words(PromptAlias),
            **_VERSION,
            "text": TEXT,
        }
    ),
    "PromptRoutes": made(
        {
            "roles": {
                "type": "object",
                "additionalProperties": made(
                    {
                        "percentage": _SHARE,
                        "stable": made(_VERSION),
                        "canary": or_null(made({**_VERSION, "text": TEXT})),
                        "promoted": {
                            **or_null(made({**_VERSION, "text": TEXT})),
                            "description": "Live since its rollout: for agents that do not carry it yet.",
                        },
                        "forced": {**TEXTS, "description": "SHA-256 of `tenant_id:conversation_id`."},
                    }
                ),
            },
        }
    ),
}
