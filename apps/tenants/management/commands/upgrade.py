"""Command `upgrade`: bring every schema up to this code.

It takes seconds when nothing changed; repeat it after a kill.
"""

from typing import Any

from django.core.management.base import CommandParser

from apps.core.errors import BadInput
from apps.tenants.commands import Exit, RatibaCommand
from apps.tenants.upgrading import MAX_PROCESSES, upgrade_all, usual_parallel


class Command(RatibaCommand):
    help = "Migrate the public schema and every tenant that is behind. A tenant that fails is named; the others go on."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--parallel",
            type=int,
            default=usual_parallel(),
            help=f"processes that share the tenants, 1 to {MAX_PROCESSES}; default: one a processor",
        )

        parser.add_argument(
            "--allow-broken",
            action="store_true",
            help="exit 0 although a tenant is broken and closed: what starts behind this is for the others",
        )

    def answer(self, *, parallel: int, allow_broken: bool, **_: Any) -> Any:
        if not 1 <= parallel <= MAX_PROCESSES:
            raise BadInput(f"--parallel is 1 to {MAX_PROCESSES}")
        done = upgrade_all(on_tenant=self._tell, parallel=parallel)
        answer = {"public_migrated": done.public, "tenants_migrated": done.migrated, "broken": dict(done.broken)}
        return answer, Exit.NO if done.broken and not allow_broken else Exit.DONE

    def _tell(self, slug: str, problem: str | None) -> None:
        self.note(f"{slug}: {problem or 'migrated'}")

    def show(self, answer: Any) -> None:
        public = "migrated" if answer["public_migrated"] else "up to date"
        self.stdout.write(f"public schema: {public}; tenants migrated: {answer['tenants_migrated']}")
        for slug, problem in answer["broken"].items():
            self.stdout.write(f"  broken, and closed until it is mended: {slug} ({problem})")
