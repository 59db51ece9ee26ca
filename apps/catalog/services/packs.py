"""The catalogs that ship with the product."""

from datetime import datetime
from pathlib import Path

from apps.catalog.services.importing import ImportReport, import_catalog
from apps.core.errors import NotFound

FOLDER = Path(__file__).resolve().parent.parent / "packs"
CORE = "core"


def pack_names() -> list[str]:
    """What can be loaded by name, `core` apart, which comes with each of them."""
    return sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir() and folder.name != CORE)


def load_pack(name: str = "all", *, at: datetime, by: str = "") -> ImportReport:
    """Bring in a shipped catalog and the core criteria it rests on; `all` is every one.

    Adds what is missing and leaves alone what is there, so a curator's edits survive. Safe to repeat; seven queries
    when nothing is missing. Raises NotFound with the names there are.
    """
    if name != "all" and name not in pack_names():
        raise NotFound(f"there is no pack {name!r}; known are all, {', '.join(pack_names())}")
    paths = [FOLDER] if name == "all" else [FOLDER / CORE, FOLDER / name]
    return import_catalog(paths=paths, at=at, by=by, only_new=True)
