"""List the names that a run may use: agents and evaluator configs, with what tells each apart.

Personas and scenarios have lists of their own.
"""

from typing import Any

from django.db.models import Max, Q

from apps.catalog.domain.states import VersionStatus
from apps.catalog.models import Agent, EvaluatorConfig


def catalog_names() -> dict[str, Any]:
    """Two queries. `active` null: no version of it was published."""
    agents = Agent.objects.order_by("name").only("name", "kind", "options")
    newest = Max("versions__number", filter=Q(versions__status=VersionStatus.PUBLISHED))
    configs = EvaluatorConfig.objects.annotate(active=newest).order_by("name")
    return {
        "agents": [
            {"name": row.name, "kind": row.kind, "prompt": str(row.options.get("prompt") or "")} for row in agents
        ],
        "evaluator_configs": [
            {"name": row.name, "active": row.active, "description": row.description} for row in configs
        ],
    }
