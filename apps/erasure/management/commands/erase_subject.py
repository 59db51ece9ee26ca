"""Command `erase_subject`: erase a person's words.

It takes `--tenant T --phone P|--email E|--customer-id C|--wa-id W [--name N …] [--dry-run]`.
"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.actor import os_user
from apps.erasure.domain.subject import read_request
from apps.erasure.services.erasing import find_subject
from apps.erasure.services.requests import erase_now
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Erase what a person said and what was written of them: in the tenant's tables, in the log and in files of the "
        "state folder. Scores and counts stay. The receipt counts by place and holds no content. Workers look once "
        "more after 15 minutes. With --dry-run nothing is changed, and each place is shown with the words beside it. "
        "Exit code 0, also where nothing was found. Repeating it changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--phone", help="in any spelling")
        parser.add_argument("--email")
        parser.add_argument("--customer-id", help="as it was posted in customer_ref")
        parser.add_argument("--wa-id", help="as WhatsApp calls the person")
        parser.add_argument(
            "--name", action="append", default=[], dest="names", help="searched everywhere as it is given; repeatable"
        )
        parser.add_argument("--dry-run", action="store_true", help="only find, and show where")

    def answer(
        self,
        *,
        phone: str | None,
        email: str | None,
        customer_id: str | None,
        wa_id: str | None,
        names: list[str],
        dry_run: bool,
        **_: Any,
    ) -> Any:
        given = {"phone": phone, "email": email, "customer_id": customer_id, "wa_id": wa_id, "names": names}
        subject = read_request({name: value for name, value in given.items() if value}).subject
        if dry_run:
            receipt = find_subject(subject=subject, everywhere=True)
            return {**receipt.as_json(), "hits": receipt.hits, "dry_run": True}
        return {
            **erase_now(subject=subject, requested_by=f"command by {os_user()}", now=timezone.now()),
            "dry_run": False,
        }

    def show(self, answer: Any) -> None:
        verb = "would be erased" if answer["dry_run"] else "erased"
        rows, quotes = sum(answer["rows"].values()), sum(answer["quotes"].values())
        self.stdout.write(
            f"{answer['conversations']} conversations {verb}: {rows} rows of them, {answer['words_in_all']} places "
            f"with the person's words, {quotes} rows that quote them, {answer['cache_entries']} cached answers, "
            f"{answer['words_in_files']} places in files"
        )
        for hit in answer.get("hits", ()):
            self.stdout.write(f"  {hit['place']} {hit['row']}: {hit['text']}")
        for place, count in (answer["words"] | answer["files"]).items():
            self.stdout.write(f"  {place}: {count}")
        for path in answer["unreadable"]:
            self.stdout.write(f"  not opened, look yourself: {path}")
        for node in answer.get("nodes_open", ()):
            self.stdout.write(f"  files and logs of {node} have not been cleaned yet: it does so within the hour")
        for node in answer.get("nodes_gone", ()):
            self.stdout.write(f"  {node} has been silent for a day: delete its state and log folders, or erase there")
