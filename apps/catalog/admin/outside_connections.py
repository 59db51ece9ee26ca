"""Shared parts of forms and pages for rows with an outside connection."""

from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from apps.catalog.connections.services.outside_connections import fill_connection
from apps.catalog.models import OutsideConnection
from apps.core.errors import BadInput


class OutsideConnectionForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """Form of a row whose `connection` is of `outside_kind`.

    The address is in the field `address_field`, each option in a field of its name, each secret in `new_<name>`.
    """

    outside_kind: ClassVar[str]
    address_field: ClassVar[str]
    option_fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.connection:
            stored = {self.address_field: self.instance.connection.address, **self.instance.connection.options}
            self.initial = {**stored, **self.initial}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.address_field not in cleaned:
            return cleaned
        row = self.instance.connection or OutsideConnection(kind=self.outside_kind)
        options = {name: cleaned.get(name, "") for name in self.option_fields}
        secrets = {name[4:]: entered for name, entered in cleaned.items() if name.startswith("new_")}
        try:
            fill_connection(row, address=cleaned[self.address_field], options=options, secrets=secrets)
        except BadInput as error:
            part, _, name = (error.pointer or "").strip("/").partition("/")
            field = {"address": self.address_field, "secrets": f"new_{name}"}.get(part, name)
            if field not in self.errors:
                self.add_error(field, error.message)
        self.instance.connection = row
        return cleaned


class OutsideConnectionAdmin(ModelAdmin):
    """Saves the connection with its row."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        obj.connection.save()
        super().save_model(request, obj, form, change)
