"""Command `check_judge --config C`."""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.calibration.services.judge_check import check_judge, find_version
from apps.catalog.configs.services.versions import publish
from apps.core.actor import os_user
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "Try a version's judge on 20 conversations with known answers in English, Swahili and Italian. Exit code 0 "
        "when it reaches the floor, 1 when it does not, 2 for wrong use, 3 when it answers nothing or cannot be paid. "
        "A version whose judge was found below the floor is not published, unless --despite gives a reason."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--config", required=True, help="name@version, drafts too; a name alone is its newest")
        parser.add_argument("--publish", action="store_true", help="publish the draft when its judge passes")
        parser.add_argument("--despite", default="", metavar="REASON", help="publish although the judge did not pass")

    def answer(self, *, config: str, publish: bool, despite: str, **_: Any) -> Any:
        row = find_version(config)
        checked = check_judge(version_id=row.pk, now=timezone.now)
        published = False
        if publish and (checked.passed or despite.strip()):
            _publish(row.pk, despite)
            published = True
        return {**checked.as_json(), "published": published}, Exit.DONE if checked.passed or published else Exit.NO

    def show(self, answer: Any) -> None:
        verdict = "reaches the floor" if answer["passed"] else "is below the floor"
        self.stdout.write(f"{answer['judge']} as the judge of {answer['evaluator_config']} {verdict}")
        languages = ", ".join(f"{name} {share:.0%}" for name, share in sorted(answer["by_language"].items()))
        self.stdout.write(
            f"  usable replies {answer['valid']:.0%} (at once {answer['first_time']:.0%}), cut off {answer['cut']:.0%},"
            f" without the nonce {answer['without_nonce']:.0%},"
            f" without the key of the numbers {answer['without_key']:.0%}"
        )
        criteria = ", ".join(f"{name} {share:.0%}" for name, share in sorted(answer["by_criterion"].items()))
        self.stdout.write(f"  known answers given {answer['agreement']:.0%} ({languages}; {criteria})")
        cost = "unknown" if answer["cost_usd"] is None else f"${answer['cost_usd']:.4f}"
        self.stdout.write(f"  {answer['seconds']:.1f} s an answer at the median, cost {cost} in all")
        for line in (*answer["shortfalls"], *answer["wrong"][:10]):
            self.stdout.write(f"  - {line}")
        if answer["published"]:
            self.stdout.write(f"{answer['evaluator_config']} is published")


def _publish(version_id: Any, despite: str) -> None:
    publish(version_id=version_id, at=timezone.now(), by=os_user(), despite_check=despite)
