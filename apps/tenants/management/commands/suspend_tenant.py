"""Command `suspend_tenant SLUG`: close its pages and stop its work; `--open` takes it back. Its data stay."""

from typing import Any

from django.core.management.base import CommandParser

from apps.tenants.commands import RatibaCommand
from apps.tenants.queries import find_tenant
from apps.tenants.services import suspend_tenant


class Command(RatibaCommand):
    help = "Close a tenant to pages and work; its data stay. With --open, open it again. Safe to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="which tenant")
        parser.add_argument("--open", action="store_true", dest="opened", help="open it again")

    def answer(self, *, slug: str, opened: bool, **_: Any) -> dict[str, Any]:
        suspend_tenant(slug=slug, suspended=not opened)
        return {"tenant": find_tenant(slug).slug, "suspended": not opened}
