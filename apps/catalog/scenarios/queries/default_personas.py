"""The default personas of scenarios that name none."""

from collections.abc import Iterable

from apps.catalog.personas.models import Persona
from apps.catalog.scenarios.models import Scenario

PREFIX = "default-"  # and the language: the one persona that plays where a scenario of it names none


def default_persona_of(language: str) -> str:
    """Return the name of the persona that plays scenarios of this language; "" for an empty language."""
    return f"{PREFIX}{language.partition('-')[0]}" if language else ""


def give_default_personas(scenarios: Iterable[Scenario]) -> None:
    """Set the default persona of their language on scenarios that have no persona; store nothing.

    Whether that persona may play is checked later, as for any other. One query where a scenario lacks one.
    """
    bare = [scenario for scenario in scenarios if scenario.persona_id is None and scenario.language]
    wanted = {default_persona_of(scenario.language) for scenario in bare}
    existing = {row.name: row for row in Persona.objects.filter(name__in=wanted)} if wanted else {}
    for scenario in bare:
        scenario.persona = existing.get(default_persona_of(scenario.language))
