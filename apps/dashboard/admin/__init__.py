"""Lists of what happened: runs, conversations, evaluations, model calls. History is read here, never written."""

from apps.dashboard.admin import (
    calls,
    evaluations,
    gate_floors,
    gates,
    people,
    personas,
    runs,
    sampling_rules,
    scenarios,
)

__all__ = ["calls", "evaluations", "gate_floors", "gates", "people", "personas", "runs", "sampling_rules", "scenarios"]
