"""Receivers of OTLP in the admin: where our own work is sent, and the headers that open it, which are never shown."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest
from django.shortcuts import redirect
from django.utils import timezone
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.catalog.admin.outside_connections import OutsideConnectionAdmin, OutsideConnectionForm
from apps.catalog.admin.stored_secrets import secret_field
from apps.connectors.tracing.otlp.address import read_headers
from apps.core.errors import BadInput
from apps.production.langfuse.queries.sending import progress_of
from apps.production.otlp.models import OtlpReceiver


class OtlpReceiverForm(OutsideConnectionForm):
    """A receiver, with the address and headers of its connection."""

    outside_kind, address_field = "otlp", "base_url"

    base_url = forms.CharField(
        label="Address",
        max_length=200,
        widget=UnfoldAdminTextInputWidget,
        help_text="Of a Phoenix, a collector (port 4318), an MLflow: /v1/traces is added where it does not end so.",
    )

    new_headers = secret_field(
        "Headers", "As OTEL_EXPORTER_OTLP_HEADERS has them: authorization=Bearer abc,x-mlflow-experiment-id=1."
    )

    class Meta:
        model = OtlpReceiver
        fields = ("name", "enabled")
        labels = {"enabled": "Send our runs and judge calls there"}
        help_texts = {"enabled": "Battles, replays and judgements that end from now on. One receiver can have them."}

    def clean_new_headers(self) -> str:
        entered = str(self.cleaned_data["new_headers"])
        try:
            read_headers(entered)
        except BadInput as error:
            raise forms.ValidationError(error.message) from error
        return entered

    def clean_enabled(self) -> bool:
        wanted = bool(self.cleaned_data["enabled"])
        others = OtlpReceiver.objects.filter(enabled=True).exclude(pk=self.instance.pk)
        if wanted and (other := others.first()):
            raise forms.ValidationError(f"{other.name} has them already: switch that off first.")
        if wanted and "enabled" in self.changed_data:
            self.instance.sends_since, self.instance.enqueued_until = timezone.now(), None
        return wanted


@admin.register(OtlpReceiver)
class OtlpReceiverAdmin(OutsideConnectionAdmin):
    """Changes are in the audit trail, the headers are not."""

    form = OtlpReceiverForm
    change_form_outer_before_template = "production/admin/otlp_doors.html"
    list_display = ("name", "address", "enabled")
    list_select_related = ("connection",)
    ordering = ("name",)
    readonly_fields = ("sending",)
    fields = ("name", "base_url", "new_headers", "enabled", *readonly_fields)

    @admin.display(ordering="connection__address")
    def address(self, row: OtlpReceiver) -> str:
        return str(row.connection.address)

    @admin.display(description="What is sent")
    def sending(self, row: OtlpReceiver) -> str:
        return progress_of("otlp") if row.enabled else "nothing is sent there"

    def response_add(self, request: HttpRequest, obj: OtlpReceiver, post_url_continue: str | None = None) -> Any:
        """A new receiver is tried next: its settings say nothing before it has answered."""
        if "_continue" in request.POST or "_addanother" in request.POST:
            return super().response_add(request, obj, post_url_continue)
        messages.success(request, f"{obj} is saved.")
        return redirect("check_otlp", obj.pk)

    def save_model(self, request: HttpRequest, obj: OtlpReceiver, form: Any, change: bool) -> None:
        """Save the receiver, and send deliveries that were given up once it is mended."""
        from apps.production.langfuse.services.delivery import send_again  # noqa: PLC0415 - 0.2 s of every command

        super().save_model(request, obj, form, change)
        if obj.enabled:
            send_again("otlp", now=timezone.now())
