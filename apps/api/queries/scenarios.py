"""Scenarios as the API shows them: what plays, what waits for a person, and where each came from."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from django.db.models import QuerySet

from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.models import Scenario
from apps.catalog.scenarios.domain.document import can_fail
from apps.core.documents import Count, Document, Id, Moment, StoredAs, members, one_of
from apps.core.errors import BadInput, NotFound
from apps.core.shapes import described
from apps.core.timestamps import format_timestamp
from apps.gates.queries.prevented import prevented_counts
from apps.production.promotion.queries.candidates import promotion_of_scenario

SCENARIO_FILTERS: Mapping[str, str] = {
    "status": f"One of {', '.join(ScenarioStatus)}.",
    "origin": "Exactly: production for what a real conversation became; empty for what a person or a file wrote.",
}


class ScenarioLineRelease(Document):
    by: str
    at: Moment


class ScenarioLine(Document, component="ScenarioLine"):
    id: Id
    scenario: Annotated[str, described("Its id in catalog files and results.")]
    status: Annotated[str, one_of(ScenarioStatus), described("Only what is released plays.")]
    origin: Annotated[str, described("production: a real conversation became it; empty: written by hand or a file.")]
    family: Annotated[str, described("Scenarios of one family ask the same thing and count once.")]
    persona: Annotated[str | None, described("null: the usual customer of its language.")]
    language: str
    goal: str
    release: ScenarioLineRelease | None
    prevented: Annotated[Count, described("How many gates stopped it from happening again.")]
    created_at: Moment
    updated_at: Moment


class ScenarioDetailMustNot(Document):
    criterion: str
    below: float


class ScenarioDetailDocument(ScenarioLine, component="ScenarioDetail"):
    opening: str
    max_turns: Count
    script: Annotated[
        Mapping[str, Any], described("What the customer says word for word, and the calls before and after.")
    ]
    assertions: Sequence[Mapping[str, Any]]
    must_not: Sequence[Annotated[Mapping[str, Any], StoredAs(ScenarioDetailMustNot)]]
    can_fail: Annotated[
        bool,
        described("Whether anything is named that must not happen: what came from production is not released without."),
    ]
    provenance: Annotated[
        Mapping[str, Any], described("What it was made of: conversation, run, feedback, prompt, who asked.")
    ]
    promotion_id: Id | None
    masking_blocked: Annotated[bool, described("true: a person clears the masking on its page before it is released.")]


def scenarios_found(asked: Mapping[str, str]) -> QuerySet[Scenario]:
    """Return the scenarios that the query string asks for, with their personas. Raises BadInput (`bad_parameter`)."""
    rows = Scenario.objects.select_related("persona")
    if "status" in asked:
        if asked["status"] not in list(ScenarioStatus):
            there = ", ".join(ScenarioStatus)
            raise BadInput(f"status is {asked['status'][:40]!r}; there are {there}.", code="bad_parameter")
        rows = rows.filter(status=asked["status"])
    return rows.filter(origin=asked["origin"]) if "origin" in asked else rows


def scenario_lines(page: Sequence[Scenario]) -> list[ScenarioLine]:
    """Scenarios in a list, each with how often a gate stopped it. One query."""
    prevented = prevented_counts(row.pk for row in page)
    return [_line(row, prevented.get(row.pk, 0)) for row in page]


def scenario_document(scenario_id: uuid.UUID) -> ScenarioDetailDocument:
    """One scenario, whole. Raises NotFound. Three queries."""
    row = Scenario.objects.select_related("persona").filter(pk=scenario_id).first()
    if row is None:
        raise NotFound(f"There is no scenario with the id {scenario_id}.")
    promotion = promotion_of_scenario(row.pk)
    return ScenarioDetailDocument(
        **members(_line(row, prevented_counts([row.pk]).get(row.pk, 0))),
        opening=row.opening,
        max_turns=row.max_turns,
        script=row.script,
        assertions=row.assertions,
        must_not=row.must_not,
        can_fail=can_fail(row.assertions, row.must_not),
        provenance=row.provenance,
        promotion_id=str(promotion.pk) if promotion else None,
        masking_blocked=promotion.blocked if promotion else False,
    )


def _line(row: Scenario, prevented: int) -> ScenarioLine:
    return ScenarioLine(
        id=str(row.pk),
        scenario=row.slug,
        status=row.status,
        origin=row.origin,
        family=row.family_name,
        persona=row.persona.name if row.persona else None,
        language=row.language,
        goal=row.goal,
        release=ScenarioLineRelease(by=row.released_by, at=format_timestamp(row.released_at))
        if row.released_at
        else None,
        prevented=prevented,
        created_at=format_timestamp(row.created_at),
        updated_at=format_timestamp(row.updated_at),
    )
