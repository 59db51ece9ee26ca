"""Langfuse projects in the admin: what is read from them and sent to them, and their key, which is never shown."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils import timezone
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from apps.catalog.admin.outside_connections import OutsideConnectionAdmin, OutsideConnectionForm
from apps.catalog.admin.stored_secrets import secret_field
from apps.core.errors import BadInput
from apps.production.langfuse.domain.fields import read_environment, read_names
from apps.production.langfuse.models import LangfuseSource
from apps.production.langfuse.queries.sending import sending_sentence


class LangfuseSourceForm(OutsideConnectionForm):
    """A project, with the address and keys of its connection."""

    outside_kind, address_field, option_fields = "langfuse", "base_url", ("public_key",)

    base_url = forms.CharField(
        label="Address",
        max_length=200,
        widget=UnfoldAdminTextInputWidget,
        help_text="Of your Langfuse, https://cloud.langfuse.com or your own; it is never guessed.",
    )

    public_key = forms.CharField(max_length=200, widget=UnfoldAdminTextInputWidget)

    new_secret_key = secret_field("Secret key")

    sends = forms.BooleanField(
        required=False,
        label="Send ratings and scores there",
        widget=UnfoldBooleanSwitchWidget,
        help_text="What is rated and judged from now on, by the agent's own traces. One project can have them.",
    )

    sends_runs = forms.BooleanField(
        required=False,
        label="Send our runs and judge calls there",
        widget=UnfoldBooleanSwitchWidget,
        help_text="Battles, replays and judgements that end from now on, as traces of the environment ratiba-eval.",
    )

    reads = forms.CharField(
        required=False,
        label="Prompts that are read from there",
        max_length=2000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="A name a line. Whoever may label a version production there then decides what is live here. All "
        "other prompts come from git.",
    )

    class Meta:
        model = LangfuseSource
        fields = ("name", "environment", "enabled", "publishes_prompts")
        labels = {"enabled": "Read it every five minutes", "publishes_prompts": "Publish prompts there"}
        help_texts = {
            "environment": "Empty: all of the project's environments.",
            "publishes_prompts": "Each version that git knows, by its label; the label live is on the one in use.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["sends"].initial = self.instance.sends_since is not None
        self.fields["sends_runs"].initial = self.instance.sends_runs_since is not None
        self.fields["reads"].initial = "\n".join(self.instance.read_prompts)

    def clean_sends(self) -> bool:
        return self._switch("sends", "sends_since", "scores_enqueued_until")

    def clean_sends_runs(self) -> bool:
        return self._switch("sends_runs", "sends_runs_since", "runs_enqueued_until")

    def clean_publishes_prompts(self) -> bool:
        prompts = bool(self.cleaned_data["publishes_prompts"])
        others = LangfuseSource.objects.filter(publishes_prompts=True).exclude(pk=self.instance.pk)
        if prompts and (other := others.first()):
            raise forms.ValidationError(f"{other.name} has them already: switch that off first.")
        return prompts

    def clean_reads(self) -> str:
        entered = str(self.cleaned_data["reads"])
        try:
            names = read_names(entered)
        except BadInput as error:
            raise forms.ValidationError(error.message) from error
        others = LangfuseSource.objects.exclude(pk=self.instance.pk).values_list("name", "read_prompts")
        for other, theirs in others:
            if both := set(names) & set(theirs):
                raise forms.ValidationError(f"{sorted(both)[0]} is read from {other} already.")
        self.instance.read_prompts = names
        return entered

    def _switch(self, field: str, since: str, until: str) -> bool:
        """Tell whether a kind of sending is on from now on; only one project may have it."""
        switch = bool(self.cleaned_data[field])
        others = LangfuseSource.objects.filter(**{f"{since}__isnull": False}).exclude(pk=self.instance.pk)
        if switch and (other := others.first()):
            raise forms.ValidationError(f"{other.name} has them already: switch that off first.")
        if switch != (getattr(self.instance, since) is not None):
            setattr(self.instance, since, timezone.now() if switch else None)
            setattr(self.instance, until, None)
        return switch

    def clean_environment(self) -> str:
        named = str(self.cleaned_data["environment"]).strip()
        try:
            return read_environment(named)
        except BadInput as error:
            raise forms.ValidationError(error.message) from error


@admin.register(LangfuseSource)
class LangfuseSourceAdmin(OutsideConnectionAdmin):
    """Admin of Langfuse sources, to which a team's agent traces already.

    Changes are in the audit trail, the key is not.
    """

    form = LangfuseSourceForm
    change_form_outer_before_template = "production/admin/langfuse_doors.html"
    list_display = ("name", "address", "enabled", "read_until", "read_error")
    ordering = ("name",)
    readonly_fields = ("read_until", "read_error", "sending", "server_version")
    fields = (
        "name",
        "base_url",
        "public_key",
        "new_secret_key",
        "environment",
        "enabled",
        "sends",
        "sends_runs",
        "publishes_prompts",
        "reads",
        *readonly_fields,
    )

    @admin.display(ordering="connection__address")
    def address(self, row: LangfuseSource) -> str:
        return row.base_url

    @admin.display(description="Read as far as")
    def read_until(self, row: LangfuseSource) -> Any:
        return row.polled_until or "nothing was read yet"

    @admin.display(description="What was wrong when it was read")
    def read_error(self, row: LangfuseSource) -> str:
        return row.last_error or "nothing"

    @admin.display(description="What is sent")
    def sending(self, row: LangfuseSource) -> str:
        return sending_sentence(row)

    def response_add(self, request: HttpRequest, obj: LangfuseSource, post_url_continue: str | None = None) -> Any:
        """A new source is tried next: its settings say nothing before it has answered."""
        if "_continue" in request.POST or "_addanother" in request.POST:
            return super().response_add(request, obj, post_url_continue)
        messages.success(request, f"{obj} is saved.")
        return redirect("check_langfuse", obj.pk)

    def save_model(self, request: HttpRequest, obj: LangfuseSource, form: Any, change: bool) -> None:
        """Save the source, and send deliveries that were given up once it is mended."""
        from apps.production.langfuse.services.delivery import send_again  # noqa: PLC0415 - 0.2 s of every command

        super().save_model(request, obj, form, change)
        if obj.enabled:
            send_again(now=timezone.now())
