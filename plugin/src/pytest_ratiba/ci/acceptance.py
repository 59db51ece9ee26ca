"""A person's answer to what a commit alters of what decides about it."""

from collections.abc import Mapping
from typing import Any

from pytest_ratiba.ci.scope import ProjectChange
from pytest_ratiba.client import RatibaClient


def accepted_by_a_person(client: RatibaClient, agent: str, change: ProjectChange) -> str | None:
    """The id of an acceptance of everything that this commit alters, exactly as it is; None where there is none."""
    if not change.alters:
        return None
    for one in client.gate_acceptances(agent=agent, commit=change.commit):
        known = {_identity(accepted) for accepted in one["changes"]}
        if all(_identity(altered) in known for altered in change.alters):
            return str(one["id"])
    return None


def _identity(change: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(change.get(key, "")) for key in ("kind", "name", "before", "after", "digest"))
