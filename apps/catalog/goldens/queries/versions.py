"""Questions about golden sessions."""

from collections.abc import Collection
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import OuterRef, QuerySet, Subquery

from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.domain.session import GoldenSnapshot, snapshot_of
from apps.catalog.goldens.models import GoldenSession, GoldenVersion
from apps.core.errors import NotFound


def current_goldens(names: Collection[str]) -> dict[str, GoldenSnapshot]:
    """{name: the highest approved version} of those golden sessions that have one. One query."""
    rows = (
        GoldenVersion.objects.filter(golden__name__in=list(names), status=GoldenStatus.APPROVED)
        .select_related("golden__agent")
        .defer("golden__agent__secrets")
        .order_by("golden_id", "-number")
        .distinct("golden_id")
    )
    return {row.golden.name: snapshot_of(row, row.golden) for row in rows}


def waiting_goldens(names: Collection[str]) -> dict[str, int]:
    """{name: its highest candidate} of those golden sessions that have one to approve. One query."""
    rows = GoldenVersion.objects.filter(golden__name__in=list(names), status=GoldenStatus.CANDIDATE)
    return dict(rows.order_by("number").values_list("golden__name", "number"))


def golden_version(version_id: UUID | str) -> GoldenSnapshot:
    """One version whatever its state. One query. Raises NotFound."""
    rows = GoldenVersion.objects.select_related("golden__agent").defer("golden__agent__secrets")
    try:
        row = rows.filter(pk=version_id).first()
    except (ValueError, ValidationError):
        row = None
    if row is None:
        raise NotFound(f"there is no version of a golden session with the id {version_id}")
    return snapshot_of(row, row.golden)


def versions_of(name: str) -> list[GoldenSnapshot]:
    """All versions of a golden session, the newest first; empty where there is none. One query."""
    rows = (
        GoldenVersion.objects.filter(golden__name=name)
        .select_related("golden__agent")
        .defer("golden__agent__secrets")
        .order_by("-number")
    )
    return [snapshot_of(row, row.golden) for row in rows]


def listed_goldens() -> QuerySet[GoldenSession]:
    """Every golden session with `approved_number` (what a replay plays), `newest_number` and `newest_status`. One query
    when it is read."""
    versions = GoldenVersion.objects.filter(golden=OuterRef("pk")).order_by("-number")
    return (
        GoldenSession.objects.select_related("agent")
        .defer("agent__secrets")
        .annotate(
            approved_number=Subquery(versions.filter(status=GoldenStatus.APPROVED).values("number")[:1]),
            newest_number=Subquery(versions.values("number")[:1]),
            newest_status=Subquery(versions.values("status")[:1]),
        )
    )


def agents_of_goldens(names: Collection[str]) -> dict[str, str]:
    """{golden session: its agent's name, "" where nobody said}. One query."""
    rows = GoldenSession.objects.filter(name__in=list(names)).values_list("name", "agent__name")
    return {name: agent or "" for name, agent in rows}


def replayable_names() -> list[str]:
    """Golden sessions that have an approved version, by name. One query."""
    rows = GoldenVersion.objects.filter(status=GoldenStatus.APPROVED).order_by("golden__name")
    return list(rows.values_list("golden__name", flat=True).distinct())
