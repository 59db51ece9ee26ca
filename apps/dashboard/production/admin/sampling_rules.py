"""Admin of sampling rules: which real conversations are judged, how many of them, and by whom."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.catalog.configs.queries.versions import find_version
from apps.core.errors import RatibaError
from apps.production.models import SampledConversation, SamplingRule

_TEXTS = ("name", "channel", "language", "prompt_version", "evaluator_config")


class SamplingRuleForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    class Meta:
        model = SamplingRule
        fields = (
            "name",
            "enabled",
            "agent",
            "language",
            "channel",
            "prompt_version",
            "rate",
            "evaluator_config",
        )
        widgets = {name: UnfoldAdminTextInputWidget for name in _TEXTS}
        help_texts = {
            "agent": "Empty: of every agent.",
            "language": "Like sw. Empty: every language.",
            "channel": "As it is posted. Empty: every channel.",
            "prompt_version": "Like booking@a1b2c3d. Empty: every version.",
            "rate": "0 to 1 of what settles every six hours. Empty: the share of the tenant's settings.",
            "evaluator_config": "A name, whose active version judges, or name@version.",
        }

    def clean_language(self) -> str:
        return str(self.cleaned_data["language"]).strip().split("-")[0].casefold()

    def clean_evaluator_config(self) -> str:
        ref = str(self.cleaned_data["evaluator_config"]).strip()
        try:
            find_version(ref)
        except RatibaError as error:
            raise forms.ValidationError(error.message) from error
        return ref


@admin.register(SamplingRule)
class SamplingRuleAdmin(ModelAdmin):
    """Changes count from the next window on, and stand in the audit trail."""

    form = SamplingRuleForm
    list_display = ("name", "enabled", "what", "rate", "evaluator_config", "due_at")
    search_fields = ("name", "evaluator_config")
    list_select_related = ("agent",)

    @admin.display(description="of")
    def what(self, row: SamplingRule) -> str:
        parts = (row.agent.name if row.agent else "", row.language, row.channel, row.prompt_version)
        return ", ".join(filter(None, parts)) or "everything"

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse to delete a rule that drew conversations, because its trend stays: switch the rule off instead."""
        drew = obj is not None and (obj.draws.exists() or SampledConversation.objects.filter(rule=obj).exists())
        return super().has_delete_permission(request, obj) and obj is not None and not drew
