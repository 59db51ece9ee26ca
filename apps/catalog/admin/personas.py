"""Personas: who may play and why not."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action

from apps.catalog.admin.admin_actions import each, typed, username
from apps.catalog.admin.files import WithFiles
from apps.catalog.admin.persona_form import SECTIONS, PersonaForm
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import Persona
from apps.catalog.personas.services.releasing import archive, create_persona, release, resubmit


class PersonaAdmin(WithFiles, ModelAdmin):
    """The list of personas and the form of their words. Registered by the dashboard, which adds their record; what is
    decided about one (its scores, override, release) is decided on its own page."""

    search_fields = ("name", "text", "rejection_reason", "override_reason")
    ordering = ("name",)
    yaml_section = "personas"
    actions = ("download_yaml", "release_chosen", "validate_again", "archive_chosen")
    form = PersonaForm
    change_form_outer_before_template = "catalog/admin/persona_doors.html"

    def get_fieldsets(self, request: HttpRequest, obj: Persona | None = None) -> Any:
        whole: tuple[Any, ...] = ((None, {"fields": ("name", "language", "text")}),)
        archived = obj is not None and obj.status == PersonaStatus.ARCHIVED
        return whole if archived else (*whole, *((title, {"fields": fields}) for title, fields in SECTIONS))

    def get_readonly_fields(self, request: HttpRequest, obj: Persona | None = None) -> tuple[str, ...]:
        archived = obj is not None and obj.status == PersonaStatus.ARCHIVED
        return (*(("name",) if obj else ()), *(("language", "text") if archived else ()))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Create a persona or resubmit an edited one: both wait for validation. Saves nothing else."""
        if not change:
            obj.pk = create_persona(name=obj.name, text=obj.text, language=obj.language, spec=obj.spec)
        elif form.edited():
            resubmit(persona_id=obj.pk, text=obj.text, language=obj.language, spec=obj.spec)
            messages.info(request, f"{obj} waits for its validation again: its scores belonged to the earlier words.")

    def has_delete_permission(self, request: HttpRequest, obj: Persona | None = None) -> bool:
        return False  # archived instead: what it played stays explained

    @typed(action(description="Release for battles", permissions=["change"]))
    def release_chosen(self, request: HttpRequest, queryset: QuerySet[Persona]) -> None:
        by, now = username(request), timezone.now()
        each(request, queryset, lambda row: release(persona_id=row.pk, by=by, now=now), "Released")

    @typed(action(description="Validate again", permissions=["change"]))
    def validate_again(self, request: HttpRequest, queryset: QuerySet[Persona]) -> None:
        each(request, queryset, lambda row: resubmit(persona_id=row.pk), "Waiting for validation")

    @typed(action(description="Archive for good", permissions=["change"]))
    def archive_chosen(self, request: HttpRequest, queryset: QuerySet[Persona]) -> None:
        each(request, queryset, lambda row: archive(persona_id=row.pk), "Archived")
