"""Find the rights that a catalog's import needs, by its sections. A file is no way around a role or a scope. Pure."""

from collections.abc import Container

from apps.tenants.domain.rights import Person, Right, may
from apps.tenants.domain.roles import KeyScope

_RIGHTS = {
    "criteria": Right.WRITE_CATALOG,
    "evaluator_configs": Right.EDIT_CONFIGS,
    "personas": Right.WRITE_CATALOG,
    "scenarios": Right.WRITE_CATALOG,
    "agents": Right.WRITE_CONNECTIONS,
    "model_providers": Right.WRITE_CONNECTIONS,
    "prompts": Right.WRITE_CATALOG,
}


def sections_refused(
    created: Container[str], updated: Container[str], who: Person | frozenset[KeyScope]
) -> dict[str, Right]:
    """The right that is lacking, by section in words, of what was created and updated."""
    return {
        section.replace("_", " "): right
        for section, right in _RIGHTS.items()
        if (section in created or section in updated) and not may(who, right)
    }
