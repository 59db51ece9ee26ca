"""export_catalog PATH --tenant SLUG: the whole catalog as YAML that import_catalog reads back unchanged."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from apps.catalog.files.services.exporting import export_catalog
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = "Write the catalog as YAML: one file when PATH ends in .yaml, else a folder. Secrets are never written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", metavar="PATH", type=Path, help="a .yaml file, or a folder to write into")

    def answer(self, **options: Any) -> dict[str, Any]:
        path: Path = options["path"]
        return {"path": str(path), "written": export_catalog(path=path)}

    def show(self, answer: Any) -> None:
        counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in answer["written"].items())
        self.stdout.write(f"{answer['path']}: {counts}")
