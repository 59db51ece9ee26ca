"""The platform's admin, on the public host only: who the tenants are. Nothing is made, changed or deleted from here."""

from typing import Any

from django.contrib.admin import display
from django.http import HttpRequest
from unfold.admin import ModelAdmin
from unfold.sites import UnfoldAdminSite

from apps.tenants.models import Tenant


class PlatformAdminSite(UnfoldAdminSite):
    """Apart from the tenants' admin: a tenant's admin would show the shared tables of everybody."""

    site_title = site_header = "Ratiba Eval platform"


platform_admin = PlatformAdminSite(name="platform")


class TenantAdmin(ModelAdmin):
    """Which tenants there are, and which of them no work is done for."""

    list_display = ("slug", "name", "vertical", "ready", "suspended", "hosts", "created")
    list_filter = ("vertical", "ready", "suspended")
    search_fields = ("slug", "name")
    ordering = ("slug",)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("domains")

    @display(description="hosts")
    def hosts(self, tenant: Tenant) -> str:
        return ", ".join(domain.domain for domain in tenant.domains.all())

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Tenant | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Tenant | None = None) -> bool:
        return False


platform_admin.register(Tenant, TenantAdmin)
