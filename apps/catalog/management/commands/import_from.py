"""import_from FORMAT PATH --tenant SLUG: the tests of other tools."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from apps.catalog.files.domain.test_formats.collecting import section_counts
from apps.catalog.files.domain.test_formats.registry import FORMATS
from apps.catalog.files.services.test_importing import import_tests, read_test_file
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Bring in the tests of another tool as drafts: nothing plays before a person released it. Exit code 0 when "
        "every case is in, 1 when some were refused, 2 when none could be taken. The same file again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("format", choices=tuple(FORMATS), help="whose file it is")
        parser.add_argument("path", metavar="PATH", type=Path, help="the file")
        parser.add_argument("--dry-run", action="store_true", help="show the table and store nothing")

    def answer(self, *, path: Path, dry_run: bool, **options: Any) -> Any:
        done = import_tests(
            source=options["format"],
            raw=read_test_file(path),
            file=path.name,
            at=timezone.now(),
            by="import_from",
            dry_run=dry_run,
        )
        code = Exit.DONE if not done.refused else Exit.NO if done.taken else Exit.WRONG_USE
        return done.as_json() | {"unasserted": done.unasserted}, code

    def show(self, answer: Any) -> None:
        if answer["unasserted"]:
            self.stdout.write(answer["unasserted"])
        for row in answer["rows"]:
            what = row["why"] if row["became"] == "refused" else row["name"]
            self.stdout.write(f"{answer['file']} {row['place']}: {row['became']}: {what}")
            for left in row["left_out"]:
                self.stdout.write(f"    without: {left}" if "masked" not in left else f"    {left}")
        new = ", ".join(section_counts(answer["created"])) or "nothing"
        tense = "would be new" if answer["dry_run"] else "new, waiting for a person"
        self.stdout.write(
            f"{answer['taken']} taken, {answer['refused']} refused; {tense}: {new}; "
            f"there already: {answer['already_there']}"
        )
