"""The trail of one row, for its history page."""

from typing import Any

from django import template
from django.db.models import Model

from apps.audit.domain.comparing import changed_fields
from apps.audit.models import Entry
from apps.audit.queries import changes_of, kind_of

register = template.Library()


@register.simple_tag
def trail_of(row: Any) -> list[Entry]:
    """The last 200 changes of this row, newest first. One query."""
    return changes_of(row) if isinstance(row, Model) else []


@register.filter
def kind(entry: Entry) -> str:
    return kind_of(entry.table_name)


@register.filter
def moved(entry: Entry) -> str:
    """The names of the columns that moved."""
    return ", ".join(changed_fields(entry.before, entry.after))
