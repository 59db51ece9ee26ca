"""The tenant's sign-in provider: owners write it. allauth's own tables have no pages."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.catalog.admin.stored_secrets import secret_field
from apps.catalog.fields import Secret
from apps.connectors.addresses import check_base_address
from apps.connectors.errors import AddressRefused
from apps.core.errors import BadInput
from apps.identity.domain.groups import groups_text, read_group_roles
from apps.identity.domain.names import issuer_key
from apps.identity.models import IdentityProvider
from apps.identity.queries.provider import identity_policy

for _model in (EmailAddress, SocialAccount, SocialApp, SocialToken):
    if admin.site.is_registered(_model):
        admin.site.unregister(_model)


class IdentityProviderForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The client's secret is typed in and never shown again."""

    new_secret = secret_field("Client secret")
    groups = forms.CharField(
        required=False,
        label="Roles of groups",
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 6}),
        help_text="One line a group: `eval-owners = owner`. Whoever is in none of them has no rights here.",
    )

    class Meta:
        model = IdentityProvider
        fields = ("name", "issuer", "client_id", "scopes", "groups_claim", "enabled")
        labels = {"client_id": "Client id", "enabled": "People may sign in by it"}
        help_texts = {
            "name": "The button says: Sign in with …",
            "issuer": "The address under which /.well-known/openid-configuration is found.",
            "scopes": "What is asked for; some providers give groups only for a scope of their own, such as `groups`.",
            "groups_claim": "The claim that lists groups; with dots for one further in (realm_access.roles).",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["groups"].initial = groups_text(self.instance.group_roles or {})

    def clean_issuer(self) -> str:
        url = str(self.cleaned_data["issuer"]).strip().rstrip("/")
        try:
            check_base_address(url, identity_policy())
        except AddressRefused as error:
            raise forms.ValidationError(str(error)) from error
        return url

    def clean_groups(self) -> str:
        try:
            self.instance.group_roles = read_group_roles(str(self.cleaned_data["groups"]))
        except BadInput as error:
            raise forms.ValidationError(error.message) from error
        return str(self.cleaned_data["groups"])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        entered = cleaned.get("new_secret")
        if entered:
            self.instance.client_secret = Secret(entered)
        elif not self.instance.client_secret:
            self.add_error("new_secret", "Enter the client's secret.")
        elif self.instance.pk and "issuer" in self.changed_data:
            self.add_error("new_secret", "Another server gets no stored secret: enter it again.")
        return cleaned


@admin.register(IdentityProvider)
class IdentityProviderAdmin(ModelAdmin):
    """One row a tenant. Changes are in the audit trail, the secret is not."""

    form = IdentityProviderForm
    list_display = ("name", "issuer", "enabled", "updated_at")
    readonly_fields = ("redirect_address",)
    fieldsets = (
        (None, {"fields": ("name", "issuer", "client_id", "new_secret", "enabled", "redirect_address")}),
        ("Rights", {"fields": ("groups", "groups_claim", "scopes")}),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """The menu of every page asks this too, which must cost it no query."""
        if not super().has_add_permission(request):
            return False
        here = request.path.startswith(reverse("admin:app_list", args=["identity"]))
        return not (here and IdentityProvider.objects.exists())

    @admin.display(description="redirect address")
    def redirect_address(self, row: IdentityProvider) -> str:
        """The address that the client's registration at the provider must list."""
        if not row.pk:
            return "Shown after saving: register it at the provider."
        path = reverse("openid_connect_callback", args=[issuer_key(row.issuer)])
        return f"{path} on this host, for example https://eval.example.org{path}"
