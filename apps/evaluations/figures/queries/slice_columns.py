"""The columns that divide conversations into slices, as SQL of the tables c (conversation) and e (evaluation)."""

from collections.abc import Mapping

from apps.runs.prompt_of_conversation import prompt_sql

NAMES = ("persona", "language", "prompt_version", "kind", "scenario")


def slice_columns() -> Mapping[str, str]:
    """Return SQL by dimension; "" is nobody's slice. A conversation that repeats nothing is of no scenario."""
    return {
        "persona": "coalesce(c.spec->>'persona_name', '')",
        "language": "c.language",
        "prompt_version": prompt_sql(),
        "kind": "c.kind",
        "scenario": "coalesce(nullif(c.spec->>'golden_session', ''), c.spec->>'scenario', '')",
    }


def slices_selected() -> str:
    """Return the slices as columns of a statement, in the order of NAMES."""
    return ", ".join(f"{sql} AS {name}" for name, sql in slice_columns().items())
