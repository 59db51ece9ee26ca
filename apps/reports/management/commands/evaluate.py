"""Command `evaluate --run R --config C`, and `evaluate FILE.jsonl --config C [--out rows.csv]`.

It judges a run, or a file into a table.
"""

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.errors import BadInput
from apps.evaluations.management.progress_bar import ProgressBar
from apps.evaluations.requests.services.creating import CreatedEvaluation, request_evaluation
from apps.evaluations.requests.services.judge_here import judge_here
from apps.reports.management.measuring import MeasuringCommand
from apps.reports.management.table_file import format_of, write_table
from apps.reports.tables.services.exporting import export_results
from apps.runs.chat_files.services.import_report import RefusedLine
from apps.runs.chat_files.services.reading import chat_file
from apps.runs.imports.services.jsonl import read_file
from apps.tenants.commands import Exit
from apps.tenants.queries import workflow_config

INTERRUPTED = 130  # as a shell has it for a program that Ctrl-C ended


class Command(MeasuringCommand):
    help = (
        "Judge a run, or a file of conversations, with an evaluator config version. A file is imported, judged by this "
        "command itself (no worker is needed) and, with --out, written as a table. Exit code for a file, or with "
        "--wait: 0 when the score reaches the pass mark and no blocking criterion stops a conversation, 1 when not or "
        "when lines were refused, 3 when nothing could be measured."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("file", nargs="?", type=Path, help="a .jsonl file of conversation documents")
        which.add_argument("--run", type=uuid.UUID, help="the id of a run that is there")
        parser.add_argument("--config", required=True, help="name (its active version), or name@version")
        parser.add_argument("--out", type=Path, metavar="TABLE", help="with a file: a .csv, .jsonl or .parquet")
        parser.add_argument(
            "--no-cache", action="store_true", help="ask although the same question was answered before"
        )
        parser.add_argument("--repeat", type=int, default=1, help="2, 3, …: ask once more, beside the first answers")
        parser.add_argument("--pull-request", default="", help="whose budget pays, as CI names it")

    def answer(
        self,
        *,
        tenant: str,
        run: uuid.UUID | None,
        file: Path | None,
        config: str,
        out: Path | None,
        wait: bool,
        timeout: float,
        **options: Any,
    ) -> Any:
        how = {
            "use_cache": not options["no_cache"],
            "repeat": options["repeat"],
            "pull_request": options["pull_request"],
        }
        if file is not None:
            return self._from_file(tenant, file, config, out, timeout, how)
        if out is not None:
            raise BadInput(
                "--out goes with a file of conversations; for a run: export_results --run", code="bad_option"
            )
        created = request_evaluation(config=config, run_id=run, now=timezone.now(), triggered_by="command", how=how)
        return self.measured(
            tenant=tenant,
            run_id=created.run_id,
            evaluation_id=created.evaluation_id,
            wait=wait,
            timeout=timeout,
            report=options["report"],
        )

    def _from_file(
        self, tenant: str, file: Path, config: str, out: Path | None, timeout: float, how: Mapping[str, Any]
    ) -> Any:
        format = format_of(out) if out else None
        created, refused = self._import(file, config, how)
        stopped = self._judge(tenant, created, timeout)
        answer, code = self.outcome(
            run_id=created.run_id, evaluation_id=created.evaluation_id, waited=True, stopped=stopped
        )
        answer["refused"] = [one.as_json() for one in refused]
        if out is not None and format is not None:
            rows: list[int] = []
            write_table(out, export_results(format=format, evaluation_id=created.evaluation_id, count=rows.append))
            answer |= {"rows": sum(rows), "file": str(out), "format": format}
        return answer, max(code, Exit.NO if refused else Exit.DONE)

    def _import(self, file: Path, config: str, how: Mapping[str, Any]) -> tuple[CreatedEvaluation, list[RefusedLine]]:
        """The good lines as a run and its evaluation, together or not at all; the bad ones are told."""
        if not file.is_file():
            raise BadInput(f"There is no file {file}.", code="no_such_file")
        documents, refused = read_file(chat_file(file))
        for one in refused:
            self.note(f"line {one.line}: {one.message}")
        if not documents:
            raise BadInput(f"{file.name}: none of {len(refused)} lines could be taken.", code="nothing_imported")
        created = request_evaluation(
            config=config,
            documents=documents,
            now=timezone.now(),
            triggered_by="command",
            how=how,
            run_name=file.name,
        )
        return created, refused

    def _judge(self, tenant: str, created: CreatedEvaluation, timeout: float) -> str:
        """Judge in this process; return why judging stopped for lack of money, empty when it ended."""
        concurrency = workflow_config(tenant).max_concurrent_judgements
        try:
            with ProgressBar("judging") as bar:
                return judge_here(
                    evaluation_id=created.evaluation_id,
                    slots=settings.JUDGING_LANES,
                    concurrency=concurrency,
                    now=timezone.now,
                    on_progress=bar.update,
                    timeout_s=timeout,
                ).stopped
        except KeyboardInterrupt:
            self.note(
                f"Interrupted. Workers judge the rest of evaluation {created.evaluation_id} when they run (make up); "
                f"then: export_results --evaluation {created.evaluation_id}"
            )
            raise SystemExit(INTERRUPTED) from None

    def show(self, answer: Any) -> None:
        super().show(answer)
        if answer.get("refused"):
            self.stdout.write(f"{len(answer['refused'])} lines refused")
        if "rows" in answer:
            self.stdout.write(f"{answer['rows']} rows in {answer['file']}")
