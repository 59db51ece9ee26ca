"""The catalogs that ship with the product."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from apps.catalog.domain.catalog_yaml import load
from apps.catalog.files.services.import_report import ImportReport
from apps.catalog.files.services.importing import import_catalog
from apps.core.errors import NotFound

FOLDER = Path(__file__).resolve().parents[2] / "packs"
BY_NAME = FOLDER.parent / "packs_by_name"  # no part of `all`: who attacks an agent chooses to
CORE = "core"


def pack_names() -> list[str]:
    """The packs that can be loaded by name, without `core`, which comes with each of them."""
    folders = [*FOLDER.iterdir(), *BY_NAME.iterdir()]
    return sorted(folder.name for folder in folders if folder.is_dir() and folder.name != CORE)


@dataclass(frozen=True, slots=True)
class PackContents:
    """The contents of a shipped pack: `counts` in words, and the names of the configs it publishes."""

    counts: str
    configs: frozenset[str]


@cache
def pack_contents() -> dict[str, PackContents]:
    """{name: contents} of every pack but `core`, from its files; read once a process. No query."""
    return {name: _contents(_folder(name)) for name in pack_names()}


def _folder(name: str) -> Path:
    return BY_NAME / name if (BY_NAME / name).is_dir() else FOLDER / name


def _contents(folder: Path) -> PackContents:
    sections: dict[str, list[str]] = {}
    for file in sorted(folder.glob("*.yaml")):
        for document in load(file.read_text(encoding="utf-8"), file.name):
            for section, items in document.value.items():
                sections.setdefault(section, []).extend(str(item.get("name") or item.get("id")) for item in items)
    one = {"criteria": "criterion"}
    words = (
        f"{len(names)} {(section if len(names) > 1 else one.get(section, section[:-1])).replace('_', ' ')}"
        for section, names in sections.items()
    )
    return PackContents(", ".join(words), frozenset(sections.get("evaluator_configs", ())))


def load_pack(name: str = "all", *, at: datetime, by: str = "") -> ImportReport:
    """Bring in a shipped catalog and the core criteria it rests on; `all` is every one but those that are brought in
    by name alone.

    Adds what is missing and leaves alone what is there, so a curator's edits survive. Safe to repeat; seven queries
    when nothing is missing. Raises NotFound with the names there are.
    """
    if name != "all" and name not in pack_names():
        raise NotFound(f"there is no pack {name!r}; known are all, {', '.join(pack_names())}")
    paths = [FOLDER] if name == "all" else [FOLDER / CORE, _folder(name)]
    return import_catalog(paths=paths, at=at, by=by, only_new=True)
