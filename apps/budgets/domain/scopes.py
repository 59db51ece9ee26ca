"""The scopes for which money is counted: a run, a pull request, a month, a share of one, the whole tenant."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from apps.core.errors import BadInput

_NAMESPACE = uuid.UUID("6f6d6b0e-9d0c-5c2e-8a55-0f6f5a5f7a10")


class ScopeKind(StrEnum):
    RUN = "run"
    PULL_REQUEST = "pull_request"
    MONTH = "month"
    TENANT = "tenant"
    SHARE = "share"


SHARE_PREFIX = "share/"  # of what a call is entered for, where a share of the month pays: no pull request is named so
SAMPLING = f"{SHARE_PREFIX}sampling"


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """One thing with an allowance. `name` is the run's id, the pull request as CI names it, `2026-11`,
    `sampling/2026-11` for a share of the month, or empty."""

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
            ScopeKind.SHARE: f"the share of {self.name.replace('/', ' of ')}",
        }[self.kind]

    @property
    def month(self) -> str:
        """The month of a monthly budget or of a share of it, as `2026-11`; "" for every other kind."""
        return self.name.rpartition("/")[2] if self.kind in (ScopeKind.MONTH, ScopeKind.SHARE) else ""


def month_of(at: datetime) -> Scope:
    """The calendar month, in UTC, that a moment belongs to."""
    return Scope(ScopeKind.MONTH, f"{at.astimezone(UTC):%Y-%m}")


def share_of(share: str, *, at: datetime) -> Scope:
    """The scope of a share (SAMPLING) of the month that this moment belongs to."""
    return Scope(ScopeKind.SHARE, f"{share.removeprefix(SHARE_PREFIX)}/{month_of(at).name}")


def pull_request_name(text: str) -> str:
    """Return the name of a pull request's budget, at most 200 characters.

    Raises BadInput (`bad_pull_request`) for a name that is reserved for shares.
    """
    if text.startswith(SHARE_PREFIX):
        message = f"pull_request cannot begin with {SHARE_PREFIX!r}: name it as your CI does."
        raise BadInput(message, code="bad_pull_request", pointer="/pull_request")
    return text[:200]


def month_span(name: str) -> tuple[datetime, datetime]:
    """First moment of the month `2026-11`, and of the next one. Raises ValueError for anything else."""
    start = datetime.strptime(name, "%Y-%m").replace(tzinfo=UTC)
    return start, start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)


def scopes_of(*, at: datetime, run_id: uuid.UUID | None = None, pull_request: str = "") -> tuple[Scope, ...]:
    """Every scope a call counts for. `pull_request` may name a share of the month (SAMPLING) in its place."""
    scopes = [month_of(at), Scope(ScopeKind.TENANT)]
    if run_id is not None:
        scopes.append(Scope(ScopeKind.RUN, str(run_id)))
    if pull_request.startswith(SHARE_PREFIX):
        scopes.append(share_of(pull_request, at=at))
    elif pull_request:
        scopes.append(Scope(ScopeKind.PULL_REQUEST, pull_request[:200]))
    return tuple(scopes)
