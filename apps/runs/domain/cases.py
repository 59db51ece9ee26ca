"""What a conversation is a trial of: the case that repeats and later runs share."""

from collections.abc import Mapping
from typing import Any


def case_of(spec: Mapping[str, Any], external_id: str) -> str:
    """The golden session, or scenario × persona, that was played; what was imported is a case by its own id.

    The same in SQL: CASE_SQL.
    """
    if spec.get("golden_session"):
        return str(spec["golden_session"])
    if spec.get("scenario"):
        return f"{spec['scenario']}×{spec.get('persona_name') or ''}"
    return external_id


CASE_SQL = """coalesce(nullif(c.spec->>'golden_session', ''),
    nullif(c.spec->>'scenario', '') || '×' || coalesce(c.spec->>'persona_name', ''), c.external_id)"""

# Personas of one scenario, and repeats, say nearly the same about an agent: an interval counts scenarios.
SCENARIO_SQL = """coalesce(nullif(c.spec->>'golden_session', ''), nullif(c.spec->>'scenario', ''), c.external_id)"""
