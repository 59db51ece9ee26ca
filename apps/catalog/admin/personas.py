"""Personas: who may play and why not."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action, display
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from apps.catalog.admin.admin_actions import each, shorten, typed, username
from apps.catalog.admin.files import WithFiles
from apps.catalog.domain.persona_rules import PERSONA_CRITERIA
from apps.catalog.domain.states import PersonaStatus
from apps.catalog.models import Persona
from apps.catalog.services import approve_override, archive, record_validation, release, resubmit
from apps.catalog.services.personas import MAX_REASON
from apps.core.errors import RatibaError
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

PERSONA_COLOURS = {
    "pending_validation": "info",
    "validated": "success",
    "rejected": "danger",
    "approved_override": "warning",
    "archived": "",
}


def _score_field(name: str) -> forms.FloatField:
    return forms.FloatField(
        required=False,
        label=name.capitalize(),
        min_value=1,
        max_value=10,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal"}),
        help_text="1 to 10. All three together decide: their mean reaches the tenant's threshold, or it is rejected."
        if name == PERSONA_CRITERIA[0]
        else "",
    )


class PersonaForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The text, and where it waits for validation a person's three scores."""

    class Meta:
        model = Persona
        fields = ("name", "language", "text", "rejection_reason")
        help_texts = {
            "name": "What runs and results call it.",
            "language": "en, sw, it, or mixed for Swahili and English in one sentence.",
            "text": "Who they are, how they write, what they insist on. The simulator plays exactly this.",
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        given = [name for name in PERSONA_CRITERIA if cleaned.get(name) is not None]
        if given and len(given) < len(PERSONA_CRITERIA):
            missing = next(name for name in PERSONA_CRITERIA if name not in given)
            self.add_error(missing, "Give all three scores, or none.")
        return cleaned


PersonaForm.declared_fields["approve_because"] = forms.CharField(
    required=False,
    max_length=MAX_REASON,
    label="Why it may play all the same",
    widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
    help_text="Kept with your name; what it was rejected for stays beside it.",
)
PersonaForm.declared_fields |= {name: _score_field(name) for name in PERSONA_CRITERIA}


@admin.register(Persona)
class PersonaAdmin(WithFiles, ModelAdmin):
    """The list of personas: whether each may play in a battle, and the validator's reason where it may not."""

    list_display = ("name", "text_start", "language", "state", "may_play", "validated_at", "rejection")
    list_filter = ("status", "language")
    search_fields = ("name", "text", "rejection_reason")
    ordering = ("name",)
    yaml_section = "personas"
    actions = ("download_yaml", "release_chosen", "validate_again", "archive_chosen")
    form = PersonaForm
    readonly_fields = ("status", "validated_at", "rejection_reason")

    @typed(display(description="status", label=PERSONA_COLOURS, ordering="status"))
    def state(self, row: Persona) -> tuple[str, str]:
        return row.status, row.get_status_display()

    @admin.display(description="may play", boolean=True)
    def may_play(self, row: Persona) -> bool:
        return bool(row.may_play)

    @admin.display(description="scores")
    def validated_at(self, row: Persona) -> str:
        return ", ".join(f"{name} {score:g}" for name, score in sorted(row.scores.items())) or "–"

    @admin.display(description="rejected because")
    def rejection(self, row: Persona) -> str:
        return shorten(row.rejection_reason) or "–"

    @admin.display(description="text")
    def text_start(self, row: Persona) -> str:
        return shorten(row.text)

    def get_fieldsets(self, request: HttpRequest, obj: Persona | None = None) -> Any:
        """Scores can be given while it waits for them; afterwards they are history."""
        whole = ("name", "language", "text", *(("status", "validated_at", "rejection_reason") if obj else ()))
        waits = obj is not None and obj.status == PersonaStatus.PENDING_VALIDATION
        judged = ("Validate it yourself", {"fields": PERSONA_CRITERIA})
        rejected = obj is not None and obj.status == PersonaStatus.REJECTED
        approved = ("Approve it all the same", {"fields": ("approve_because",)})
        return ((None, {"fields": whole}), *((judged,) if waits else ()), *((approved,) if rejected else ()))

    def get_readonly_fields(self, request: HttpRequest, obj: Persona | None = None) -> tuple[str, ...]:
        archived = obj is not None and obj.status == PersonaStatus.ARCHIVED
        return (*self.readonly_fields, *(("name",) if obj else ()), *(("language", "text") if archived else ()))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            super().save_model(request, obj, form, change)
        elif {"text", "language"} & set(form.changed_data):
            resubmit(persona_id=obj.pk, text=obj.text, language=obj.language)
        elif why := form.cleaned_data.get("approve_because"):
            approve_override(persona_id=obj.pk, by=username(request), reason=why, now=timezone.now())
            messages.info(request, f"{obj} may play now: approved by {username(request)}.")
        scores = {name: form.cleaned_data.get(name) for name in PERSONA_CRITERIA}
        if change and None not in scores.values():
            self._validate(request, obj, scores)

    def _validate(self, request: HttpRequest, obj: Persona, scores: Any) -> None:
        threshold = workflow_config(current_slug()).persona_threshold
        reason = f"scored by {username(request)}"
        try:
            verdict = record_validation(
                persona_id=obj.pk, scores=scores, threshold=threshold, reason=reason, text=obj.text
            )
            messages.info(request, f"{obj} is {verdict.status.value}: the threshold is {threshold:g}.")
        except RatibaError as error:
            messages.error(request, error.message)

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
