"""The pages of tenants: list, add, settings, suspend, delete. Each page ends in one call of a service."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.contrib.admin import display
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from unfold.decorators import display as labelled

from apps.core.errors import BadInput, RatibaError
from apps.core.time_words import span
from apps.tenants import services
from apps.tenants.admin.forms import AddTenantForm, DeleteTenantForm
from apps.tenants.admin.onboarding import BeginningsAdmin
from apps.tenants.admin.settings_form import SettingsForm
from apps.tenants.admin.site import platform_admin
from apps.tenants.domain.naming import PUBLIC
from apps.tenants.domain.workflow_config import WorkflowConfig
from apps.tenants.first_owner import has_an_owner
from apps.tenants.models import Tenant
from apps.tenants.queries import tenant_models, tenants_behind, tenants_by_state, workflow_config
from apps.tenants.schema_template import migration_key

LIST = "platform:tenants_tenant_changelist"
ONE = "platform:tenants_tenant_change"
_STATES = {"ready": "success", "suspended": "warning", "behind": "danger"}


def state_of(tenant: Tenant) -> str:
    """Return `suspended`, `behind` (its schema is older than the code, or a migration failed) or `ready`."""
    if tenant.suspended:
        return "suspended"
    return "ready" if tenant.ready and tenant.schema_key == migration_key() else "behind"


class TenantAdmin(BeginningsAdmin):
    """The register. The public schema is no tenant: it has no line and no page here."""

    list_display = ("slug", "name", "vertical", "state", "hosts", "age")
    list_filter = ("vertical", "ready", "suspended")
    search_fields = ("slug", "name", "domains__domain")
    ordering = ("slug",)
    list_per_page = 50
    list_before_template = "tenants/list_head.html"
    actions = ("suspend_chosen", "open_chosen")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tenant]:
        tenants: QuerySet[Tenant] = Tenant.objects.exclude(schema_name=PUBLIC).prefetch_related("domains")
        return tenants

    def get_actions(self, request: HttpRequest) -> Any:
        """No deleting from the list: that page wants the name typed."""
        return {name: action for name, action in super().get_actions(request).items() if name != "delete_selected"}

    @labelled(description="state", label=_STATES)  # type: ignore[untyped-decorator]
    def state(self, tenant: Tenant) -> str:
        return state_of(tenant)

    @display(description="hosts")
    def hosts(self, tenant: Tenant) -> str:
        return ", ".join(domain.domain for domain in tenant.domains.all())

    @display(description="age", ordering="-created")
    def age(self, tenant: Tenant) -> str:
        return _age(tenant)

    # --- The list -----------------------------------------------------------------------------------------------------
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        states = tenants_by_state()
        head = {
            "states": states,
            "total": sum(states.values()),
            "behind": tenants_behind(),
            "may_add": self.has_add_permission(request),
        }
        return super().changelist_view(request, {**(extra_context or {}), **head})

    def _each(self, request: HttpRequest, chosen: QuerySet[Tenant], *, suspended: bool) -> None:
        slugs = list(chosen.values_list("slug", flat=True))
        for slug in slugs:
            services.suspend_tenant(slug=slug, suspended=suspended)
        done = "closed to pages and work" if suspended else "open again"
        messages.success(request, f"{len(slugs)} tenant{'s' if len(slugs) != 1 else ''} {done}: {', '.join(slugs)}")

    def suspend_chosen(self, request: HttpRequest, chosen: QuerySet[Tenant]) -> None:
        """Suspend these tenants: their data stay; nothing runs in them and nobody can sign in."""
        self._each(request, chosen, suspended=True)

    suspend_chosen.short_description = "Suspend the chosen tenants"  # type: ignore[attr-defined]
    suspend_chosen.allowed_permissions = ("change",)  # type: ignore[attr-defined]

    def open_chosen(self, request: HttpRequest, chosen: QuerySet[Tenant]) -> None:
        self._each(request, chosen, suspended=False)

    open_chosen.short_description = "Open the chosen tenants again"  # type: ignore[attr-defined]
    open_chosen.allowed_permissions = ("change",)  # type: ignore[attr-defined]

    # --- One tenant ---------------------------------------------------------------------------------------------------
    def get_urls(self) -> list[URLPattern]:
        switch = self.admin_site.admin_view(self.switch_view)
        return [path("<path:object_id>/switch/", switch, name="tenants_tenant_switch"), *super().get_urls()]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = AddTenantForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                made = services.add_tenant(**form.cleaned_data)
            except RatibaError as error:
                form.refuse(error)
            else:
                self.log_addition(request, made, [{"added": {}}])
                messages.success(request, f"{made.slug} is ready. Nobody can sign in yet: make its first owner.")
                return HttpResponseRedirect(reverse(ONE, args=[made.pk]))
        return self._page(request, "add", "Add a tenant", form=form)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        tenant = self._found(request, object_id)
        if not self.has_view_or_change_permission(request, tenant):
            raise PermissionDenied
        slug, may_change = str(tenant.slug), self.has_change_permission(request, tenant)
        try:
            config, broken = workflow_config(slug), ""
        except BadInput as error:  # stored by hand, or by other code: the page must still open, to mend it
            config, broken = WorkflowConfig(), error.message
        form = SettingsForm(request.POST or None, config=config, chosen=frozenset() if broken else tenant_models(slug))
        if request.method == "POST":
            if not may_change:
                raise PermissionDenied
            if form.is_valid():
                try:
                    services.update_workflow_config(slug=slug, changes=form.changes())
                except RatibaError as error:
                    form.refuse(error)
                else:
                    self.log_change(request, tenant, [{"changed": {"fields": form.changed_data}}])
                    messages.success(request, "Saved. Runs that have begun keep the settings they began with.")
                    return HttpResponseRedirect(request.path)
        return self._page(
            request,
            "tenant",
            tenant.name,
            tenant=tenant,
            state=state_of(tenant),
            form=form,
            broken=broken,
            may_change=may_change,
            may_delete=self.has_delete_permission(request, tenant),
            age=_age(tenant),
            hosts=[domain.domain for domain in tenant.domains.all()],
            ownerless=_ownerless(slug),
        )

    def switch_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Suspend, or open again; POST only."""
        tenant = self._found(request, object_id)
        if not self.has_change_permission(request, tenant):
            raise PermissionDenied
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        suspended = request.POST.get("to") == "suspended"
        services.suspend_tenant(slug=tenant.slug, suspended=suspended)
        self.log_change(request, tenant, "suspended" if suspended else "opened")
        messages.success(request, f"{tenant.slug} is {'suspended' if suspended else 'open again'}.")
        return HttpResponseRedirect(reverse(ONE, args=[tenant.pk]))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """Deletes by POST and with the short name typed; a GET shows what would go."""
        tenant = self._found(request, object_id)
        if not self.has_delete_permission(request, tenant):
            raise PermissionDenied
        form = DeleteTenantForm(request.POST if request.method == "POST" else None, slug=tenant.slug)
        if request.method == "POST" and form.is_valid():
            try:
                services.delete_tenant(slug=tenant.slug)
            except RatibaError as error:
                form.add_error(None, error.message)
            else:
                self.log_deletions(request, [tenant])
                messages.success(request, f"{tenant.slug} and everything it held are gone.")
                return HttpResponseRedirect(reverse(LIST))
        return self._page(request, "delete", f"Delete {tenant.name}", tenant=tenant, form=form)

    def _found(self, request: HttpRequest, object_id: str) -> Tenant:
        tenant: Tenant | None = self.get_object(request, object_id)
        if tenant is None:
            raise Http404("there is no such tenant")
        return tenant

    def _page(self, request: HttpRequest, name: str, title: Any, **context: Any) -> HttpResponse:
        shell: Mapping[str, Any] = {**self.admin_site.each_context(request), "opts": self.opts, "title": str(title)}
        return render(request, f"tenants/{name}.html", {**shell, **context})


def _ownerless(slug: str) -> bool:
    """Tell whether a tenant waits for its first owner; a tenant that cannot be asked does not."""
    try:
        return not has_an_owner(slug=slug)
    except (RatibaError, DatabaseError):
        return False


platform_admin.register(Tenant, TenantAdmin)


def _age(tenant: Tenant) -> str:
    return span((timezone.now() - tenant.created).total_seconds())
