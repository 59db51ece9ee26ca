"""The shape of an analysis and its findings (see apps.improvement.analysis.queries.analyses)."""

from apps.api.schema_building import (
    ID,
    Schema,
    made,
)

COMPONENTS: dict[str, Schema] = {
    "AnalysisTaken": made({"id": ID, "evaluation_id": ID, "status": {"const": "pending"}}),
}
