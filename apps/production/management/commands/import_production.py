"""Command `import_production FILE.jsonl --tenant T [--dry-run]`: import real conversations.

The file has one JSON document a line.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.errors import BadInput
from apps.production.intake.services.importing_file import import_production
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Take in real conversations, one document a line as POST /production/conversations/ takes it: masked, once per "
        "id. Lines that cannot be taken are named with their number, and the others are kept. With --dry-run nothing "
        "is stored. Exit code 0 when every line is in, 1 when some were refused, 2 when none could be taken."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a .jsonl file of production conversations")
        parser.add_argument("--dry-run", action="store_true", help="only read it and say what would be refused")

    def answer(self, *, file: Path, dry_run: bool, **_: Any) -> Any:
        report = import_production(path=file, now=timezone.now(), dry_run=dry_run)
        for refused in report.refused:
            self.note(f"line {refused.line}: {refused.message}")
        if report.refused_lines > len(report.refused):
            self.note(f"… and {report.refused_lines - len(report.refused)} more lines")
        if not report.kept:
            message = f"{file.name}: none of {report.refused_lines} lines could be taken."
            raise BadInput(message, code="nothing_imported")
        return {**report.as_json(), "dry_run": dry_run}, Exit.NO if report.refused_lines else Exit.DONE

    def show(self, answer: Any) -> None:
        refused = answer["refused_lines"]
        verb = "could be taken" if answer["dry_run"] else "taken in, masked"
        self.stdout.write(
            f"{answer['kept']} conversations {verb}: {answer['turns']} turns, {answer['settled']} of them are over; "
            f"{refused} line{'' if refused == 1 else 's'} refused"
        )
