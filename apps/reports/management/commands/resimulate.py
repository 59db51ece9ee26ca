"""Command `resimulate --session S --persona P …`: let personas pursue goals of golden sessions freely."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from apps.evaluations.requests.services.battles import resimulation_run
from apps.reports.management.golden_runs import GoldenRunCommand


class Command(GoldenRunCommand):
    help = (
        "Play battles whose goal, opening and language come from golden sessions, with personas as their customers. "
        "The report says where each conversation left the golden session's way. Exit code with --wait as of start_run; "
        "the four judged checks count, too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--persona", action="append", dest="personas", required=True, help="its name, or eligible; may be repeated"
        )
        parser.add_argument(
            "--max-turns", type=int, default=None, help="messages at most; default: twice the golden session's"
        )

    def start(self, options: Mapping[str, Any], **common: Any) -> uuid.UUID:
        personas = options["personas"]
        return resimulation_run(
            personas="eligible" if personas == ["eligible"] else personas, max_turns=options["max_turns"], **common
        )
