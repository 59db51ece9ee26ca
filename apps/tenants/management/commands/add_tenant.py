"""Command `add_tenant SLUG --vertical spa`: add a tenant with its own schema and host name."""

from typing import Any

from django.core.management.base import CommandParser

from apps.core.errors import BadInput, Conflict
from apps.tenants.commands import RatibaCommand
from apps.tenants.queries import find_tenant
from apps.tenants.services import add_tenant


class Command(RatibaCommand):
    help = "Add a tenant: its schema, its host name. Repeated with the same vertical, it changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="lower-case words joined by hyphens, for example nairobi-spa")
        parser.add_argument("--vertical", required=True, help="what it deals in, for example spa")
        parser.add_argument("--name", default="", help="its name for people; default: the slug")
        parser.add_argument("--domain", action="append", dest="domains", help="a host name; may be repeated")

    def answer(self, *, slug: str, vertical: str, name: str, domains: list[str] | None, **_: Any) -> dict[str, Any]:
        try:
            tenant, added = add_tenant(slug=slug, name=name, vertical=vertical, domains=domains), True
        except Conflict as error:
            if error.code != "tenant_exists":
                raise
            tenant, added = find_tenant(slug), False
            if tenant.vertical != vertical:
                raise BadInput(
                    f"tenant {slug!r} exists with vertical {tenant.vertical!r}", pointer="/vertical"
                ) from error
        hosts = list(tenant.domains.order_by("-is_primary", "domain").values_list("domain", flat=True))
        return {
            "tenant": tenant.slug,
            "schema": tenant.schema_name,
            "vertical": vertical,
            "domains": hosts,
            "added": added,
        }
