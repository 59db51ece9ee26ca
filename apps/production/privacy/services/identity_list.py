"""The tenant's identity list: brought in, and read by every masking in the house (apps.core.listed_names)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import DatabaseError, InterfaceError, transaction
from django.db.models.functions import Lower

from apps.core.errors import BadInput
from apps.core.events import bound_fields
from apps.core.models import new_id
from apps.production.privacy.domain.listed_people import MAX_PEOPLE, LineProblem, PersonLine, read_people
from apps.production.privacy.models import ListedPerson
from apps.tenants.connection import connection
from apps.tenants.context import current_schema
from apps.tenants.domain.naming import PUBLIC, SCHEMA, schema_for

FRESH_S = 15.0  # another process masks a new name within so many seconds; this one at once

_read: dict[str, tuple[float, tuple[str, ...]]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleImport:
    """The result of a file: `known` were listed before; `problems` name the lines that were left out."""

    added: int
    known: int
    problems: Sequence[LineProblem]

    def as_json(self) -> dict[str, Any]:
        refused = [{"line": problem.line, "message": problem.message} for problem in self.problems]
        return {"added": self.added, "known": self.known, "refused": refused}


def import_people(*, text: str, dry_run: bool = False) -> PeopleImport:
    """Add the people of a CSV file; lines that cannot be read are named and the others are kept. Nobody is taken off
    the list. Safe to repeat. Two queries. Raises BadInput (`too_large`, `nobody_listed`)."""
    lines, problems = read_people(text)
    listed = set(ListedPerson.objects.annotate(folded=Lower("name")).values_list("folded", flat=True))
    new: dict[str, PersonLine] = {}
    for line in lines:
        if line.name.lower() not in listed:
            new.setdefault(line.name.lower(), line)
    if len(listed) + len(new) > MAX_PEOPLE:
        raise BadInput(f"the list would hold more than {MAX_PEOPLE:,} people", code="too_large", pointer="/file")
    if not dry_run:
        rows = [ListedPerson(pk=new_id(), name=person_line.name, role=person_line.role) for person_line in new.values()]
        ListedPerson.objects.bulk_create(rows, ignore_conflicts=True)
        forget_names()
    return PeopleImport(added=len(new), known=len(lines) - len(new), problems=problems)


def forget_names() -> None:
    """Drop the cached list of this tenant's names, after a change; it is read again when needed."""
    _read.pop(current_schema(), None)


def names_here(may_ask: bool) -> tuple[str, ...]:
    """Return the names of the current tenant, FRESH_S old at most.

    Where nobody may ask now (in a coroutine, a log line, a transaction that failed), those read last. One query each
    FRESH_S and process. Never raises.
    """
    in_a_loop = _in_a_loop()
    schema = _schema_of_the_loop() if in_a_loop else current_schema()
    if not SCHEMA.fullmatch(schema):
        return ()
    at, names = _read.get(schema, (-FRESH_S, ()))
    if not may_ask or monotonic() - at < FRESH_S or in_a_loop or connection.needs_rollback:
        return names
    try:
        names = _names()
    except (DatabaseError, InterfaceError):  # a schema that is being made, a database that is away
        return names
    _read[schema] = (monotonic(), names)
    return names


def _names() -> tuple[str, ...]:
    rows = ListedPerson.objects.order_by("pk").values_list("name", flat=True)[:MAX_PEOPLE]
    if not connection.in_atomic_block:
        return tuple(rows)
    with transaction.atomic():  # a failing query must not end the caller's transaction
        return tuple(rows)


def _schema_of_the_loop() -> str:
    """A coroutine has no connection of its own: the tenant is that of whoever began the loop."""
    tenant = bound_fields().get("tenant")
    return schema_for(tenant) if isinstance(tenant, str) else PUBLIC


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
