"""Label files as they are published, runs of their conversations, and judges that answered elsewhere."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from apps.calibration.domain.labels import HumanRating, LabelledItem, LabelSet
from apps.calibration.domain.labels_reading import read_labels
from apps.calibration.domain.scores_reading import ImportedScore
from apps.calibration.services.importing_scores import import_scores
from apps.core.document_parsing import DocumentLimits, parse_document
from apps.evaluations.figures.domain.rating_scale import RatingScale
from apps.runs.imports.services.importing import import_documents
from tests.evaluations.bench import NOW, make_config
from tests.shared_data import SHARED

DATA = SHARED / "data"


def published(name: str) -> Path:
    """A file of the shared data; without it the test is skipped, saying so."""
    path = DATA / f"{name}.jsonl"
    return path


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def labels_of(path: Path, criterion: str, name: str = "x") -> LabelSet:
    return read_labels(path.read_text(), file=path.name).renamed({criterion: name})


def imported_run(rows: Sequence[Mapping[str, Any]]) -> UUID:
    documents = [parse_document({**row, "labels": {}}, limits=DocumentLimits(turns=2000)) for row in rows]
    return import_documents(documents=documents, name="published", triggered_by="tests", now=NOW)


def imported_judge(
    run: UUID, name: str, answers: Mapping[str, Any], *, scale: RatingScale | None = None, **more: Any
) -> UUID:
    """An evaluation by a judge that answered elsewhere about criterion x."""
    return import_scores(
        run_id=run,
        config=make_config(weights={"x": 1.0}, name=name, parameters={}),
        judge=name,
        scores=[ImportedScore(conversation=id, criterion="x", value=value) for id, value in answers.items()],
        scales={"x": scale} if scale else None,
        now=NOW,
        **more,
    )


def labelled(
    values: Mapping[str, Sequence[Any]], scale: RatingScale, *, language: str | Callable[[str], str] = "en"
) -> LabelSet:
    """Labels of criterion x without the conversations."""
    return LabelSet(
        scales={"x": scale},
        items=tuple(
            LabelledItem(
                id=id,
                language=language if isinstance(language, str) else language(id),
                ratings={"x": tuple(HumanRating(value=value) for value in given)},
            )
            for id, given in values.items()
        ),
    )
