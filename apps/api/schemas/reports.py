"""The shape of a run's report: the JSON Schema that goes with report.json, as components of the API's document."""

import json
from typing import Any

from apps.api.schema_building import Schema
from apps.reports.run_reports.services.report_files import SCHEMA

_NAMES = {
    "outcome": "ReportOutcome",
    "conversation": "ReportConversation",
    "check": "ReportCheck",
    "turn": "ReportTurn",
    "call": "ReportCall",
    "summary": "ReportSummary",
    "summary_sentence": "ReportSummarySentence",
}


def _renamed(value: Any) -> Any:
    """Point the schema's own definitions to the components."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            return {"$ref": f"#/components/schemas/{_NAMES[value['$ref'].rpartition('/')[2]]}"}
        return {key: _renamed(item) for key, item in value.items()}
    return [_renamed(item) for item in value] if isinstance(value, list) else value


def _components() -> dict[str, Schema]:
    document = json.loads(SCHEMA.read_text())
    parts = document.pop("$defs")
    own = {key: value for key, value in document.items() if not key.startswith("$")}
    return {"RunReport": _renamed(own), **{_NAMES[name]: _renamed(part) for name, part in parts.items()}}


COMPONENTS: dict[str, Schema] = _components()
