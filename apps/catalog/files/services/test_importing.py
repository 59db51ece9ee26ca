"""Import tests of other tools as drafts, candidates and personas that wait for their validation.

Nothing of a file plays before a person released it.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from apps.catalog.files.domain.test_formats.collecting import Collected, ImportRow
from apps.catalog.files.domain.test_formats.reading import MAX_BYTES, text_of
from apps.catalog.files.domain.test_formats.registry import format_named
from apps.catalog.files.services.importing import add_to_catalog
from apps.catalog.goldens.models import GoldenSession
from apps.catalog.goldens.services.versions import store_golden_version
from apps.catalog.scenarios.domain.document import can_fail
from apps.core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTests:
    """The table of a file, and how many items are new by section; `there` were there already and stayed as they are."""

    source: str
    file: str
    rows: tuple[ImportRow, ...]
    created: dict[str, int]
    there: int
    dry_run: bool
    assert_nothing: int = 0

    @property
    def unasserted(self) -> str:
        """The first line of the table where scenarios were taken that nothing can fail; "" for none."""
        if not self.assert_nothing:
            return ""
        scenarios = sum(row.became == "scenario" for row in self.rows)
        return (
            f"{self.assert_nothing} of {scenarios} scenarios assert nothing: they play, and nothing in them can fail; "
            "add an assertion or a criterion before you release them"
        )

    @property
    def taken(self) -> int:
        return len(self.rows) - len(self.refused)

    @property
    def refused(self) -> list[ImportRow]:
        return [row for row in self.rows if row.became == "refused"]

    def as_json(self) -> dict[str, Any]:
        return {
            "format": self.source,
            "file": self.file,
            "dry_run": self.dry_run,
            "taken": self.taken,
            "refused": len(self.refused),
            "assert_nothing": self.assert_nothing,
            "created": self.created,
            "already_there": self.there,
            "rows": [row.as_json() for row in self.rows],
        }


def read_test_file(path: Path) -> bytes:
    """The bytes of a file of tests, at most one more than may be read. Raises BadInput for what is no plain file."""
    if not path.is_file():
        raise BadInput(f"{path} is no file", code="no_such_file", pointer="")
    try:
        with path.open("rb") as handle:
            return handle.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error}", code="no_such_file", pointer="") from error


def import_tests(
    *, source: str, raw: bytes, file: str, at: datetime, by: str = "", dry_run: bool = False
) -> ImportedTests:
    """Bring in what a file of another tool holds; scenarios as drafts, golden sessions as candidates, personas pending.

    A case that is wrong is refused with its place and the others are taken, all in one transaction. The same file again
    changes nothing, and what is there already is left as it is. Raises BadInput for a file that is not of this format,
    too large, no UTF-8, or nested too deeply. One query a section and five a golden session.
    """
    form = format_named(source)
    called = _file_name(file)
    if not called.endswith(form.suffixes):
        raise BadInput(
            f"{called}: files of {form.title} end in {', '.join(form.suffixes)}", code="wrong_suffix", pointer=""
        )
    collected = Collected(source=source, file=called, masked=form.real_people)
    form.read(text_of(raw, called), collected)
    if not collected.rows:
        raise BadInput(f"{called} holds no test case of {form.title}", code="no_cases", pointer="")
    with transaction.atomic():
        created, there = _stored(collected, at=at, by=by)
        if dry_run:
            transaction.set_rollback(True)
    return ImportedTests(
        source=source,
        file=called,
        rows=tuple(collected.rows),
        created=created,
        there=there,
        dry_run=dry_run,
        assert_nothing=sum(
            not can_fail(scenario["assertions"], scenario["must_not"])
            for scenario in collected.sections["scenarios"].values()
        ),
    )


def _stored(found: Collected, *, at: datetime, by: str) -> tuple[dict[str, int], int]:
    keys = {"scenarios": "id"}
    items = {
        section: [{keys.get(section, "name"): name, **item} for name, item in named.items()]
        for section, named in found.sections.items()
        if named
    }
    report = add_to_catalog(items=items, file=found.file, at=at, by=by)
    created = {section: len(names) for section, names in report.created.items()}
    known = set(GoldenSession.objects.filter(name__in=found.goldens).values_list("name", flat=True))
    new = {name: document for name, document in found.goldens.items() if name not in known}
    for name, document in new.items():
        store_golden_version(name=name, document=document, captured_from=f"{found.source}: {found.file}")
    return created | ({"golden_sessions": len(new)} if new else {}), report.unchanged + len(known)


def _file_name(file: str) -> str:
    """The last part of a path, of plain characters alone: what errors, origins and pages call the file."""
    plain = re.sub(r"[^\w .()-]+", "_", file.replace("\\", "/").rpartition("/")[2]).strip()
    return plain[-120:] or "file"
