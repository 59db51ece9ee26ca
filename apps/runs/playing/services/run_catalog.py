"""Entries that come with a run and count for it alone: none of them is kept in the catalog."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from apps.catalog.files.services.importing import catalog_tried
from apps.catalog.goldens.domain.session import GoldenSnapshot
from apps.core.errors import BadInput
from apps.runs.goldens.domain.sent_golden import SentGoldenFiles
from apps.runs.goldens.services.sending import sent_golden_tried

SECTIONS = ("scenarios", "personas")


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtCatalog:
    """Catalog that came with a run.

    `personas` are the names that are not the server's, or not as the server has them.
    """

    personas: frozenset[str] = frozenset()


@contextmanager
def catalog_of_run(files: Mapping[str, str], *, now: datetime) -> Iterator[BroughtCatalog]:
    """Put these YAML files into the catalog for the block, and take them out after it.

    Code that plans a run reads its scenarios and personas in the block, by the rules that an import has. Raises what an
    import raises, with the file and its line; `not_of_a_run` for a section that is the whole team's. No query without
    files.
    """
    if not files:
        yield BroughtCatalog()
        return
    with catalog_tried(files=files, sections=SECTIONS, at=now, by="a run") as report:
        changed = (*report.created.get("personas", ()), *report.updated.get("personas", ()))
        yield BroughtCatalog(personas=frozenset(changed))


def goldens_of_run(sent: Sequence[SentGoldenFiles], *, now: datetime) -> dict[str, GoldenSnapshot]:
    """Return {name: golden session} of those sent with a run; they take precedence over stored ones.
    Raises BadInput with the pointer in the request."""
    goldens: dict[str, GoldenSnapshot] = {}
    for number, one in enumerate(sent):
        try:
            golden = sent_golden_tried(document=one.document, files=one.files, attachments=one.attachments, now=now)
        except BadInput as error:
            pointer = f"/catalog/golden_sessions/{number}{error.pointer or ''}"
            raise BadInput(error.message, code=error.code, pointer=pointer, **error.extra) from error
        goldens[golden.name] = golden
    return goldens
