"""Shared parts of forms whose secrets are written and never shown."""

from collections.abc import Callable
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminPasswordWidget

from apps.catalog.connections.domain.secret_destinations import enter_again
from apps.catalog.connections.services.moved_secrets import other_servers


def secret_field(label: str, what: str = "") -> forms.CharField:
    """Return the field that a secret is typed into; `what` is a sentence about it."""
    return forms.CharField(
        required=False,
        label=label,
        strip=True,
        max_length=2000,
        widget=UnfoldAdminPasswordWidget(render_value=False),
        help_text=f"{what} Kept encrypted and never shown. Empty: what is stored stays.".strip(),
    )


def take_secrets(
    form: "forms.ModelForm[Any]", *, field: str, store: Callable[[Any], None], forget: bool, address: str
) -> None:
    """Hand what was entered in `field` to `store`, which replaces the stored secrets; with `forget` they are removed.
    Where neither is wanted and the row goes to another server, they must be entered again: an error at `field`. A form
    with errors stores nothing; `address` is the field that says where the row goes."""
    if form.errors:
        return
    entered = form.cleaned_data[field]
    if forget or entered:
        store(entered)
        return
    cleaned = form.cleaned_data
    if servers := other_servers(form.instance, address=cleaned[address], options=cleaned["options"]):
        form.add_error(field, enter_again(servers))
