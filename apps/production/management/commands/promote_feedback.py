"""Command `promote_feedback --tenant T [--since D] [--out DIR]`: make candidate scenarios.

They come from conversations that customers did not like, and from surprising ones.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.actor import os_user
from apps.core.errors import BadInput
from apps.production.promotion.services.promoting_feedback import promote_feedback
from apps.production.promotion.services.scenario_files import write_scenario_files
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Make candidate scenarios of conversations that customers gave a thumbs-down since the last promotion, and of "
        "those that went better or worse than usual; nothing is played before a person releases it. Repeating it "
        "changes nothing. With --out, those that name what must not happen again are written as files of layer 5. "
        "Exit code 0; 1 when some could not be promoted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--since", default="", metavar="DAY", help="feedback from this day on, like 2026-11-24")
        parser.add_argument("--out", type=Path, metavar="DIR", help="tests/eval/conversations/from_production")

    def answer(self, *, since: str, out: Path | None, **_: Any) -> Any:
        begins = _moment(since)
        report = promote_feedback(now=timezone.now(), since=begins, by=f"command by {os_user()}")
        answer = report.as_json()
        for refused in report.refused:
            self.note(f"{refused['conversation']}: {refused['sentence']}")
        if out is not None:
            files = write_scenario_files(out=out, since=begins)
            answer["files"] = files.as_json()
            for one in files.left_out:
                self.note(f"{one['scenario']}: not written, {one['sentence']}")
            for path in files.edited:
                self.note(f"{path}: says something else than the scenario now, and stays as it is")
        return answer, Exit.NO if report.refused else Exit.DONE

    def show(self, answer: Any) -> None:
        blocked = sum(one["masking_blocked"] for one in answer["promoted"])
        self.stdout.write(
            f"{len(answer['promoted'])} new candidates ({blocked} wait for a look at their masking, "
            f"{answer['surprising']} surprised), "
            f"{len(answer['known'])} known already, {len(answer['refused'])} not promoted"
        )
        for one in answer["promoted"]:
            self.stdout.write(f"  {one['scenario']}")
        if "files" in answer:
            files = answer["files"]
            self.stdout.write(f"{len(files['written'])} files written, {len(files['unchanged'])} unchanged")


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--since {text!r} is no day like 2026-11-24", code="bad_option", pointer="/since") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
