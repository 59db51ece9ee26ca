"""Command `import_conversations FILE`: import conversations from elsewhere, in any known form."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.errors import BadInput
from apps.core.subject import FIELDS, UNNAMED, read_subject
from apps.runs.chat_files.domain.transcripts import reading_of
from apps.runs.imports.services.jsonl import import_file
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Import conversations: JSON lines, a JSON list, one JSON document, a CSV with a row a message, a WhatsApp "
        "chat, a transcript. It says what it took the file for. Lines that cannot be taken are reported with their "
        "number and the others are kept. Exit code 0 when every line is in, 1 when some were refused, 2 when none "
        "could be taken."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="a file of conversations")
        parser.add_argument("--customer", default="", help="who of the speakers is the customer, where nothing says it")
        parser.add_argument(
            "--columns", "--map", default="", help="of a CSV: speaker=COLUMN,text=COLUMN,conversation=COLUMN"
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
        how = reading_of(customer=options["customer"], columns=options["columns"])
        report = import_file(path=file, into=into, name=name or file.name, now=timezone.now(), subject=subject, how=how)
        if report.form:
            self.note(f"{file.name} was taken for {report.form}. It begins:")
        for line in report.shown:
            self.note(f"    {line}")
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
