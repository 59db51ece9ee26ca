"""A scenario's life: a candidate waits for a person, who releases it; an archived one is played no more.

Every move is compare-and-set. What came from production names what must not happen again before it plays.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import PRODUCTION, SCENARIO_MOVES, ScenarioStatus
from apps.catalog.personas.models import Persona
from apps.catalog.release_checks import release_checks
from apps.catalog.scenarios.domain.document import ScenarioItem, can_fail, read_must_not, read_scenario
from apps.catalog.scenarios.models import Scenario
from apps.core.errors import BadInput, Conflict, NotFound

NOTHING_MUST_NOT_HAPPEN = "nothing_must_not_happen"
_WRITTEN = (
    "goal",
    "opening",
    "language",
    "max_turns",
    "assertions",
    "must_not",
    "family",
    "origin",
    "provenance",
)


def create_candidate(
    *,
    slug: str,
    goal: str,
    persona: str = "",
    opening: str = "",
    language: str = "",
    max_turns: int | None = None,
    must_not: Sequence[Mapping[str, Any]] = (),
    assertions: Sequence[Mapping[str, Any]] = (),
    family: str = "",
    provenance: Mapping[str, Any] | None = None,
    origin: str = PRODUCTION,
) -> UUID:
    """Create a scenario that waits for review; it is checked as strictly as one from a file.
    `persona` may be "". Texts must be masked already. Safe to repeat: a slug with the same origin and provenance is
    that scenario, in any state, and nothing is written.

    Raises BadInput naming the field: `scenario_exists`, `unknown_persona`, `unknown_criterion`. Four queries.
    """
    slug = checks.name(slug, "/slug", limit=150)
    content = _content(
        persona=persona, goal=goal, opening=opening, language=language, max_turns=max_turns, family=family,
        must_not=[dict(one) for one in must_not], assertions=[dict(assertion) for assertion in assertions],
        origin=origin, provenance=dict(provenance or {}),
    )  # fmt: skip
    must_not_happen = _known_criteria(content.must_not)
    played_by = _persona(content.persona)
    fields = {name: getattr(content, name) for name in _WRITTEN} | {"must_not": must_not_happen}
    defaults = fields | {"persona": played_by, "status": ScenarioStatus.CANDIDATE}
    row, new = Scenario.objects.get_or_create(slug=slug, defaults=defaults)
    if not new and (row.origin, row.provenance) != (content.origin, content.provenance):
        message = f"/slug: there is a scenario {slug!r} already, made of something else"
        raise BadInput(message, code="scenario_exists", pointer="/slug")
    return UUID(str(row.pk))


def release_scenario(
    *, scenario_id: UUID | str, by: str, now: datetime, must_not: Sequence[Mapping[str, Any]] | None = None
) -> None:
    """Release a scenario for playing; one that is released keeps who did it first.
    `must_not` replaces the stored one; None keeps it.

    Raises NotFound; BadInput without a name, for an unreadable `must_not`, and `unknown_criterion`; Conflict
    `nothing_must_not_happen` where a candidate or production scenario names nothing that must not happen again,
    `already_released` for another `must_not` on a released one, `changed_meanwhile` where it was edited meanwhile, and
    what other rooms check first (release_checks). Safe to repeat. Three queries and theirs.
    """
    by = checks.text(by, "/by", required=True, limit=150).strip()
    row = _scenario(scenario_id)
    wanted = row.must_not if must_not is None else _named(read_must_not(must_not))
    if row.status == ScenarioStatus.RELEASED:
        _refuse_another(row, wanted)
        return
    real = row.origin == PRODUCTION or row.status == ScenarioStatus.CANDIDATE
    if real and not can_fail(row.assertions, wanted):
        message = (
            f"the scenario {row.slug!r} names nothing that must not happen again: give it a criterion with the mark "
            f"it must not fall below, or an assertion, then release it"
        )
        raise Conflict(message, code=NOTHING_MUST_NOT_HAPPEN)
    _known_criteria(wanted)
    for check in release_checks():
        check(row.pk)
    same = Scenario.objects.filter(must_not=row.must_not, assertions=row.assertions, goal=row.goal, opening=row.opening)
    sources, released = _sources(ScenarioStatus.RELEASED), ScenarioStatus.RELEASED
    fields = {"must_not": wanted, "released_by": by, "released_at": now}
    if not same.advance(row.pk, expected=sources, to=released, **fields):
        raise Conflict(f"the scenario {row.slug!r} was changed meanwhile: look at it again", code="changed_meanwhile")


def _refuse_another(row: Scenario, wanted: Sequence[Mapping[str, Any]]) -> None:
    if wanted != row.must_not:
        message = f"the scenario {row.slug!r} plays already, and what must not happen in it was said then"
        raise Conflict(message, code="already_released")


def archive_scenario(*, scenario_id: UUID | str) -> None:
    """Take a scenario out of use; results keep naming it. Raises NotFound, Conflict when it is archived already. One
    query."""
    archived = ScenarioStatus.ARCHIVED
    if not Scenario.objects.advance(scenario_id, expected=_sources(archived), to=archived):
        raise Conflict(f"the scenario {_scenario(scenario_id).slug!r} is archived already", code="already_archived")


def _sources(to: ScenarioStatus) -> list[ScenarioStatus]:
    return [old for old, news in SCENARIO_MOVES.items() if to in news]


def _scenario(scenario_id: UUID | str) -> Scenario:
    row = Scenario.objects.filter(pk=scenario_id).first()
    if row is None:
        raise NotFound(f"there is no scenario with the id {scenario_id}")
    return row


def _content(*, max_turns: int | None, **written: Any) -> ScenarioItem:
    return read_scenario(written | ({} if max_turns is None else {"max_turns": max_turns}))


def _persona(name: str) -> Persona | None:
    row = Persona.objects.filter(name=name).first() if name else None
    if name and row is None:
        raise BadInput(f"there is no persona named {name!r}", code="unknown_persona", pointer="/persona")
    return row


def _named(must_not: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return criterion_names().names_in_expectations(must_not)


def _known_criteria(must_not: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return expectations with the names of their criteria. Raises BadInput `unknown_criterion`. One query."""
    if not must_not:
        return []
    criteria = criterion_names()
    named = criteria.names_in_expectations(must_not)
    for place, one in enumerate(named):
        if one["criterion"] not in criteria.titles:
            message = f"there is no criterion named {one['criterion']!r}: nobody would score it"
            raise BadInput(message, code="unknown_criterion", pointer=f"/must_not/{place}/criterion")
    return named
