"""`retention --tenant T [--dry-run]`: what real customers said goes when its time is over."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.production.services.retention import delete_all_expired, expired
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Delete the turns, comments, quotes and digests of real conversations that were kept for `keep_days`; workers "
        "do it by themselves. What became a test keeps its masked scenario. With --dry-run nothing is deleted. "
        "Exit code 0. Repeating it changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def answer(self, *, dry_run: bool, **_: Any) -> Any:
        now = timezone.now()
        found = expired(now=now) if dry_run else delete_all_expired(now=now)
        return {**found.as_json(), "dry_run": dry_run}

    def show(self, answer: Any) -> None:
        verb = "would be deleted" if answer["dry_run"] else "deleted"
        self.stdout.write(
            f"{answer['conversations']} conversations {verb}: {answer['turns']} turns, {answer['feedback']} ratings' "
            f"comments; {answer['promoted']} of them are tests, which stay"
        )
