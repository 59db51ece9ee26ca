"""The shape of a check's result (see apps.checks.queries.check_results)."""

from apps.api.schema_building import COUNT, Schema, made

COMPONENTS: dict[str, Schema] = {
    "StoredChecks": made({"stored": {**COUNT, "description": "How many are new; what stood there stays as it is."}}),
}
