"""A table of results as a file that a command writes."""

import os
from collections.abc import Iterator
from pathlib import Path

from apps.core.errors import BadInput
from apps.reports.tables.services.exporting import ExportFormat


def format_of(path: Path) -> ExportFormat:
    """The form that the file's suffix names, for a file that can be written here. Raises BadInput for another one."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in set(ExportFormat):
        known = ", ".join(f".{one.value}" for one in ExportFormat)
        raise BadInput(f"{path} tells no format: a table ends in {known}", code="bad_option", pointer="/out")
    if path.is_dir() or not os.access(path.parent, os.W_OK | os.X_OK):
        raise BadInput(f"cannot write {path}", code="bad_option", pointer="/out")
    return ExportFormat(suffix)


def write_table(path: Path, pieces: Iterator[bytes]) -> None:
    """The whole file or none of it: written beside, then renamed. Raises BadInput where it cannot be written."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            file.writelines(pieces)
        draft.replace(path)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror}", pointer="/out") from error
    finally:
        draft.unlink(missing_ok=True)
