"""Scenarios of a catalog file: what they become, and what a file may not decide."""

from collections.abc import Mapping
from typing import Any

from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.catalog.domain.states import PRODUCTION, ScenarioStatus
from apps.catalog.files.domain.document import Item
from apps.catalog.personas.models import Persona
from apps.catalog.scenarios.domain.document import ScenarioItem, can_fail
from apps.catalog.scenarios.models import Scenario
from apps.core.errors import BadInput


def scenario_fields(item: Item, personas: Mapping[str, Persona]) -> dict[str, Any]:
    """The columns that a scenario's file writes. Raises BadInput for a persona that is not there."""
    content: ScenarioItem = item.content
    persona = personas.get(content.persona)
    if content.persona and persona is None:
        raise BadInput(f"/persona: there is no persona named {content.persona!r}", pointer="/persona")
    return {
        "persona_id": persona.pk if persona else None,
        "goal": content.goal,
        "opening": content.opening,
        "language": content.language,
        "max_turns": content.max_turns,
        "script": content.script,
        "assertions": content.assertions,
        "must_not": criterion_names().names_in_expectations(content.must_not) if content.must_not else [],
        "family": content.family,
    }


def scenario_standing(content: ScenarioItem, row: Scenario | None) -> dict[str, Any]:
    """Return whether a scenario may be played, and where it came from.

    A file lets nothing play that waits for a person: it names the status of what is new, and may archive. Raises
    BadInput.
    """
    if row is None:
        origin = {"origin": content.origin, "provenance": content.provenance or {}}
        status = content.status or ScenarioStatus.RELEASED
        if status == ScenarioStatus.RELEASED and content.origin == PRODUCTION:
            raise BadInput("what came from production is released by a person: leave it a candidate", pointer="/status")
        return {**origin, "status": status}
    released = row.origin == PRODUCTION and row.status == ScenarioStatus.RELEASED
    if released and not can_fail(content.assertions, content.must_not):
        raise BadInput("a released scenario of production names what must not happen again", pointer="/must_not")
    if not content.status or content.status == row.status:
        return {}
    if content.status != ScenarioStatus.ARCHIVED:
        raise BadInput(
            f"{row.slug} is {row.status}: a file does not make it {content.status}, a person does on its page",
            pointer="/status",
        )
    return {"status": content.status}
