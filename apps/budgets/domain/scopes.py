"""What money is counted for: a run, a pull request, a calendar month, everything a tenant ever spends."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

_NAMESPACE = uuid.UUID("6f6d6b0e-9d0c-5c2e-8a55-0f6f5a5f7a10")


class ScopeKind(StrEnum):
    RUN = "run"
    PULL_REQUEST = "pull_request"
    MONTH = "month"
    TENANT = "tenant"


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """One thing with an allowance. `name` is the run's id, the pull request as CI names it, `2026-11`, or empty."""

    kind: ScopeKind
    name: str = ""

    @property
    def id(self) -> uuid.UUID:
        """The id of its row: always the same for the same scope."""
        return uuid.uuid5(_NAMESPACE, f"{self.kind}:{self.name}")

    def __str__(self) -> str:
        return {
            ScopeKind.RUN: "the run's budget",
            ScopeKind.PULL_REQUEST: f"the budget of pull request {self.name}",
            ScopeKind.MONTH: f"the budget of {self.name}",
            ScopeKind.TENANT: "the tenant's whole budget",
        }[self.kind]


def month_of(at: datetime) -> Scope:
    """The calendar month, in UTC, that a moment belongs to."""
    return Scope(ScopeKind.MONTH, f"{at.astimezone(UTC):%Y-%m}")


def month_span(name: str) -> tuple[datetime, datetime]:
    """First moment of the month `2026-11`, and of the next one. Raises ValueError for anything else."""
    start = datetime.strptime(name, "%Y-%m").replace(tzinfo=UTC)
    return start, start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)


def scopes_of(*, at: datetime, run_id: uuid.UUID | None = None, pull_request: str = "") -> tuple[Scope, ...]:
    """Every scope a call counts for."""
    scopes = [month_of(at), Scope(ScopeKind.TENANT)]
    if run_id is not None:
        scopes.append(Scope(ScopeKind.RUN, str(run_id)))
    if pull_request:
        scopes.append(Scope(ScopeKind.PULL_REQUEST, pull_request[:200]))
    return tuple(scopes)
