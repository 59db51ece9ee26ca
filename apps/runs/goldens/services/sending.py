"""Store a golden session that somebody sends as files, as importing them would do.

The same files sent again change nothing.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from django.db import transaction

from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.domain.session import GoldenSnapshot, document_digest
from apps.catalog.goldens.queries.versions import current_goldens
from apps.catalog.goldens.services.versions import keep_files, store_golden_version
from apps.catalog.models import GoldenVersion
from apps.core.errors import BadInput
from apps.runs.goldens.services.approval import approve_golden, released_document
from apps.runs.goldens.services.files import GoldenFile, read_golden, whole_document


@dataclass(frozen=True, slots=True, kw_only=True)
class SentGolden:
    """The version that counts now; `created` says whether it is new. `notes` name files that are missing,
    gates that were replaced and dates that stay."""

    name: str
    number: int
    created: bool
    notes: tuple[str, ...]


def store_sent_golden(
    *, document: str, files: Mapping[str, str], attachments: Mapping[str, bytes], by: str, now: datetime
) -> SentGolden:
    """Keep the golden session in `files[document]` and approve it, masked, as an import does.

    What was approved already from the same files stays the version that counts. Raises BadInput with the pointer;
    nothing is stored then. Names are plain file names: the caller has looked. Ten queries.
    """
    return _keep(_read_sent(document, files, attachments), by=by, now=now)


def sent_golden_tried(
    *, document: str, files: Mapping[str, str], attachments: Mapping[str, bytes], now: datetime
) -> GoldenSnapshot:
    """Return the golden session as `store_sent_golden` would keep it, and keep nothing but its files.

    It is masked and its gates are proven; the files' bytes stay, by their digest. Number 0 and no version id, where the
    server does not have just this one. Raises what `store_sent_golden` raises. Thirteen queries.
    """
    golden = _read_sent(document, files, attachments)
    with transaction.atomic():
        stored = _keep(golden, by="a run", now=now)
        snapshot = current_goldens([golden.name])[golden.name]
        transaction.set_rollback(True)
    keep_files(golden.files)
    return replace(snapshot, number=0, version_id="") if stored.created else snapshot


def _keep(golden: GoldenFile, *, by: str, now: datetime) -> SentGolden:
    newest = (
        GoldenVersion.objects.filter(golden__name=golden.name, status=GoldenStatus.APPROVED).order_by("-number").first()
    )
    if newest is not None and _is_same(golden, newest):
        return SentGolden(name=golden.name, number=newest.number, created=False, notes=golden.notes)
    with transaction.atomic():
        source = str(golden.document.extra.get("captured_from") or "api")
        stored = store_golden_version(
            name=golden.name, document=golden.body, profile=golden.profile, captured_from=source, files=golden.files
        )
        notes = golden.notes
        if stored.status is GoldenStatus.CANDIDATE:
            notes += approve_golden(version_id=stored.version_id, by=by, now=now).notes
    return SentGolden(name=golden.name, number=stored.number, created=True, notes=notes)


def _read_sent(document: str, files: Mapping[str, str], attachments: Mapping[str, bytes]) -> GoldenFile:
    if document not in files:
        there = f"there are {', '.join(files)}" if files else "there are none"
        raise BadInput(f"there is no file {document!r} under files; {there}", pointer="/document")
    with tempfile.TemporaryDirectory(prefix="ratiba-golden-") as name:
        return _read(Path(name), document, files, attachments)


def _read(folder: Path, document: str, files: Mapping[str, str], attachments: Mapping[str, bytes]) -> GoldenFile:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "attachments").mkdir()
    for name, content in attachments.items():
        (folder / "attachments" / name).write_bytes(content)
    path = folder / document
    whole = whole_document(path)
    if whole is None or len(whole) != 1:
        raise BadInput("must be one JSON document", pointer=f"/files/{document}")
    try:
        return read_golden(whole[0], folder=folder, default_id=path.stem)
    except BadInput as error:
        where = f" (at {error.pointer})" if error.pointer else ""
        raise BadInput(f"{error.message}{where}", code=error.code, pointer=f"/files/{document}") from error


def _is_same(golden: GoldenFile, version: GoldenVersion) -> bool:
    """Tell whether these files would be approved as this version: masked as on the day it was."""
    if version.profile != golden.profile:
        return False
    released, _ = released_document(golden.body, now=version.approved_at or version.created_at)
    return bool(document_digest(released) == version.digest)
