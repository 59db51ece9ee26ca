"""Storing the figures of ended evaluations, so that no reader waits for them."""

import logging
import uuid
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from django.db import connection, transaction
from django.utils.module_loading import import_string

from apps.evaluations.domain.states import EVALUATION_TERMINAL
from apps.evaluations.figures.queries.figures import compute_figures
from apps.evaluations.figures.queries.stored_figures import figure_makers
from apps.evaluations.figures.queries.uncertainty import read_uncertainties
from apps.evaluations.models import Evaluation, StoredFigure
from apps.evaluations.models.judging import SUMS_GUARD

logger = logging.getLogger(__name__)
LOOK_S = 60.0
AT_ONCE = 20  # evaluations of one look; the next look takes the others
_GUARD = "SELECT set_config(%s, %s, true)"


def store_figures(*, evaluation_id: uuid.UUID) -> bool:
    """Work out what an ended evaluation's readers ask for, and store it; True where it is stored now.

    Whoever changes one of its rows at the same time is waited for before it is read, or makes what was read count no
    more: then nothing is stored, and the evaluation is due again. Safe to repeat and to race. Some 15 queries and 40 µs
    for each criterion score, outside any lock.
    """
    ended = Evaluation.objects.filter(pk=evaluation_id, status__in=EVALUATION_TERMINAL)
    with transaction.atomic():  # waits for who changes its rows and began before it had ended (migration 0007)
        row = ended.select_for_update().values_list("figures_version", flat=True).first()
    if row is None:
        return False
    evaluation = Evaluation.objects.get(pk=evaluation_id)
    doubts = read_uncertainties(evaluation)
    figures = compute_figures(evaluation, doubts)
    others = {name: import_string(path)(evaluation, doubts, figures) for name, path in figure_makers.items()}
    return _store(evaluation_id, row, figures, others)


def _store(evaluation_id: uuid.UUID, version: int, figures: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Store the figures if the evaluation's rows are still those of this version."""
    same = Evaluation.objects.filter(pk=evaluation_id, figures_version=version, status__in=EVALUATION_TERMINAL)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_GUARD, [SUMS_GUARD, str(evaluation_id)])
        stored = bool(same.update(sums=figures))
        if stored:
            StoredFigure.objects.filter(evaluation=evaluation_id).delete()
            StoredFigure.objects.bulk_create(
                StoredFigure(evaluation_id=evaluation_id, name=name, value=value) for name, value in others.items()
            )
        cursor.execute(_GUARD, [SUMS_GUARD, ""])
    return stored


def store_each(ids: Sequence[uuid.UUID]) -> int:
    """Store the figures of each evaluation; return how many are stored.

    One that fails stays due, and hinders no other; one that is not begun within LOOK_S stays due, too.
    """
    stored, until = 0, monotonic() + LOOK_S
    for pk in ids:
        if monotonic() > until:
            break
        try:
            stored += store_figures(evaluation_id=pk)
        except Exception:
            logger.exception("The figures of evaluation %s could not be stored", pk)
    return stored


def store_due_figures(*, limit: int = AT_ONCE) -> int:
    """Store the figures of ended evaluations that have none; return how many.

    They ended before figures were stored, a worker was lost, or a row changed since; the newest come first. One query,
    and `store_figures` for each. Safe to repeat and to race.
    """
    due = Evaluation.objects.filter(status__in=EVALUATION_TERMINAL).exclude(sums__has_key="shape")
    ids = list(due.order_by("-id").values_list("pk", flat=True)[:limit])
    return store_each(ids)
