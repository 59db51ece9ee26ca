"""Keys: made and shown once, revoked for good. Callbacks that can be sent again."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from unfold.admin import ModelAdmin

from apps.api.models import ApiKey, Callback, WebhookKey
from apps.api.services.keys import NewKey, add_api_key, add_webhook_key, revoke_key
from apps.core.errors import RatibaError
from apps.jobs.domain.delivery_states import DeliveryStatus
from apps.jobs.services.outbound import deliver_again
from apps.tenants.domain.roles import KeyScope

SCOPE_FIELDS = {scope: f"may_{scope}" for scope in KeyScope}


class ApiKeyForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """Form of an API key; it needs at least one scope."""

    class Meta:
        model = ApiKey
        fields = ("name", *SCOPE_FIELDS.values(), "requests_per_minute", "expires_at")
        labels = {"may_admin": "May administer"}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        ticks = SCOPE_FIELDS.values()
        if self.fields.keys() >= set(ticks) and not any(cleaned[name] for name in ticks):
            self.add_error("may_read", "Tick at least one of reading, writing, curating and administering.")
        return cleaned


class _KeyAdmin(ModelAdmin):
    """Made here and shown once; name and expiry can be changed; revoking is for good."""

    change_form_outer_before_template = "api/admin/key_doors.html"
    places, what, use = "", "", ""  # the list's name, what the secret is called, how it is used

    def make(self, obj: Any) -> NewKey:
        raise NotImplementedError

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_fields(request, obj)
        return fields if obj else [name for name in fields if name not in self.readonly_fields]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        made = self.make(obj)
        obj.pk, obj._state.adding = made.id, False
        request.new_secret = made.secret  # type: ignore[attr-defined]  # for this answer alone

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        """The secret is in the answer to the POST and nowhere else: it cannot be shown again."""
        back = reverse(f"admin:api_{self.opts.model_name}_changelist")
        context = {"key": obj, "places": self.places, "what": self.what, "use": self.use, "back": back}
        context |= {"secret": request.new_secret, "made": f"{self.what} is made,", "title": self.what}  # type: ignore[attr-defined]  # see save_model
        return render(request, "api/admin/new_key.html", {**self.admin_site.each_context(request), **context})

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "expires_at")
    search_fields: tuple[str, ...] = ("name",)
    ordering = ("-created_at",)
    actions = ("revoke",)

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Refuse to search keys by a part of their digest or secret."""
        if lookup.partition("__")[0] in ("digest", "secret"):
            return False
        return bool(super().lookup_allowed(lookup, value, request))

    @admin.action(description="Revoke the selected keys, for good", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        for key_id in ids:
            revoke_key(model=self.model, key_id=key_id, now=timezone.now())
        self.message_user(request, f"{len(ids)} revoked: they open nothing from now on.")

    @admin.display(boolean=True, description="live")
    def live(self, key: Any) -> bool:
        return key.revoked_at is None and (key.expires_at is None or key.expires_at > timezone.now())


@admin.register(ApiKey)
class ApiKeyAdmin(_KeyAdmin):
    form = ApiKeyForm
    places, what = "API keys", "An API key"
    use = "It goes into the header Authorization: Bearer …, for whatever of the API its ticks allow."
    list_display = ("name", "prefix", "live", *SCOPE_FIELDS.values(), "last_used_at", "expires_at", "created_at")
    search_fields = ("name", "prefix")
    readonly_fields = ("prefix", "created_at", "last_used_at", "revoked_at")
    fields = ("name", "prefix", *SCOPE_FIELDS.values(), "requests_per_minute", "expires_at", *readonly_fields[1:])

    def make(self, obj: Any) -> NewKey:
        scopes = [scope for scope, name in SCOPE_FIELDS.items() if getattr(obj, name)]
        return add_api_key(
            name=obj.name, scopes=scopes, expires_at=obj.expires_at, requests_per_minute=obj.requests_per_minute
        )


@admin.register(WebhookKey)
class WebhookKeyAdmin(_KeyAdmin):
    places, what = "Webhook keys", "A webhook key"
    use = "It signs what your systems post to us, and what we post back (Standard Webhooks)."
    list_display = ("name", "live", "last_used_at", "expires_at", "created_at")
    readonly_fields = ("created_at", "last_used_at", "revoked_at")
    fields = ("name", "expires_at", *readonly_fields)

    def make(self, obj: Any) -> NewKey:
        return add_webhook_key(name=obj.name, expires_at=obj.expires_at)


@admin.register(Callback)
class CallbackAdmin(ModelAdmin):
    """Admin of callbacks: the event, the receiver, the state, and the last error."""

    list_display = ("event", "url", "status", "attempts", "last_status", "last_error", "not_before", "delivered_at")
    list_filter = ("status", "event")
    search_fields = ("url", "id", "subject_id")
    ordering = ("-created_at",)
    actions = ("again",)
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(ordering="url")
    def url(self, callback: Any) -> str:
        return str(callback.url)

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> Any:
        """A webhook-id finds its callback too."""
        hex_id = search_term.strip().removeprefix("msg_")
        if len(hex_id) == 32 and hex_id.isalnum():  # Postgres writes it with dashes
            search_term = "-".join((hex_id[:8], hex_id[8:12], hex_id[12:16], hex_id[16:20], hex_id[20:]))
        return super().get_search_results(request, queryset, search_term)

    def has_send_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("api.change_callback")

    @admin.action(description="Send again, now, with the same id", permissions=["send"])
    def again(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        for callback_id in ids:
            try:
                deliver_again(delivery_id=callback_id, now=timezone.now())
            except RatibaError as error:
                self.message_user(request, str(error), level=messages.WARNING)
        waiting = Callback.objects.filter(pk__in=ids, status=DeliveryStatus.PENDING).count()
        self.message_user(request, f"Waiting to be sent: {waiting}.")
