"""The case of a conversation: its repeats and later runs share it."""

from collections.abc import Mapping
from typing import Any


def case_of(spec: Mapping[str, Any], external_id: str) -> str:
    """Return the name of a conversation's case. CASE_SQL is the same in SQL.

    It is the golden session that was replayed, or the scenario (or golden session) × persona. A conversation that was
    imported is a case by its own id.
    """
    played = spec.get("golden_session") or spec.get("scenario")
    if not played:
        return external_id
    if spec.get("golden_session") and not spec.get("persona_name"):
        return str(played)
    return f"{played}×{spec.get('persona_name') or ''}"


CASE_SQL = """coalesce(
    nullif(c.spec->>'golden_session', '') || coalesce('×' || nullif(c.spec->>'persona_name', ''), ''),
    nullif(c.spec->>'scenario', '') || '×' || coalesce(c.spec->>'persona_name', ''), c.external_id)"""

# Personas of one scenario, and repeats, say nearly the same about an agent: an interval counts scenarios.
SCENARIO_SQL = """coalesce(nullif(c.spec->>'golden_session', ''), nullif(c.spec->>'scenario', ''), c.external_id)"""
