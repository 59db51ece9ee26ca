"""Command `replay --session S …`: send the user turns of golden sessions to an agent again."""

import argparse
import uuid
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from apps.evaluations.requests.services.battles import replay_run
from apps.reports.management.golden_runs import GoldenRunCommand


class Command(GoldenRunCommand):
    help = (
        "Replay golden sessions against an agent. Exit code with --wait: 0 where their checks pass, and with --config "
        "the score; 1 where one fails; 3 where none fails and something could not be measured (without a model: the "
        "four judged checks); 1 too where all could be measured and one is undecided."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--transport",
            type=_named,
            default=None,  # a text would be read as if it had been given
            help="agentx, a2a, http or auto; by default agentx where the agent has it, else its own",
        )

        parser.add_argument(
            "--no-judged-gates",
            action="store_false",
            dest="judge_gates",
            help="ask no model about replies that do not open their gate",
        )

    def start(self, options: Mapping[str, Any], **common: Any) -> uuid.UUID:
        return replay_run(transport=options["transport"] or "", judge_gates=options["judge_gates"], **common)


def _named(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty: name agentx, a2a, http or auto, or leave the option out")
    return text
