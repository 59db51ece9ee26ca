"""The shape of scores over time."""

from apps.api.schema_building import (
    COUNT,
    ID,
    ID_OR_NULL,
    INTERVAL,
    NUMBER,
    TEXT,
    THEN,
    Schema,
    known,
    listed,
    made,
    words,
)
from apps.production.sampling.domain.production_trend import PointStatus

_STATUS: Schema = {
    **words(PointStatus),
    "description": "ok: `score` is a mean. too_few: its interval is wider than ± 0.5, or a large group was not judged. "
    "not_sampled: `note` says why. waiting: not all of it is judged.",
}
COMPONENTS: dict[str, Schema] = {
    "TrendPoint": made(
        {
            "at": THEN,
            "until": {**THEN, "description": "Its end; of an evaluation the same moment."},
            "status": _STATUS,
            "score": {**NUMBER, "description": "Of 0 to 10; null unless the status is ok."},
            "interval": {**INTERVAL, "description": "Of 95 %."},
            "half_width": NUMBER,
            "scored": COUNT,
            "population": {**COUNT, "description": "What it stands for: all that settled in that time."},
            "fingerprint": {**TEXT, "description": "Of the judge as it answered; points of two are no one line."},
            "evaluator_config": TEXT,
            "note": TEXT,
            "name": TEXT,
            "evaluation_id": ID_OR_NULL,
            "agent": TEXT,
            "prompt_version": TEXT,
            "triggered_by": TEXT,
            "pass_mark": {**NUMBER, "description": "Of the criterion, else the weighted mean of all marks."},
            "corrected": {"anyOf": [known("CorrectedPoint"), {"type": "null"}]},
        }
    ),
    "CorrectedPoint": made(
        {
            "score": {**NUMBER, "description": "As the judge of the anchors' baseline would have given it."},
            "interval": {**INTERVAL, "description": "Of 95 %, with the uncertainty of the shift in it."},
            "shift": {**NUMBER, "description": "How far the anchors show that the judge moved."},
        }
    ),
    "TrendSeries": made(
        {
            "name": {**TEXT, "description": "A kind of run, or a sampling rule."},
            "kind": TEXT,
            "evaluator_config": TEXT,
            "hours": {
                "type": ["integer", "null"],
                "description": "How long a point of real conversations is: 6 or 24.",
            },
            "points": listed(known("TrendPoint"), description="The oldest first."),
            "breaks": listed(THEN, description="Points from which on another judge judged."),
        }
    ),
    "JudgesAgreement": made(
        {
            "at": THEN,
            "evaluation_id": ID,
            "name": TEXT,
            "kind": TEXT,
            "evaluator_config": TEXT,
            "fingerprint": TEXT,
            "scores": {**COUNT, "description": "Criteria of conversations that both judges scored."},
            "ac1": {**NUMBER, "description": "Gwet's AC1 of pass and fail."},
            "interval": {**INTERVAL, "description": "Of 95 %."},
            "same_side": {**NUMBER, "description": "The share that both pass or both fail."},
        }
    ),
    "TriggerCount": made(
        {
            "triggered_by": TEXT,
            "evaluations": COUNT,
            "by_person": {"type": "boolean", "description": 'Somebody who signs in here, or "manual".'},
        }
    ),
    "Trends": made(
        {
            "series": listed(known("TrendSeries")),
            "agreement": listed(
                known("JudgesAgreement"), description="Of evaluations with a second judge, oldest first."
            ),
            "triggers": listed(known("TriggerCount"), description="Who asked for the newest 200 evaluations chosen."),
        }
    ),
}
