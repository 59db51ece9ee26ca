"""Command `add_webhook_key --tenant demo`: add a signing secret, printed once, as the last line."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.api.management.expiry import expiry
from apps.api.services.keys import add_webhook_key
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Make a Standard Webhooks secret (whsec_…). It is printed once, as the last line, and stored encrypted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", default="", help="who uses it, for people")
        parser.add_argument("--days", type=float, help="refuse it after so many days; default: never")

    def answer(self, *, tenant: str, name: str, days: float | None, **_: Any) -> dict[str, Any]:
        key = add_webhook_key(name=name, expires_at=expiry(days, now=timezone.now()))
        return {"tenant": tenant, "id": str(key.id), "name": name, "secret": key.secret}

    def show(self, answer: Any) -> None:
        self.note(f"A new webhook key of {answer['tenant']}; keep it now, it is not shown again:")
        self.stdout.write(answer["secret"])
