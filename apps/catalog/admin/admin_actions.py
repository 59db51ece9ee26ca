"""Shared actions of the catalog's admin pages: services called with their errors shown to the person who clicked."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.forms import BaseForm
from django.http import HttpRequest

from apps.catalog.domain import field_readers as checks
from apps.core.errors import BadInput, RatibaError

F = TypeVar("F", bound=Callable[..., Any])


def typed(decorator: Any) -> Callable[[F], F]:
    """Return an untyped decorator of Unfold so that decorated functions keep their types."""
    return cast(Callable[[F], F], decorator)


def each(request: HttpRequest, rows: Iterable[Model], verb: Callable[[Model], object], done: str) -> None:
    """Call a service for every chosen row; say what worked and, one by one, what did not and why."""
    worked: list[str] = []
    for row in rows:
        try:
            verb(row)
            worked.append(str(row))
        except RatibaError as error:
            messages.error(request, error.message)
    if worked:
        messages.success(request, f"{done}: {', '.join(worked)}")


def add_problem(form: BaseForm, error: BadInput, fields: dict[str, str]) -> None:
    """Put a refusal beside the field at fault, without its pointer; `fields` maps the first step of a pointer to a form
    field."""
    first = (error.pointer or "").strip("/").split("/")[0]
    field = fields.get(first, first)
    if field not in form.fields:
        form.add_error(None, error.message)
        return
    message = error.message.removeprefix(error.pointer or "").lstrip(": ")
    form.add_error(field, message[:1].upper() + message[1:])


def clean_language(form: BaseForm) -> str:
    """The form's field `language`, read as in a catalog file. Raises ValidationError."""
    try:
        return checks.language(form.cleaned_data["language"], "/language")
    except BadInput as error:
        raise ValidationError(error.message.removeprefix("/language: ")) from error


def shorten(text: str, length: int = 80) -> str:
    """A long text for a list column."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def username(request: HttpRequest) -> str:
    """Return the name of the signed-in person, in the form that services store."""
    user: Any = request.user
    return str(user.get_username())
