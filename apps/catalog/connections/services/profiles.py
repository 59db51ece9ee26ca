"""Profiles: kept as versions, so that a run can say by which one it was judged."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from apps.catalog.connections.models import Agent, ProfileVersion
from apps.core.digest import sha256_hex
from apps.core.errors import NotFound


def store_profile_version(
    *, name: str, document: Mapping[str, Any], agent: str = "", source: str = ""
) -> ProfileVersion:
    """Keep a profile as the next version of this name; the same as the newest one is that version (safe to repeat).

    `agent` is whose profile it is, "" for one that stands for itself. Raises NotFound for the agent. Three queries.
    """
    body = dict(document)
    digest = sha256_hex(body)
    with transaction.atomic():
        owner = Agent.objects.defer("secrets").select_for_update().filter(name=agent).first() if agent else None
        if agent and owner is None:
            raise NotFound(f"there is no agent named {agent!r}", pointer="/agent")
        newest = ProfileVersion.objects.filter(agent=owner, name=name).order_by("-number").first()
        if newest is not None and newest.digest == digest:
            return newest
        return ProfileVersion.objects.create(
            agent=owner,
            name=name,
            number=newest.number + 1 if newest else 1,
            document=body,
            digest=digest,
            source=source[:500],
        )


def record_agent_profile(*, agent_id: UUID | str, source: str) -> None:
    """Store the agent's present profile as a version of its own, named after the agent. Four queries.

    It stores nothing where the profile is empty or unchanged, so it is safe to repeat. All code that writes
    `Agent.profile` calls it.
    """
    row = Agent.objects.only("name", "profile").filter(pk=agent_id).first()
    if row is not None and row.profile:
        store_profile_version(name=row.name, document=row.profile, agent=row.name, source=source)
