"""A curator edits a golden session: what comes of it is a further version."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from apps.catalog.goldens.domain.session import GoldenSnapshot
from apps.catalog.goldens.queries.versions import golden_version
from apps.catalog.goldens.services.versions import store_golden_version
from apps.runs.goldens.domain.edits import edited
from apps.runs.goldens.domain.gates import with_proven_gates


def edit_golden(
    *, version_id: UUID | str, edits: Mapping[int, Mapping[str, Any]], by: str, note: str = ""
) -> GoldenSnapshot:
    """Return the next candidate version, with these fields of these turns changed and its gates proven.

    The fields are {position: {field: value}}. It is the version itself where nothing differs. It is replayed once
    somebody approves it.

    Raises NotFound, BadInput with the pointer of the field (a pattern that could run for ever among them). Seven
    queries.
    """
    version = golden_version(version_id)
    changed = edited(version.document, edits)
    if changed == version.document:
        return version
    document, _ = with_proven_gates(changed, kept=set(edits))  # what a curator wrote is theirs
    return store_golden_version(
        name=version.name,
        document=document,
        profile=version.profile,
        captured_from=version.captured_from,
        note=note or f"edited by {by}, from version {version.number}",
        test_data=version.test_data,
    )
