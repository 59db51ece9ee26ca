"""Command `langfuse_dataset push|pull DATASET --tenant T [--source S] [--dry-run]`.

It puts tests into a Langfuse, and reads them from it.
"""

from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.production.langfuse.services.datasets import pull_dataset, push_dataset
from apps.tenants.commands import Exit, TenantCommand


class Command(TenantCommand):
    help = (
        "push: released scenarios and approved golden sessions become items of a dataset in the team's Langfuse. pull: "
        "its items come in as drafts and candidates, which a person releases. Exit code 0, 1 when some items were "
        "refused, 2 when none could be taken, 3 when the Langfuse does not answer. Repeating it changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("way", choices=("push", "pull"))
        parser.add_argument("dataset", help="its name in Langfuse")
        parser.add_argument("--source", default="", help="the Langfuse source, where the tenant has several")
        parser.add_argument("--dry-run", action="store_true", help="store and send nothing")

    def answer(self, *, way: str, dataset: str, source: str, dry_run: bool, **_: Any) -> Any:
        if way == "push":
            items = push_dataset(source=source, dataset=dataset, dry_run=dry_run)
            return {"way": way, "dataset": dataset, "items": items, "dry_run": dry_run}, Exit.DONE
        done = pull_dataset(source=source, dataset=dataset, at=timezone.now(), dry_run=dry_run)
        code = Exit.DONE if not done.refused else Exit.NO if done.taken else Exit.WRONG_USE
        return {"way": way, "dataset": dataset, **done.as_json()}, code

    def show(self, answer: Any) -> None:
        would = " (nothing was stored or sent)" if answer["dry_run"] else ""
        if answer["way"] == "push":
            self.stdout.write(f"{answer['items']} items in the dataset {answer['dataset']}{would}")
            return
        for row in answer["rows"]:
            if row["became"] == "refused":
                self.stdout.write(f"{row['place']}: refused: {row['why']}")
        self.stdout.write(
            f"{answer['taken']} taken, {answer['refused']} refused; there already: {answer['already_there']}{would}"
        )
