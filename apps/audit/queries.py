"""Questions about the trail."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.db.models import Model, Q

from apps.audit.models import Entry

# Tables between two others have no name of their own that people know.
_BETWEEN = {
    "auth_user_groups": "role of a user",
    "auth_user_user_permissions": "permission of a user",
    "auth_group_permissions": "permission of a group",
}
_SHOWN = 200


@lru_cache(maxsize=1)
def models_by_table() -> Mapping[str, type[Model]]:
    """Every table's model."""
    return {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}


def kind_of(table: str) -> str:
    """The name for a row of this table: `agent`, `evaluator config version`."""
    model = models_by_table().get(table)
    return _BETWEEN.get(table) or (str(model._meta.verbose_name) if model else table)


def changes_of(row: Model) -> list[Entry]:
    """The last 200 entries about this row, newest first; a person's roles and a group's permissions are theirs too.

    One query, by index but for people.
    """
    name = row._meta.model_name
    about = Q(table_name=row._meta.db_table, object_id=str(row.pk))
    if name in ("user", "group"):
        between = Q(table_name__in=[table for table in _BETWEEN if table.startswith(f"auth_{name}_")])
        about |= between & (Q(**{f"before__{name}_id": row.pk}) | Q(**{f"after__{name}_id": row.pk}))
    return list(Entry.objects.filter(about).order_by("-id")[:_SHOWN])


def text_of(table: str, column: str, value: Any) -> str | None:
    """The name of the row that a foreign key points to, where it is still there; None for other columns. One query."""
    model = models_by_table().get(table)
    if model is None or value is None or not column.endswith("_id"):
        return None
    fields = {field.column: field for field in model._meta.concrete_fields}
    field = fields.get(column)
    if field is None or field.related_model is None or isinstance(field.related_model, str):
        return None
    related = field.related_model._default_manager.filter(pk=value).first()
    return str(related) if related is not None else None
