"""`up`: the same as `python -m ratiba_eval.up`, which this process becomes: what stays needs no Django."""

import os
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from ratiba_eval.stack.places import CHECKOUT


class Command(BaseCommand):
    help = "Run web, workers, beat and the example booking agent until Ctrl-C."
    requires_system_checks: list[str] = []  # `make lint` and the tests run them; here they cost a second

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--workers", type=int, help="Celery workers beside the one for control; default 1")
        parser.add_argument("--concurrency", type=int, help="processes of each worker; default 3")
        parser.add_argument(
            "--quiet-logs", action="store_true", help="write the log folder's *.log only, not the terminal"
        )

    def handle(self, *, workers: int | None, concurrency: int | None, quiet_logs: bool, **_: Any) -> None:
        given = [] if workers is None else [f"--workers={workers}"]
        given += [] if concurrency is None else [f"--concurrency={concurrency}"]
        given += ["--quiet-logs"] if quiet_logs else []
        sys.stdout.flush()
        # -P: what lies in the current folder is not ours, whatever it is called.
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
        os.execv(sys.executable, [sys.executable, "-P", "-m", "ratiba_eval.up", *given])  # noqa: S606 - ourselves
