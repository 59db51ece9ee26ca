"""Report on a receipt how far the deletion of traces in a Langfuse is."""

from collections.abc import Collection
from typing import Any

from apps.production.langfuse.models import LangfuseDeletion

_WORST_FIRST = ("refused", "pending", "asked", "done")


def deletions_document(ids: Collection[str]) -> list[dict[str, Any]]:
    """Return an entry for each project, with the state of its slowest request. At most one query."""
    projects: dict[str, list[LangfuseDeletion]] = {}
    for row in LangfuseDeletion.objects.filter(pk__in=ids).order_by("project", "pk") if ids else ():
        projects.setdefault(row.project, []).append(row)
    return [
        {
            "project": project,
            "state": min((one.status for one in rows), key=_WORST_FIRST.index),
            "requests": len(rows),
            "done": sum(one.status == "done" for one in rows),
            "error": next((one.error for one in rows if one.error), None),
        }
        for project, rows in projects.items()
    ]
