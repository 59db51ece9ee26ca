"""The list of check results that the pages of a run and of a conversation share."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count

from apps.checks.queries.check_results import outcome_counts, pending_checks, results_in_force
from apps.core.errors import BadInput, NotFound
from apps.reports.run_reports.domain.replay_page import NO_JUDGE
from apps.statistics.decision import Decision

ROWS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One filter as a link: `query` is what the address has behind its question mark."""

    value: str
    count: int
    query: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecksPanel:
    """Panel of checks.

    `page` are the rows chosen; `total` counts them without any filter, `pending` the conversations that are still to be
    measured, and `waits_for` says what one of them waits for. `modelless` are checks that need a model where none is
    configured, `folded` their rows, which are one line of the page unless they are asked for.
    """

    page: Page[Any]
    total: int
    outcomes: Sequence[Choice]
    names: Sequence[Choice]
    outcome: str
    name: str
    pending: int = 0
    waits_for: str = ""
    modelless: Sequence[str] = ()
    folded: int = 0

    @property
    def query(self) -> str:
        """The filters chosen, for links to other pages of the list."""
        return urlencode({"outcome": self.outcome, "check": self.name})


def checks_panel(
    *, asked: Mapping[str, str], run_id: uuid.UUID | None = None, conversation_id: uuid.UUID | None = None
) -> ChecksPanel:
    """Return the panel of checks. Five queries at most. Raises NotFound for an unknown outcome."""
    outcome, name = asked.get("outcome", ""), asked.get("check", "")
    scoped = partial(results_in_force, run_id=run_id, conversation_id=conversation_id)
    counts = outcome_counts(scoped())
    try:
        rows = scoped(outcome=outcome, check=name).order_by("conversation__position", "check_name", "subject")
    except BadInput as error:
        raise NotFound(error.message) from error
    modelless: dict[str, int] = {}
    if not (outcome or name) and any(by[Decision.UNMEASURABLE.value] for by in counts.values()):
        without = scoped().filter(error_code=NO_JUDGE).order_by("check_name").values_list("check_name")
        modelless = dict(without.annotate(n=Count("id")))
        rows = rows.exclude(error_code=NO_JUDGE)
    pending, waits_for = pending_checks(run_id=run_id) if run_id else (0, "")
    by_outcome = {
        one.value: sum(by[one.value] for found, by in counts.items() if name in ("", found)) for one in Decision
    }
    by_name = {found: by[outcome] if outcome else sum(by.values()) for found, by in counts.items()}
    return ChecksPanel(
        page=Paginator(rows, ROWS).get_page(asked.get("checks_page", "1")),
        total=sum(sum(by.values()) for by in counts.values()),
        outcomes=[
            Choice(value=one, count=n, query=urlencode({"outcome": one, "check": name}), chosen=one == outcome)
            for one, n in by_outcome.items()
            if n or one == outcome
        ],
        names=[
            Choice(value=one, count=n, query=urlencode({"outcome": outcome, "check": one}), chosen=one == name)
            for one, n in by_name.items()
        ],
        outcome=outcome,
        name=name,
        pending=pending,
        waits_for=waits_for,
        modelless=list(modelless),
        folded=sum(modelless.values()),
    )
