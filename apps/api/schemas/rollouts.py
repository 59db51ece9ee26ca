"""The shape of a rollout's figures, which are empty before the first look."""

from apps.api.schema_building import COUNT, TEXT, Schema, known, listed, made
from apps.production.rollouts.domain.states import Arm

COMPONENTS: dict[str, Schema] = {
    "RolloutFigures": {
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
    },
}
