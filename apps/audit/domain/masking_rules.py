"""Mask a column's words when they leave the house and at rest, as the list of columns says. Pure."""

from collections.abc import Collection, Mapping
from typing import Any

from apps.audit.domain.personal_columns import (
    IDENTIFIERS,
    MASKED_AT_REST,
    NEVER_LEAVES,
    NOT_PERSONAL,
    PERSONAL,
    TO_THE_LETTER,
)
from apps.core.document_masking import masked_json
from apps.core.redaction import redact_value

OURS = "ours"  # no column's: what the house itself says, an id, a state, a sentence of its own


def check_exportable(column: str) -> None:
    """Raise ValueError unless this `table.column` stands on the list and may leave the house."""
    table, _, name = column.partition(".")
    if name not in PERSONAL.get(table, frozenset()) | NOT_PERSONAL.get(table, frozenset()):
        raise ValueError(f"{column} stands on no list: decide in apps/audit/domain/personal_columns.py")
    if name in NEVER_LEAVES.get(table, frozenset()):
        raise ValueError(f"{column} never leaves the house (apps/audit/domain/personal_columns.py)")


def masks_in_file(table: str, column: str) -> bool:
    """Tell whether a file for the tenant's own people holds this column masked.

    People's words are, also in a column that no list knows; ids and the team's own texts stay to the letter.
    """
    to_the_letter = NOT_PERSONAL.get(table, frozenset()) | TO_THE_LETTER.get(table, frozenset())
    return column not in to_the_letter and (table, column) not in IDENTIFIERS


def in_file(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a row as exported files hold them: masked, or None if they never leave."""
    never = NEVER_LEAVES.get(table, frozenset())
    return {
        name: None if name in never else redact_value(value) if masks_in_file(table, name) else value
        for name, value in values.items()
    }


def at_rest(table: str, values: Mapping[str, Any], *, masked: bool = True) -> dict[str, Any]:
    """The columns of a row as they are stored: where `masked`, those that the list masks at rest, and the others as
    they are. Masking twice changes nothing."""
    masked_columns = MASKED_AT_REST[table] if masked else {}
    return {
        name: masked_json(value, kept=masked_columns[name]) if name in masked_columns else value
        for name, value in values.items()
    }


def for_others(table: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a row as another system gets them.

    A column that may hold a person's words is masked, names of rows too, and a text that no list knows; one that never
    leaves is None.
    """
    never, ours = NEVER_LEAVES.get(table, frozenset()), NOT_PERSONAL.get(table, frozenset())
    return {
        name: None if name in never else redact_value(value) if _may_hold_words(name, value, ours) else value
        for name, value in values.items()
    }


def _may_hold_words(name: str, value: Any, ours: Collection[str]) -> bool:
    """Numbers, times and ids of rows are on no list, and hold none."""
    return name not in ours and isinstance(value, str | dict | list)
