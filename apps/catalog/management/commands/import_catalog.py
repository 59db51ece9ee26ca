"""import_catalog PATH… --tenant SLUG: criteria, configs, personas, scenarios, agents and providers from YAML."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from apps.catalog.files.services.importing import import_catalog
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Bring a catalog in from YAML files or folders: all of it or nothing. Importing twice changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH", type=Path, help="a YAML file, or a folder of them")

    def answer(self, **options: Any) -> dict[str, Any]:
        report = import_catalog(paths=options["paths"], at=timezone.now(), by="import_catalog")
        return {
            "created": report.created,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "notes": report.notes,
        }

    def show(self, answer: Any) -> None:
        for done in ("created", "updated"):
            for section, names in answer[done].items():
                self.stdout.write(f"{done} {section.replace('_', ' ')}: {', '.join(names)}")
        if answer["unchanged"] or not (answer["created"] or answer["updated"]):
            self.stdout.write(f"unchanged: {answer['unchanged']}")
        for note in answer["notes"]:
            self.note(f"note: {note}")
