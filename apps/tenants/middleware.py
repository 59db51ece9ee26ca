"""The web's way into a tenant: by host name, for as long as one request lasts."""

from typing import Any

from django.http import Http404, HttpRequest
from django_tenants.middleware.main import TenantMainMiddleware

from apps.core.events import bound
from apps.tenants.models import Domain, Tenant


class TenantMiddleware(TenantMainMiddleware):
    """Sets the schema from the host. Unknown, suspended and not ready tenants all answer 404: nobody learns who exists."""

    async_capable = False  # the schema belongs to the thread's connection, so requests are served in threads

    def get_tenant(self, domain_model: type[Domain], hostname: str) -> Tenant:
        tenant: Tenant = super().get_tenant(domain_model, hostname)
        if tenant.suspended or not tenant.ready:
            raise Http404(f"No tenant for hostname {hostname!r}")
        return tenant

    def __call__(self, request: HttpRequest) -> Any:
        refused = self.process_request(request)
        if refused is not None:
            return refused
        with bound(tenant=request.tenant.slug):  # type: ignore[attr-defined]
            return self.get_response(request)
