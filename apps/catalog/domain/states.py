"""The closed lists of the catalog, and which state may follow which."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

S = TypeVar("S", bound=StrEnum)


class VersionStatus(StrEnum):
    """State of an evaluator config version. The active one is the highest published number."""

    DRAFT = "draft"
    PUBLISHED = "published"
    RETIRED = "retired"


class PersonaStatus(StrEnum):
    """State of a persona; personas.domain.rules.why_not_eligible says which of them may play."""

    PENDING_VALIDATION = "pending_validation"
    VALIDATED = "validated"
    REJECTED = "rejected"
    APPROVED_OVERRIDE = "approved_override"
    ARCHIVED = "archived"


class PersonaOrigin(StrEnum):
    """Origin of a persona; it stays."""

    HAND = "hand"
    FILE = "file"
    GENERATED = "generated"


PRODUCTION = "production"  # the origin of a scenario that a real customer's conversation became


class ConnectionPurpose(StrEnum):
    """The purpose of an agent's connection: real customers, or trying prompts that are not live."""

    PRODUCTION = "production"
    STAGING = "staging"


class ScenarioStatus(StrEnum):
    """State of a scenario.

    Only a released one is played; a candidate came from a real conversation and waits for a person, a draft is being
    written, an archived one stays for the results that name it.
    """

    DRAFT = "draft"
    CANDIDATE = "candidate"
    RELEASED = "released"
    ARCHIVED = "archived"


class CriterionKind(StrEnum):
    CORE = "core"
    DOMAIN = "domain"


class AgentKind(StrEnum):
    """Kind of connection to an agent: there is a connector for each (apps.connectors.agents.registry)."""

    A2A = "a2a"
    AGENTX = "agentx"
    HTTP = "http"
    PROMPTED = "prompted"
    PULLED = "pulled"
    SCRIPTED = "scripted"


class GoldenStatus(StrEnum):
    """State of a version of a golden session.

    The current one is the highest approved number; candidates wait for a curator.
    """

    CANDIDATE = "candidate"
    APPROVED = "approved"
    RETIRED = "retired"


LANGUAGES = ("en", "sw", "it")

VERSION_MOVES: dict[VersionStatus, frozenset[VersionStatus]] = {
    VersionStatus.DRAFT: frozenset({VersionStatus.PUBLISHED}),
    VersionStatus.PUBLISHED: frozenset({VersionStatus.RETIRED}),
    VersionStatus.RETIRED: frozenset(),
}

GOLDEN_MOVES: dict[GoldenStatus, frozenset[GoldenStatus]] = {
    GoldenStatus.CANDIDATE: frozenset({GoldenStatus.APPROVED, GoldenStatus.RETIRED}),
    GoldenStatus.APPROVED: frozenset({GoldenStatus.RETIRED}),
    GoldenStatus.RETIRED: frozenset(),
}

# An archived scenario may come back: a person lets it play again.
SCENARIO_MOVES: dict[ScenarioStatus, frozenset[ScenarioStatus]] = {
    ScenarioStatus.DRAFT: frozenset({ScenarioStatus.RELEASED, ScenarioStatus.ARCHIVED}),
    ScenarioStatus.CANDIDATE: frozenset({ScenarioStatus.RELEASED, ScenarioStatus.ARCHIVED}),
    ScenarioStatus.RELEASED: frozenset({ScenarioStatus.ARCHIVED}),
    ScenarioStatus.ARCHIVED: frozenset({ScenarioStatus.RELEASED}),
}

# seeds: a rejected persona is approved by hand, edited and resubmitted, or archived for good; an edited one is
# always validated again.
PERSONA_MOVES: dict[PersonaStatus, frozenset[PersonaStatus]] = {
    PersonaStatus.PENDING_VALIDATION: frozenset(
        {PersonaStatus.VALIDATED, PersonaStatus.REJECTED, PersonaStatus.ARCHIVED}
    ),
    PersonaStatus.VALIDATED: frozenset({PersonaStatus.PENDING_VALIDATION, PersonaStatus.ARCHIVED}),
    PersonaStatus.REJECTED: frozenset(
        {PersonaStatus.APPROVED_OVERRIDE, PersonaStatus.PENDING_VALIDATION, PersonaStatus.ARCHIVED}
    ),
    PersonaStatus.APPROVED_OVERRIDE: frozenset({PersonaStatus.PENDING_VALIDATION, PersonaStatus.ARCHIVED}),
    PersonaStatus.ARCHIVED: frozenset(),
}


def pairs(moves: Mapping[S, frozenset[S]]) -> list[tuple[str, str]]:
    """All allowed moves, sorted: what the database trigger is made of."""
    return sorted((old.value, new.value) for old, news in moves.items() for new in news)
