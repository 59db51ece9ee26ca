"""Prompt versions: kept as they were, so they are read here and not rewritten."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from apps.catalog.admin.admin_actions import shorten
from apps.catalog.models import PromptVersion
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.core.errors import BadInput, Conflict


class PromptForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """A prompt as it is in use: its version's name is made of name and revision."""

    revision = forms.CharField(
        required=False,
        max_length=40,
        widget=UnfoldAdminTextInputWidget,
        help_text="The commit it is of, a1b2c3d. Empty: a digest of the text.",
    )
    draft = forms.BooleanField(
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text="Record it without playing it: the version that is live stays so.",
    )
    recorded: dict[str, Any]

    class Meta:
        model = PromptVersion
        fields = ("name", "text")
        widgets = {"name": UnfoldAdminTextInputWidget, "text": UnfoldAdminTextareaWidget}
        help_texts = {"name": "The agent's name: its runs then keep the live prompt of it."}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        self.recorded = {name: cleaned[name] for name in ("name", "text", "revision", "draft")}
        try:
            with transaction.atomic():
                record_prompt_text(**self.recorded)
        except (BadInput, Conflict) as error:
            raise forms.ValidationError(error.message) from error
        return cleaned


@admin.register(PromptVersion)
class PromptVersionAdmin(ModelAdmin):
    """Admin of prompt versions, each named after the commit that last changed it."""

    list_display = ("version", "name", "start", "path", "created_at")
    list_filter = ("name",)
    search_fields = ("version", "name", "text")
    ordering = ("name", "-created_at")

    @admin.display(description="begins")
    def start(self, row: PromptVersion) -> str:
        return shorten(row.text)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs) if obj else PromptForm

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return super().get_fields(request, obj) if obj else ("name", "revision", "draft", "text")

    def save_model(self, request: HttpRequest, obj: PromptVersion, form: Any, change: bool) -> None:
        """Stored by the service, which names it; the form has checked that it can be."""
        version = record_prompt_text(**form.recorded, by=request.user.get_username())
        obj.pk = PromptVersion.objects.get(version=version).pk
        obj.version = version

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        """Open the prompt's page: text, versions and changes. The page asks who may open it."""
        return redirect("prompt", object_id)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"name": request.GET.get("name", "")}

    def response_add(self, request: HttpRequest, obj: PromptVersion, post_url_continue: str | None = None) -> Any:
        messages.success(request, f"{obj.version} is recorded{' as a draft' if request.POST.get('draft') else ''}.")
        return redirect("prompt", obj.pk)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
