"""A draft as a commit in a file: what `git am` makes of it on a branch, and what `git apply` takes too. Pure."""

from collections.abc import Sequence
from datetime import datetime
from email.utils import format_datetime

_MAX_SUBJECT, _MAX_LINE = 72, 500
_FROM = "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001"  # what git knows such a file by


def commit_patch(patch: str, *, version: str, name: str, told: Sequence[str], at: datetime) -> str:
    """The patch with a commit's message before it: which prompt, and where each step came from.

    `told` are sentences; each becomes one line that no header, no `---` and no diff can begin, whoever wrote it.
    """
    subject = _line(f"Prompt {name}: {version}")[:_MAX_SUBJECT]
    return "\n".join(
        [
            _FROM,
            "From: Ratiba Eval <ratiba-eval@localhost>",
            f"Date: {format_datetime(at)}",
            f"Subject: [PATCH] {subject}",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=UTF-8",
            "Content-Transfer-Encoding: 8bit",
            "",
            *(f"* {_line(one)}"[:_MAX_LINE] for one in told),
            "---",
            patch,
        ]
    )


def _line(text: str) -> str:
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())
