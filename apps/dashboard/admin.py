"""Lists of what happened: runs, conversations, evaluations, model calls. History is read here, never written."""

from apps.dashboard.production.admin import people, sampling_rules
from apps.dashboard.results.admin import evaluations, gate_floors, gates, runs
from apps.dashboard.test_set.admin import personas, scenarios
from apps.dashboard.usage import admin as calls

__all__ = ["calls", "evaluations", "gate_floors", "gates", "people", "personas", "runs", "sampling_rules", "scenarios"]
