"""Command `import_people FILE.csv --tenant T [--dry-run]`: import staff and owners.

Every masking looks for their names.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from apps.core.errors import BadInput
from apps.production.privacy.services.identity_list import import_people
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Add the people of a CSV file (name,role) to the identity list. Lines that cannot be read are named, and the "
        "others are kept; nobody is taken off the list. Exit code 0, 1 when lines were left out, 2 when nobody could "
        "be read. Repeating it changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a CSV file in UTF-8: name,role")
        parser.add_argument("--dry-run", action="store_true", help="only read it and say what would be left out")

    def answer(self, *, file: Path, dry_run: bool, **_: Any) -> Any:
        try:
            text = file.read_text(encoding="utf-8-sig")
        except OSError:
            raise BadInput(f"There is no file {file}.", code="no_such_file") from None
        except UnicodeDecodeError:
            raise BadInput(f"{file.name} is not UTF-8.", code="not_utf8") from None
        report = import_people(text=text, dry_run=dry_run)
        for problem in report.problems:
            self.note(f"line {problem.line}: {problem.message}")
        if not report.added and not report.known:
            raise BadInput(f"{file.name}: nobody could be read.", code="nobody_listed")
        return {**report.as_json(), "dry_run": dry_run}, Exit.NO if report.problems else Exit.DONE

    def show(self, answer: Any) -> None:
        verb = "would be added" if answer["dry_run"] else "added"
        left_out = len(answer["refused"])
        self.stdout.write(
            f"{answer['added']} people {verb}, {answer['known']} listed already; "
            f"{left_out} line{'' if left_out == 1 else 's'} left out"
        )
