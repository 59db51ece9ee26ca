"""Further ways to reach an agent. A secret can be entered and replaced here, never read."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.catalog.admin.admin_actions import add_problem
from apps.catalog.admin.rows import PairsField, SettingsField
from apps.catalog.admin.stored_secrets import take_secrets
from apps.catalog.connections.domain.fields import FIELDS, parse_connection
from apps.catalog.connections.services.agent_connections import check_connection, refuse_production
from apps.catalog.fields import Secrets
from apps.catalog.models import AgentConnection
from apps.core.encryption import EncryptionError
from apps.core.errors import BadInput


class AgentConnectionForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """Secrets as lines `name=value` that are written and never shown again."""

    new_secrets = PairsField(
        separator="=",
        label="Secrets",
        help_text="One a line: name=value. Kept encrypted and never shown. Empty: what is stored stays.",
    )
    forget_secrets = forms.BooleanField(required=False, help_text="Remove every stored secret.")
    options = SettingsField(
        label="Settings of this kind",
        help_text="One a line, name: value, as in a catalog file. Which there are: docs/run.md. No secrets here.",
    )

    class Meta:
        model = AgentConnection
        fields = (
            "agent",
            "kind",
            "purpose",
            "address",
            "options",
            "timeout_s",
            "prompt_field",
            "prompt_header",
            "prompt_form",
        )
        widgets = {"address": UnfoldAdminTextInputWidget}
        labels = {
            "timeout_s": "Timeout, seconds",
            "prompt_field": "Field of the prompt",
            "prompt_header": "Header of the prompt",
            "prompt_form": "What the field holds",
        }
        help_texts = {
            "kind": "For production another one than the agent's own.",
            "purpose": "Staging: a test system of the agent. Prompts that are not live go there, never elsewhere.",
            "prompt_field": "Staging only. A2A: the key in the message's metadata. HTTP and AgentX: the field of the "
            "JSON body; dots lead into objects (config.prompt).",
            "prompt_header": "Staging only. This header of every request holds the version of the prompt.",
            "prompt_form": "The prompt's whole text, or its version where the agent can look the text up.",
            "timeout_s": "How long one answer may take. Empty: the agent's own.",
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        try:
            fields = parse_connection({name: cleaned[name] for name in FIELDS}, cleaned["agent"].kind)
            check_connection(fields)
            refuse_production(fields, agent_id=cleaned["agent"].pk)
        except BadInput as error:
            add_problem(self, error, {})
        take_secrets(
            self,
            field="new_secrets",
            store=self._store_secrets,
            forget=cleaned["forget_secrets"],
            address="address",
        )
        return cleaned

    def _store_secrets(self, entered: dict[str, str]) -> None:
        self.instance.secrets = Secrets(entered)


@admin.register(AgentConnection)
class AgentConnectionAdmin(ModelAdmin):
    """Admin of further connections to agents."""

    form = AgentConnectionForm
    list_display = ("agent", "kind", "purpose", "address", "updated_at")
    list_filter = ("agent", "kind", "purpose")
    search_fields = ("agent__name", "address")
    ordering = ("agent__name", "kind", "purpose")
    list_select_related = ("agent",)
    readonly_fields = ("stored_secrets",)
    fieldsets = (
        (None, {"fields": ("agent", "kind", "purpose", "address", "timeout_s", "options")}),
        ("Prompt of a staging connection", {"fields": ("prompt_field", "prompt_header", "prompt_form")}),
        ("Secrets", {"fields": ("stored_secrets", "new_secrets", "forget_secrets")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AgentConnection]:
        return super().get_queryset(request).defer("secrets", "agent__secrets")  # type: ignore[no-any-return]

    @admin.display(description="stored now")
    def stored_secrets(self, row: AgentConnection) -> str:
        try:
            return ", ".join(sorted(row.secrets or ())) or "none"
        except EncryptionError as error:  # another field key: the page must open, so that they can be entered again
            return str(error)
