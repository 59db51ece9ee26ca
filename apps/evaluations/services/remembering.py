"""What a process remembers of a config and the models in force, for the database to check in the statement that acts.

Nothing here is believed: whoever uses a memory puts `STILL_SO` into the statement that writes, which then writes
nothing where any of it has changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.catalog.queries import is_settled
from apps.core.prepared import ask_prepared
from apps.evaluations.services.creating import choose
from apps.evaluations.services.second_judges import Chosen
from apps.tenants.context import current_schema, in_known_tenant
from apps.tenants.queries import find_tenant

KEPT = 500
_remembered: dict[tuple[str, str], "Remembered"] = {}  # by schema and what was asked for

# Every row that can change the choice: the providers of models, and the tenant's settings. A row that is written again
# has another xmin, or another place.
_WITNESS = """
(SELECT coalesce(string_agg(p.xmin::text || p.ctid::text, ' ' ORDER BY p.name), '') FROM catalog_modelprovider p)
|| '; ' || (SELECT t.xmin::text || t.ctid::text FROM public.tenants_tenant t WHERE t.schema_name = %(schema)s::text)
"""
_ASK_WITNESS = f"SELECT {_WITNESS}"
STILL_SO = f"""
(SELECT v.id FROM catalog_evaluatorconfigversion v JOIN catalog_evaluatorconfig c ON c.id = v.config_id
  WHERE c.name = %(config)s::text AND CASE WHEN %(number)s::integer IS NULL THEN v.status = 'published'
    ELSE v.number = %(number)s::integer AND v.status <> 'draft' END
  ORDER BY v.number DESC LIMIT 1) = %(version)s::uuid
AND (SELECT count(*) FROM catalog_criterion k WHERE k.name = ANY(%(criteria)s::text[]))
  = cardinality(%(criteria)s::text[])
AND {_WITNESS} = %(witness)s::text
"""  # noqa: S608 - our own words


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """A choice, and the parameters of STILL_SO."""

    chosen: Chosen
    facts: Mapping[str, Any]


def remember(config: str) -> Remembered:
    """What `config` stood for when it was last asked; asked now where nothing is remembered (some six queries, none
    else). Raises as `choose` does."""
    schema = current_schema()
    known = _remembered.get((schema, config))
    if known is not None:
        return known
    witness = ask_prepared(_ASK_WITNESS, {"schema": schema}, schema=schema)  # before: what changes now is noticed later
    with in_known_tenant(find_tenant(schema)):  # the request's own may be a second old
        chosen = choose(config)
    name, at, number = config.rpartition("@")
    facts = {
        "schema": schema,
        "config": name if at else config,
        "number": number if at else None,
        "version": chosen.snapshot.version_id,
        "criteria": [criterion.name for criterion in chosen.snapshot.criteria],
        "witness": witness[0] if witness else "",
    }
    found = Remembered(chosen=chosen, facts=facts)
    if is_settled(chosen.snapshot.version_id):
        if len(_remembered) >= KEPT:
            _remembered.clear()
        _remembered[schema, config] = found
    return found


def forget(config: str) -> None:
    """Something has changed, or may have."""
    _remembered.pop((current_schema(), config), None)
