"""A first run of an agent that nobody described: customers of a shipped pack talk to it, and its config judges."""

import re
import uuid
from dataclasses import dataclass
from datetime import datetime

from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import Scenario
from apps.core.errors import BadInput
from apps.evaluations.requests.domain.businesses import BUSINESSES, Business
from apps.evaluations.requests.services.battles import battle_run
from apps.evaluations.requests.services.creating import request_evaluation

CUSTOMERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRun:
    """The first run and its evaluation, as they were started."""

    run_id: uuid.UUID
    evaluation_id: uuid.UUID
    customers: int
    repeats: int  # how often each of them comes
    languages: tuple[str, ...]


def business_named(name: str) -> Business:
    """Return the business of this name. Raises BadInput with the names there are."""
    if name not in BUSINESSES:
        raise BadInput(f"{name!r} is none of {', '.join(BUSINESSES)}.", code="unknown_business", pointer="/business")
    return BUSINESSES[name]


def agent_name(address: str) -> str:
    """A name for the agent at an address: its host and port, or the module and name of a function."""
    host, _, port = re.sub(r"^\w+://", "", address.strip()).partition("/")[0].partition(":")
    return re.sub(r"[^a-z0-9]+", "-", f"{host} {port}".lower()).strip("-")[:60] or "agent"


def start_first_run(*, agent: str, business: Business, language: str, by: str, now: datetime) -> FirstRun:
    """Load the pack, play its customers against the agent, and request an evaluation.
    Customers of the language play (also of mixed Swahili), or all if there are none; repeated up to CUSTOMERS.

    Raises what `battle_run` and `request_evaluation` raise. Each call is another run. Some thirty queries.
    """
    load_pack(business.pack, at=now, by=by)
    rows = Scenario.objects.filter(slug__startswith=business.scenarios).order_by("slug").values_list("slug", "language")
    spoken = [row for row in rows if row[1] in (language, "mixed" if language == "sw" else language)]
    chosen = (spoken or list(rows))[:CUSTOMERS]
    repeats = max(1, CUSTOMERS // len(chosen))
    run_id = battle_run(agent=agent, scenarios=[row[0] for row in chosen], repeats=repeats, triggered_by=by, now=now)
    evaluation = request_evaluation(config=business.config, run_id=run_id, triggered_by=by, now=now)
    return FirstRun(
        run_id=run_id,
        evaluation_id=evaluation.evaluation_id,
        customers=len(chosen),
        repeats=repeats,
        languages=tuple(sorted({row[1] for row in chosen})),
    )
