"""Change the host names that lead to a tenant: one more, one fewer, never none."""

from collections.abc import Sequence

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http.request import validate_host

from apps.core.errors import Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.tenants.context import in_public
from apps.tenants.domain.naming import PUBLIC, check_domain
from apps.tenants.models import Domain, Tenant
from apps.tenants.queries import find_tenant


def host_names(*, slug: str) -> list[str]:
    """The tenant's, its main one first. Two queries. Raises UnknownTenant."""
    return _names(find_tenant(slug))


def add_host_name(*, slug: str, domain: str) -> None:
    """Lead `domain` to this tenant from now on; the first one a tenant has is its main one.

    Raises BadInput (`bad_domain`), Conflict (`domain_taken`), UnknownTenant; nothing is changed then. Safe to repeat:
    one it has already is no error.
    """
    name = check_domain(domain)
    try:
        with in_public(), transaction.atomic():
            tenant = _locked(slug)
            names = _names(tenant)
            if name in names:
                return
            Domain.objects.bulk_create([Domain(domain=name, tenant=tenant, is_primary=not names)])
    except IntegrityError as error:
        raise Conflict(f"{name} already leads to another tenant", code="domain_taken") from error
    log_event(EventType.SETTINGS_CHANGED, tenant=slug, settings=["domains"])


def remove_host_name(*, slug: str, domain: str) -> None:
    """Stop leading `domain` to this tenant.

    Web processes forget it after settings.TENANT_LOOKUP_S. Where it was the main one, the oldest of the others is now.
    Raises NotFound (`unknown_domain`) where it is not this tenant's, Conflict (`last_domain`) for the only one: nobody
    could reach the tenant. Not repeatable.
    """
    with in_public(), transaction.atomic():
        tenant = _locked(slug)
        rows = list(Domain.objects.filter(tenant=tenant).order_by("-is_primary", "pk"))
        leaving = next((row for row in rows if row.domain == domain), None)
        if leaving is None:
            raise NotFound(f"{domain} does not lead to {slug}", code="unknown_domain")
        left = [row for row in rows if row is not leaving]
        if not left:
            raise Conflict(
                f"{domain} is the only host name of {slug}: add another one before you remove it", code="last_domain"
            )
        Domain.objects.filter(pk=leaving.pk).delete()
        if leaving.is_primary:
            Domain.objects.filter(pk=left[0].pk).update(is_primary=True)
    log_event(EventType.SETTINGS_CHANGED, tenant=slug, settings=["domains"])


def not_served(names: Sequence[str]) -> list[str]:
    """Return those of `names` that ALLOWED_HOSTS refuses.

    Requests for them are answered 404 until the operator adds them.
    """
    return [name for name in names if not validate_host(name, settings.ALLOWED_HOSTS)]


def _locked(slug: str) -> Tenant:
    """The tenant's row, locked: two people who remove the last two names at once must not both succeed."""
    tenant_row = find_tenant(slug)
    if tenant_row.schema_name == PUBLIC:
        raise Conflict("the platform's own host names are the operator's", code="public_schema")
    tenant: Tenant = Tenant.objects.select_for_update().get(pk=tenant_row.pk)
    return tenant


def _names(tenant: Tenant) -> list[str]:
    rows = Domain.objects.filter(tenant=tenant).order_by("-is_primary", "pk")
    return list(rows.values_list("domain", flat=True))
