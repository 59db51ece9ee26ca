"""Command `add_api_key --tenant demo`: add a bearer key, printed once, as the last line."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.api.management.expiry import expiry
from apps.api.services.keys import add_api_key
from apps.tenants.commands import TenantCommand
from apps.tenants.domain.roles import CI_SCOPES, KeyScope


class Command(TenantCommand):
    help = "Make an API key (rk_…). It is printed once, as the last line; only its hash is stored."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", default="", help="who uses it, for people")
        parser.add_argument(
            "--scope",
            action="append",
            choices=[scope.value for scope in KeyScope],
            dest="scopes",
            help="read, write, curate (change the team's catalog) or admin (what only an owner "
            "may); may be repeated; default: the first two",
        )
        parser.add_argument("--days", type=float, help="refuse it after so many days; default: never")
        parser.add_argument("--requests-per-minute", type=int, help="its own limit; default: the platform's")

    def answer(
        self,
        *,
        tenant: str,
        name: str,
        scopes: list[str] | None,
        days: float | None,
        requests_per_minute: int | None,
        **_: Any,
    ) -> dict[str, Any]:
        key = add_api_key(
            name=name,
            scopes=scopes or CI_SCOPES,
            expires_at=expiry(days, now=timezone.now()),
            requests_per_minute=requests_per_minute,
        )
        return {"tenant": tenant, "id": str(key.id), "name": name, "secret": key.secret}

    def show(self, answer: Any) -> None:
        self.note(f"A new API key of {answer['tenant']}; keep it now, it is not shown again:")
        self.stdout.write(answer["secret"])
