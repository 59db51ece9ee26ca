"""Read the figures of ended evaluations as they are stored.

services.figures writes them, and the database empties them when a row they are made of changes. What is there is right;
what is not there is worked out by who asks (queries.figures).
"""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from apps.evaluations.domain.states import EVALUATION_ACTIVE
from apps.evaluations.models import Evaluation, StoredFigure

SHAPE = 2  # of what is stored: raised with every change of what a figure means; a migration then empties `sums`

figure_makers: dict[str, str] = {}
"""Figures that few pages read, each stored by itself: its name, and the dotted path of what makes it: called with the
evaluation, its `Uncertainties` and what queries.figures made, it reads rows and nothing that was kept, and answers
JSON. Rooms register in their registrations.py."""


STORED_SQL = f"""CASE WHEN e.status NOT IN ('pending', 'running') AND e.sums->>'shape' = '{SHAPE}' THEN e.sums END"""
"""What `stored_of` answers, in a statement that calls the evaluation `e`."""


def stored_of(evaluation: Evaluation) -> Mapping[str, Any] | None:
    """Return the stored figures of an ended evaluation, as queries.figures made them.

    None while it is judged, and where nothing is stored. No query.
    """
    stored: Mapping[str, Any] | None = evaluation.sums
    if evaluation.status in EVALUATION_ACTIVE or not stored or stored.get("shape") != SHAPE:
        return None
    return stored


def stored_of_each(evaluations: Sequence[Evaluation], key: str) -> dict[uuid.UUID, Any]:
    """The figures of `stored_of` under this key, by evaluation; evaluations without them are left out. One query where
    some were loaded without `sums`, else none."""
    absent = [evaluation.pk for evaluation in evaluations if "sums" in evaluation.get_deferred_fields()]
    loaded = ((evaluation.pk, stored_of(evaluation)) for evaluation in evaluations if evaluation.pk not in absent)
    values = {pk: stored[key] for pk, stored in loaded if stored}
    if absent:
        rows = Evaluation.objects.filter(pk__in=absent, sums__shape=SHAPE).exclude(status__in=EVALUATION_ACTIVE)
        values |= dict(rows.values_list("pk", f"sums__{key}"))
    return values


def stored_figure(evaluation: Evaluation, name: str) -> Any:
    """Return a registered figure of an evaluation, None if not stored. At most one query."""
    if stored_of(evaluation) is None:
        return None
    return StoredFigure.objects.filter(evaluation=evaluation, name=name).values_list("value", flat=True).first()
