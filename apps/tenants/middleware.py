"""The web's way into a tenant: by host name, for as long as one request lasts."""

from collections.abc import Iterable, Iterator
from copy import copy
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.http import Http404, HttpRequest
from django.utils import timezone
from django_tenants.middleware.main import TenantMainMiddleware
from django_tenants.utils import remove_www

from apps.core.events import bound
from apps.tenants.connection import connection
from apps.tenants.context import in_tenant
from apps.tenants.domain.naming import PUBLIC
from apps.tenants.domain.workflow_config import WorkflowConfig
from apps.tenants.models import Domain, Tenant

KEPT_LOOKUPS = 1000
_DEFAULT_ZONE = WorkflowConfig().time_zone
_lookups: dict[str, tuple[float, Tenant]] = {}  # host: until when, and where it leads; only tenants that are open


def _known_tenant(hostname: str) -> Tenant | None:
    """The open tenant that was found behind this host within TENANT_LOOKUP_S; None means: not known, look it up."""
    cached = _lookups.get(hostname)
    return copy(cached[1]) if cached is not None and cached[0] > monotonic() else None


class TenantMiddleware(TenantMainMiddleware):
    """Sets the schema from the host. Unknown, suspended and not ready tenants all are 404: nobody learns who exists."""

    async_capable = False  # the schema belongs to the thread's connection, so requests are served in threads

    @staticmethod
    def hostname_from_request(request: HttpRequest) -> str:
        """The host without port and `www.`; case means nothing in host names, and a final dot is the same name."""
        host = request.get_host().lower()
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return str(remove_www(name.rstrip(".")))

    def get_tenant(self, domain_model: type[Domain], hostname: str) -> Tenant:
        """One query, or none where the same host was asked for within TENANT_LOOKUP_S (docs/how-it-works.md)."""
        known = _known_tenant(hostname)
        if known is not None:
            return known
        tenant: Tenant = super().get_tenant(domain_model, hostname)
        if tenant.suspended or not tenant.ready:
            raise Http404(f"No tenant for hostname {hostname!r}")
        if settings.TENANT_LOOKUP_S:
            if len(_lookups) >= KEPT_LOOKUPS:
                _lookups.clear()
            _lookups[hostname] = (monotonic() + settings.TENANT_LOOKUP_S, copy(tenant))
        return tenant

    def __call__(self, request: HttpRequest) -> Any:
        """Inside the tenant for the request, then back where the thread was; a streamed body enters again itself."""
        before = connection.tenant
        try:
            refused = self.process_request(request)
            if refused is not None:  # a host name we do not answer to: looks like one nobody has
                raise Http404("No tenant for this host")
            tenant: Tenant = request.tenant  # type: ignore[attr-defined]
            with bound(tenant=tenant.slug), timezone.override(_zone_of(tenant)):
                response = self.get_response(request)
            if response.streaming and connection.schema_name != PUBLIC:
                response.streaming_content = _inside(str(connection.schema_name), response.streaming_content)
            return response
        finally:
            connection.set_tenant(before)


def _zone_of(tenant: Tenant) -> ZoneInfo:
    """The zone in which a tenant's pages tell the time; the platform's tell it in UTC."""
    if tenant.schema_name == PUBLIC:
        return ZoneInfo("UTC")
    try:
        return ZoneInfo(str(tenant.settings.get("time_zone") or _DEFAULT_ZONE))
    except (ZoneInfoNotFoundError, ValueError):  # stored by hand: the page must still open, to mend it
        return ZoneInfo("UTC")


def _inside(schema: str, parts: Iterable[bytes]) -> Iterator[bytes]:
    """Each part is made in the tenant: the server asks for them after the middleware has left it."""
    source = iter(parts)
    while True:
        with in_tenant(schema):
            part = next(source, None)
        if part is None:
            return
        yield part
