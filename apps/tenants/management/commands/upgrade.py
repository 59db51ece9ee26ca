"""`upgrade`: every schema up to this code. Seconds when nothing changed; repeat it after a kill."""

from typing import Any

from apps.tenants.commands import Exit, RatibaCommand
from apps.tenants.upgrading import upgrade_all


class Command(RatibaCommand):
    help = "Migrate the public schema and every tenant that is behind. A tenant that fails is named; the others go on."

    def answer(self, **_: Any) -> Any:
        done = upgrade_all(on_tenant=self._tell)
        answer = {"public_migrated": done.public, "tenants_migrated": done.migrated, "broken": dict(done.broken)}
        return answer, Exit.NO if done.broken else Exit.DONE

    def _tell(self, slug: str, problem: str | None) -> None:
        self.note(f"{slug}: {problem or 'migrated'}")

    def show(self, answer: Any) -> None:
        public = "migrated" if answer["public_migrated"] else "up to date"
        self.stdout.write(f"public schema: {public}; tenants migrated: {answer['tenants_migrated']}")
        for slug, problem in answer["broken"].items():
            self.stdout.write(f"  broken, and closed until it is mended: {slug} ({problem})")
