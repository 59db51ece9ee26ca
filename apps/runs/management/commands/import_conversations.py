"""`import_conversations FILE.jsonl`: conversations from elsewhere, one JSON document a line."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.errors import BadInput
from apps.core.subject import FIELDS, UNNAMED, read_subject
from apps.runs.services.jsonl import import_file
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Import conversations, one JSON document a line. Lines that cannot be taken are reported with their number and "
        "the others are kept. Exit code 0 when every line is in, 1 when some were refused, 2 when none could be taken."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="a .jsonl file of conversation documents; with --as golden one .json document too"
        )
        parser.add_argument(
            "--as", dest="into", choices=("run", "golden"), default="run", help="a run to judge, or golden sessions"
        )
        for field in FIELDS:
            parser.add_argument(
                f"--{field.replace('_', '-')}", default="", help=f"of who was tested: the subject's {field}"
            )
        parser.add_argument("--name", default="", help="what to call the run; the file's name by default")

    def answer(self, *, file: Path, into: str, name: str, **options: Any) -> Any:
        if not file.is_file():
            raise BadInput(f"There is no file {file}.", code="no_such_file")
        subject = read_subject({field: options[field] for field in FIELDS if options[field]} or None, "")
        if subject != UNNAMED and into == "golden":
            raise BadInput("Golden sessions have no subject: it belongs to --as run.", code="bad_option")
        report = import_file(path=file, into=into, name=name or file.name, now=timezone.now(), subject=subject)
        for refused in report.refused:
            self.note(f"line {refused.line}: {refused.message}")
        for note in report.notes:
            self.note(note)
        if not report.kept:
            raise BadInput(f"{file.name}: none of {len(report.refused)} lines could be taken.", code="nothing_imported")
        return report.as_json(), Exit.NO if report.refused else Exit.DONE

    def show(self, answer: Any) -> None:
        into = f"run {answer['test_run_id']}" if answer["test_run_id"] else "golden sessions"
        refused = len(answer["refused"])
        self.stdout.write(
            f"{answer['kept']} conversations imported into {into}: {answer['turns']} turns, "
            f"{answer['tool_calls']} tool calls; {refused} line{'' if refused == 1 else 's'} refused"
        )
