"""WhatsApp accounts, whose secrets are typed in and never shown, and the tenant's identity list."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.widgets import (
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from apps.catalog.admin.stored_secrets import secret_field
from apps.catalog.fields import Secret
from apps.connectors.addresses import check_base_address
from apps.connectors.errors import AddressRefused
from apps.core.errors import BadInput
from apps.production.langfuse.admin import LangfuseSourceAdmin, LangfuseSourceForm
from apps.production.models import ListedPerson, WhatsAppAccount
from apps.production.otlp.admin import OtlpReceiverAdmin, OtlpReceiverForm
from apps.production.privacy.domain.listed_people import read_name
from apps.production.privacy.services.identity_list import forget_names
from apps.production.services.outbound_policies import graph_policy

__all__ = [
    "LangfuseSourceAdmin",
    "LangfuseSourceForm",
    "ListedPersonAdmin",
    "ListedPersonForm",
    "OtlpReceiverAdmin",
    "OtlpReceiverForm",
    "WhatsAppAccountAdmin",
    "WhatsAppAccountForm",
]

SECRETS = {
    "app_secret": ("App secret", "Of the Meta app whose webhook this is: it verifies what is posted."),
    "verify_token": ("Verify token", "Any word of yours; the same as in the app's webhook settings."),
    "access_token": ("Access token", "Sends the buttons. Not needed where your team sends them."),
}


class WhatsAppAccountForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The form of a WhatsApp account: text typed into a secret's field replaces the secret."""

    class Meta:
        model = WhatsAppAccount
        fields = ("name", "phone_number_id", "asks", "ask_again_days", "question", "graph_url", "graph_version")
        labels = {
            "asks": "Ask customers after a conversation",
            "ask_again_days": "Days until a person is asked again",
            "graph_url": "Graph address",
            "graph_version": "Graph version",
        }
        widgets = {"question": UnfoldAdminTextareaWidget(attrs={"rows": 3})}
        help_texts = {
            "name": "For people: which number this is.",
            "phone_number_id": "Meta's id of the number that sends, not the number.",
            "asks": "Three buttons, within 24 hours of the customer's last message.",
            "question": "Empty: our words, in the conversation's language.",
            "graph_version": "Meta retires versions: vNN.0.",
        }

    def clean_graph_url(self) -> str:
        url = str(self.cleaned_data["graph_url"]).strip().rstrip("/")
        try:
            check_base_address(url, graph_policy())
        except AddressRefused as error:
            raise forms.ValidationError(str(error)) from error
        moved = self.instance.pk and url != self.initial.get("graph_url", url)
        if moved and self.instance.access_token and not self.data.get("new_access_token"):
            raise forms.ValidationError("Another server gets no stored token: enter the access token again.")
        return url

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for name in SECRETS:
            entered = cleaned.get(f"new_{name}")
            if cleaned.get(f"forget_{name}"):
                setattr(self.instance, name, Secret(""))
            elif entered:
                setattr(self.instance, name, Secret(entered))
        if cleaned.get("asks") and not (cleaned.get("phone_number_id") and self.instance.access_token):
            self.add_error("asks", "Asking needs the phone number id and an access token.")
        return cleaned


for _name, (_label, _what) in SECRETS.items():  # as if written out in the class
    WhatsAppAccountForm.declared_fields[f"new_{_name}"] = secret_field(_label, _what)
    WhatsAppAccountForm.declared_fields[f"forget_{_name}"] = forms.BooleanField(
        required=False, label=f"Remove the stored {_label.lower()}"
    )


@admin.register(WhatsAppAccount)
class WhatsAppAccountAdmin(ModelAdmin):
    """Admin of WhatsApp accounts: the webhook that is read, and the account that asks customers.

    Changes are in the audit trail, secrets are not.
    """

    form = WhatsAppAccountForm
    change_form_outer_before_template = "production/admin/whatsapp_doors.html"
    list_display = ("name", "phone_number_id", "asks", "stored", "updated_at")
    ordering = ("name",)
    readonly_fields = ("stored",)
    fieldsets = (
        (None, {"fields": ("name", "stored")}),
        ("The webhook", {"fields": ("new_app_secret", "forget_app_secret", "new_verify_token", "forget_verify_token")}),
        (
            "Asking",
            {
                "fields": (
                    "asks",
                    "phone_number_id",
                    "new_access_token",
                    "forget_access_token",
                    "question",
                    "ask_again_days",
                    "graph_url",
                    "graph_version",
                )
            },
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out the stored values in a new form: there is nothing to show or to remove."""
        if obj:
            return self.fieldsets
        return tuple(
            (
                title,
                {
                    "fields": tuple(
                        field for field in kind["fields"] if field != "stored" and not field.startswith("forget_")
                    )
                },
            )
            for title, kind in self.fieldsets
        )

    @admin.display(description="stored")
    def stored(self, row: WhatsAppAccount) -> str:
        return ", ".join(label.lower() for name, (label, _) in SECRETS.items() if getattr(row, name)) or "no secret"


class ListedPersonForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    class Meta:
        model = ListedPerson
        fields = ("name", "role")
        widgets = {"name": UnfoldAdminTextInputWidget}
        help_texts = {"name": "The full name. Each word of it of three letters and more is masked wherever it stands."}

    def clean_name(self) -> str:
        try:
            return read_name(str(self.cleaned_data["name"]))
        except BadInput as error:
            raise forms.ValidationError(f"The name {error.message}.") from error


@admin.register(ListedPerson)
class ListedPersonAdmin(ModelAdmin):
    """Staff and owners: masked in all that is stored of conversations from now on."""

    form = ListedPersonForm
    change_list_template = None
    list_before_template = "production/admin/people_doors.html"
    list_display = ("name", "role", "created_at")
    list_filter = ("role",)
    search_fields = ("name",)
    ordering = ("name",)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        forget_names()

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        super().delete_model(request, obj)
        forget_names()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        super().delete_queryset(request, queryset)
        forget_names()
