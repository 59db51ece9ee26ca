"""`record_prompt FILE --tenant T [--name N] [--draft]`: a prompt file becomes a version."""

from typing import Any

from django.core.management.base import CommandParser

from apps.catalog.services.prompts import record_prompt
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Keep a prompt file as a version, named after the commit that last changed it, and print that name. A version "
        "that is new is live from then on: it is played where nobody names one. With --draft it is only recorded."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--name", default=None, help="the prompt's name; default: the file's, without its ending")
        parser.add_argument("--draft", action="store_true", help="record it without making it live")

    def answer(self, *, tenant: str, file: str, name: str | None, draft: bool, **_: Any) -> dict[str, Any]:
        version = record_prompt(path=file, name=name, draft=draft, by="command")
        return {"tenant": tenant, "version": version, "draft": draft}

    def show(self, answer: Any) -> None:
        self.stdout.write(answer["version"])
