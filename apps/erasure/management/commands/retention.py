"""Command `retention --tenant T [--dry-run]`: delete words when the time of their kind is over."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.plurals import many
from apps.erasure.queries.expired_words import KeptKind, kept_kinds
from apps.erasure.services.retention import delete_all_due_words
from apps.production.retention.services.deleting import delete_all_expired, expired
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Delete the turns, comments, quotes and digests of real conversations that were kept for `keep_days`, and the "
        "words of imported and played ones after `keep_imported_days` and `keep_played_days`; workers do it by "
        "themselves. Scores stay, and what became a test. With --dry-run nothing is deleted. Exit code 0; 1 where a "
        "conversation could not be deleted, which ends none of the others: it is named, and tried again. Repeating it "
        "changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be deleted")

    def answer(self, *, dry_run: bool, **_: Any) -> Any:
        now = timezone.now()
        deletion = expired(now=now) if dry_run else delete_all_expired(now=now)
        kinds = kept_kinds(now=now)
        failed = deletion.failed
        if not dry_run:
            failed |= delete_all_due_words(now=now).failed
        answer = {**deletion.as_json(), "kinds": [_document(kind) for kind in kinds], "dry_run": dry_run}
        return {**answer, "not_deleted": sorted(map(str, failed))}, Exit.NO if failed else Exit.DONE

    def show(self, answer: Any) -> None:
        verb = "would be deleted" if answer["dry_run"] else "deleted"
        self.stdout.write(
            f"{answer['conversations']} conversations {verb}: {answer['turns']} turns, {answer['feedback']} ratings' "
            f"comments; {answer['promoted']} of them are tests, which stay"
        )
        for kind in answer["kinds"]:
            rule = "for ever" if kind["days"] is None else many(kind["days"], "day")
            self.stdout.write(f"{kind['kind']}: kept {rule}, words of {kind['due']} of {kind['held']} {verb}")
        if failed := answer["not_deleted"]:
            self.stdout.write(f"{len(failed)} could not be deleted, and will be tried again: {', '.join(failed)}")


def _document(kind: KeptKind) -> dict[str, Any]:
    return {"kind": kind.kind.value, "days": kind.days, "held": kind.held, "due": kind.due}
