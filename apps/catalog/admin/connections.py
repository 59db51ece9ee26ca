"""Agents and model providers. A secret can be entered and replaced here, never read."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.http import HttpRequest
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from apps.catalog.admin.admin_actions import add_problem, shorten
from apps.catalog.admin.files import WithFiles
from apps.catalog.admin.rows import LinesField, PairsField, SettingsField
from apps.catalog.admin.stored_secrets import take_secrets
from apps.catalog.connections.domain.declared_prices import declared_prices
from apps.catalog.connections.domain.profile import IDENTITY, parse_profile
from apps.catalog.connections.domain.secret_names import refuse_secrets
from apps.catalog.connections.services.outbound_policies import check_agent, check_base_url
from apps.catalog.connections.services.profiles import record_agent_profile
from apps.catalog.domain.states import AgentKind
from apps.catalog.fields import Secret, Secrets
from apps.catalog.models import Agent, ModelProvider
from apps.connectors.agents.base import AgentSpec
from apps.connectors.llms.options import MAX_TIMEOUT_S, check_options
from apps.core.encryption import EncryptionError
from apps.core.errors import BadInput

KIND_WORDS = {
    "a2a": "A2A",
    "agentx": "Pega AgentX",
    "http": "HTTP",
    "pulled": "a runner that asks for its turns",
    "scripted": "a script (no network)",
}


class AgentForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The profile as fields; secrets as lines `name=value` that are written and never shown again."""

    new_secrets = PairsField(
        separator="=",
        label="Secrets",
        help_text="One a line: name=value. Kept encrypted and never shown. Empty: what is stored stays.",
    )
    forget_secrets = forms.BooleanField(required=False, help_text="Remove every stored secret.")
    stages = LinesField(label="Workflow stages", help_text="One a line, in order.")
    workflow_description = forms.CharField(
        required=False, label="Workflow", widget=UnfoldAdminTextareaWidget(attrs={"rows": 3})
    )
    known_facts = LinesField(help_text="One a line: what is true, and may be said.")
    options = SettingsField(
        label="Settings of this kind",
        help_text="One a line, name: value, as in a catalog file. Which there are: docs/run.md. No secrets here.",
    )
    tool_patterns = PairsField(separator=" => ", help_text="One a line: regular expression => tool name.")

    class Meta:
        model = Agent
        fields = ("name", "kind", "address", "options", "timeout_s", "stagger_min_s", "stagger_max_s", "max_concurrent")
        labels = {
            "kind": "Reached by",
            "timeout_s": "Timeout, seconds",
            "stagger_min_s": "Wait between battles, from (s)",
            "stagger_max_s": "to (s)",
            "max_concurrent": "Conversations at once",
        }
        help_texts = {
            "name": "What runs and results call it.",
            "address": "An A2A agent's base URL or card, an HTTP agent's endpoint, a Pega's prefix before /ai-agents.",
            "timeout_s": "How long one answer may take before the conversation counts as not answered.",
            "max_concurrent": "At most, over all workers. Empty: as many as the tenant.",
            "stagger_min_s": "So that battles do not all begin at once. Empty: the tenant's own.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "kind" in self.fields:
            self.fields["kind"].choices = [(value, KIND_WORDS.get(value, value)) for value in AgentKind]  # type: ignore[attr-defined]  # a choice field
        profile = self.instance.profile or {}
        workflow = profile.get("workflow", {})
        self.fields["stages"].initial = workflow.get("stages", [])
        self.fields["workflow_description"].initial = workflow.get("description", "")
        self.fields["known_facts"].initial = profile.get("hallucination_context", [])
        patterns = profile.get("tool_patterns", [])
        self.fields["tool_patterns"].initial = [f"{entry['pattern']} => {entry['tool']}" for entry in patterns]
        for key in IDENTITY:
            self.fields[f"identity_{key}"].initial = profile.get("agent_identity", {}).get(key, "")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        if not 0 < cleaned["timeout_s"] <= MAX_TIMEOUT_S:
            self.add_error("timeout_s", f"Up to {MAX_TIMEOUT_S} seconds: no worker's task holds a longer answer.")
        if (cleaned["stagger_min_s"] is None) != (cleaned["stagger_max_s"] is None):
            self.add_error("stagger_max_s", "Give both ends of the range, or neither for the tenant's own.")
        elif cleaned["stagger_min_s"] is not None and cleaned["stagger_min_s"] > cleaned["stagger_max_s"]:
            self.add_error("stagger_max_s", "The shortest wait is longer than the longest.")
        raw = {
            **(self.instance.profile or {}),  # what has no field here stays
            "agent_identity": {key: cleaned[f"identity_{key}"] for key in IDENTITY if cleaned[f"identity_{key}"]},
            "workflow": {"description": cleaned["workflow_description"], "stages": cleaned["stages"]},
            "hallucination_context": cleaned["known_facts"],
            "tool_patterns": [{"pattern": left, "tool": right} for left, right in cleaned["tool_patterns"]],
        }
        try:
            refuse_secrets(cleaned["options"], "/options")
            check_agent(AgentSpec(kind=cleaned["kind"], address=cleaned["address"], options=cleaned["options"]))
            self.instance.profile = parse_profile(raw)
        except BadInput as error:
            at = (error.pointer or "").split("/")
            section = at[2] if len(at) > 2 else "stages"
            add_problem(self, error, {"profile": {"hallucination_context": "known_facts"}.get(section, section)})
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


AgentForm.declared_fields |= {  # as if each were written out in the class
    f"identity_{key}": forms.CharField(
        required=False, label=key.replace("_", " ").capitalize(), widget=UnfoldAdminTextInputWidget
    )
    for key in IDENTITY
}


@admin.register(Agent)
class AgentAdmin(WithFiles, ModelAdmin):
    """Admin of agents, with the way to reach each of them."""

    form = AgentForm
    change_form_outer_before_template = "catalog/admin/agent_doors.html"
    yaml_section = "agents"
    actions = ("download_yaml",)
    list_display = ("name", "reached_by", "where", "role", "next_steps")
    list_filter = ("kind",)
    search_fields = ("name", "address")
    ordering = ("name",)
    readonly_fields = ("stored_secrets",)
    fieldsets = (
        (
            None,
            {"fields": ("name", "kind", "address", "timeout_s", ("stagger_min_s", "stagger_max_s"), "max_concurrent")},
        ),
        ("Secrets", {"classes": ("tab",), "fields": ("stored_secrets", "new_secrets", "forget_secrets")}),
        (
            "Profile",
            {
                "classes": ("tab",),
                "fields": (
                    *(f"identity_{key}" for key in IDENTITY),
                    "workflow_description",
                    "stages",
                    "known_facts",
                    "tool_patterns",
                ),
            },
        ),
        ("The kind's own settings", {"classes": ("tab",), "fields": ("options",)}),
    )

    def response_add(self, request: HttpRequest, obj: Agent, post_url_continue: str | None = None) -> Any:
        """A new agent is tried next: its settings say nothing before it has answered."""
        if (
            "_continue" in request.POST
            or "_addanother" in request.POST
            or not request.user.has_perm("runs.add_testrun")
        ):
            return super().response_add(request, obj, post_url_continue)
        messages.success(request, f"{obj} is saved.")
        return redirect("check_agent", obj.pk)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Agent]:
        return super().get_queryset(request).defer("secrets")  # type: ignore[no-any-return]

    def save_model(self, request: HttpRequest, obj: Agent, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        record_agent_profile(agent_id=obj.pk, source="admin")

    @admin.display(description="role")
    def role(self, row: Agent) -> str:
        return shorten(str((row.profile.get("agent_identity") or {}).get("role", "–")), 40)

    @admin.display(description="reached by", ordering="kind")
    def reached_by(self, row: Agent) -> str:
        return KIND_WORDS.get(row.kind, row.kind)

    @admin.display(description="address", ordering="address")
    def where(self, row: Agent) -> SafeString:
        """May be broken at its slashes: a long one does not widen the list."""
        return format_html_join(mark_safe("/<wbr>"), "{}", ((part,) for part in (row.address or "–").split("/")))

    @admin.display(description="next")
    def next_steps(self, row: Agent) -> SafeString:
        """The usual next actions for an agent, as links; only people who may start runs see them
        (`get_list_display`)."""
        start = f"{reverse('start_run')}?{urlencode({'agent': row.name})}"
        return format_html(
            '<a href="{}">Say hello</a> · <a href="{}">Start a run</a>', reverse("check_agent", args=[row.pk]), start
        )

    def get_list_display(self, request: HttpRequest) -> Sequence[str]:
        may = request.user.has_perm("runs.add_testrun")
        return [name for name in self.list_display if may or name != "next_steps"]

    @admin.display(description="stored now")
    def stored_secrets(self, row: Agent) -> str:
        try:
            return ", ".join(sorted(row.secrets or ())) or "none"
        except EncryptionError as error:  # another field key: the page must open, so that they can be entered again
            return str(error)


class ProviderForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The key is typed in and never shown again."""

    new_key = forms.CharField(
        required=False,
        label="API key",
        strip=True,
        widget=UnfoldAdminPasswordWidget(render_value=False),
        help_text="Kept encrypted and never shown. Empty: what is stored stays.",
    )
    forget_key = forms.BooleanField(required=False, label="Remove the stored key")
    options = SettingsField(
        label="Settings", help_text="One a line, name: value. Which there are: docs/run.md. No secrets here."
    )

    class Meta:
        model = ModelProvider
        fields = ("name", "kind", "base_url", "options", "max_concurrent")
        labels = {"max_concurrent": "Battles at once"}
        help_texts = {
            "name": "What evaluator configs call it.",
            "max_concurrent": "Whose customer it plays, over all workers. Empty: as many as the tenant.",
            "base_url": "Empty: the provider's official address. An address of your own gets your own key only.",
        }

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        try:
            refuse_secrets(cleaned["options"], "/options")
            declared_prices(cleaned["options"])
            check_options(cleaned["kind"], cleaned["options"])
            check_base_url(cleaned["base_url"])
        except BadInput as error:
            add_problem(self, error, {})
        take_secrets(self, field="new_key", store=self._store_key, forget=cleaned["forget_key"], address="base_url")
        return cleaned

    def _store_key(self, entered: str) -> None:
        self.instance.api_key = Secret(entered)


@admin.register(ModelProvider)
class ModelProviderAdmin(WithFiles, ModelAdmin):
    """Admin of model providers: their addresses, and whether a key of the tenant's own is stored."""

    form = ProviderForm
    change_form_outer_before_template = "catalog/admin/provider_doors.html"
    yaml_section = "model_providers"
    actions = ("download_yaml",)
    list_display = ("name", "kind", "address", "has_key", "updated_at")
    list_filter = ("kind",)
    search_fields = ("name", "base_url")
    ordering = ("name",)
    readonly_fields = ("has_key",)
    fields = ("name", "kind", "base_url", "has_key", "new_key", "forget_key", "options", "max_concurrent")

    def response_add(self, request: HttpRequest, obj: ModelProvider, post_url_continue: str | None = None) -> Any:
        """A new provider is tried next: its settings say nothing before it has answered."""
        if "_continue" in request.POST or "_addanother" in request.POST or obj.kind == "offline":
            return super().response_add(request, obj, post_url_continue)
        messages.success(request, f"{obj} is saved.")
        return redirect("check_provider", obj.pk)

    def get_fields(self, request: HttpRequest, obj: ModelProvider | None = None) -> Sequence[str]:
        """Leave out the key's fields of a new row: there is no key to show or to remove."""
        return [name for name in self.fields if obj or name not in ("has_key", "forget_key")]

    @admin.display(description="address")
    def address(self, row: ModelProvider) -> str:
        return row.base_url or "the official one"

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelProvider]:
        own_key = ExpressionWrapper(~Q(api_key=""), output_field=BooleanField())
        return super().get_queryset(request).defer("api_key").annotate(own_key=own_key)  # type: ignore[no-any-return]

    @admin.display(description="own key stored", boolean=True)
    def has_key(self, row: Any) -> bool:
        return bool(getattr(row, "own_key", False))
