"""A window of a matrix: so many rows before or after a place of its list, whatever its length.

Places are keys, not numbers: the next window costs the same at row 50 and at row 50,000, and rows that come in between
shift nothing.
"""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from django.db.models import Prefetch

from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.queries.stopped import stopped_by
from apps.evaluations.figures.queries.uncertainty import Uncertainties
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.reports.tables.domain.matrix_filters import WORST_FIRST, MatrixFilter
from apps.reports.tables.queries.deciding_scores import deciding_scores
from apps.reports.tables.queries.matrix_choice import Keep, Rows, chosen_rows, keeper
from apps.runs.models import Conversation

FEWEST = 25  # rows decided at once, where a window is smaller
SEARCHED = 1_000  # rows decided for one window


@dataclass(frozen=True, slots=True)
class ListPlace:
    """Place of a row: its sort key (None comes last) and the id that orders equal keys.

    `stopped` ones are a part of their own where the worst come first.
    """

    key: Any
    id: uuid.UUID
    stopped: bool = False

    @property
    def text(self) -> str:
        """The place as an address holds it."""
        key = self.key.isoformat() if isinstance(self.key, datetime) else self.key
        return json.dumps([key, str(self.id), *([1] if self.stopped else [])])


class _Stretch(NamedTuple):
    """Rows that an index has in this order."""

    rows: Rows
    stopped: bool = False


class _PlacedRow(NamedTuple):
    """A judgement and where it stands."""

    judgement_id: uuid.UUID
    place: ListPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixWindow:
    """Window of a matrix.

    `judgements` are in the list's order, with conversation and scores; `after` and `before` are cursors, "" at an end.
    `cut_short`: the window reached its limit of rows to read, and the next one continues.
    """

    judgements: Sequence[Judgement]
    after: str
    before: str
    cut_short: bool = False


def matrix_window(
    evaluation: Evaluation, matrix_filter: MatrixFilter, doubts: Uncertainties, *, size: int
) -> MatrixWindow:
    """Read a window of a matrix.

    Four queries at most for rows in the database's order and two for their scores and conversations; two more for each
    hundred rows that have to be decided, 1,000 at most.
    """
    backwards = bool(matrix_filter.before) and not matrix_filter.after
    place = read_place(matrix_filter.before if backwards else matrix_filter.after, matrix_filter)
    parts = _parts(evaluation, matrix_filter, doubts)
    rows = _window_rows(
        _stretches(parts, matrix_filter, place, backwards=backwards), keeper(matrix_filter, doubts), size
    )
    shown = rows.lines[::-1] if backwards else rows.lines
    first, last = (shown[0].place, shown[-1].place) if shown else (None, None)
    ahead = last if rows.more or backwards else None
    behind = first if rows.more or (place is not None and not backwards) else None
    if rows.stopped_at is not None:
        ahead, behind = (ahead, rows.stopped_at) if backwards else (rows.stopped_at, behind)
    return MatrixWindow(
        judgements=_filled([one.judgement_id for one in shown]),
        after=ahead.text if ahead else "",
        before=behind.text if behind and (backwards or place is not None) else "",
        cut_short=rows.stopped_at is not None,
    )


def neighbours(
    evaluation: Evaluation, matrix_filter: MatrixFilter, doubts: Uncertainties, *, conversation_id: uuid.UUID
) -> tuple[uuid.UUID | None, uuid.UUID | None]:
    """The conversations before and after one in a list; None at an end, and both where the list does not hold it. Four
    queries, more where rows have to be decided."""
    parts = _parts(evaluation, matrix_filter, doubts)
    of_it = [part._replace(rows=part.rows.filter(conversation=conversation_id)) for part in parts]
    row = next((one for chunk in _chunks(of_it, 1) for one in chunk), None)
    if row is None:
        return None, None
    here = row.place.text
    sides: list[uuid.UUID | None] = []
    for name in ("before", "after"):
        filters = replace(matrix_filter, after=here if name == "after" else "", before=here if name == "before" else "")
        place = read_place(here, filters)
        stretches = _stretches(parts, filters, place, backwards=name == "before")
        keep = keeper(filters, doubts)
        chunks = islice(_chunks(stretches, FEWEST if keep else 1), SEARCHED // FEWEST)
        sides.append(
            next((one.judgement_id for chunk in chunks for one in (_decided(chunk, keep) if keep else chunk)), None)
        )
    ids = dict(Judgement.objects.filter(pk__in=[side for side in sides if side]).values_list("pk", "conversation_id"))
    before, after = (ids.get(side) if side else None for side in sides)
    return before, after


def read_place(text: str, matrix_filter: MatrixFilter) -> ListPlace | None:
    """The place that an address names; None for none, and for what is no place in this order."""
    try:
        key, id, *stopped = json.loads(text) if text else (None, None)
        if id is None:
            return None
        if matrix_filter.sorted_by == "date" and key is not None:
            key = datetime.fromisoformat(key)
        number = matrix_filter.sorted_by == "score" or ":" in matrix_filter.sorted_by
        fits = key is None or matrix_filter.sorted_by == "date" or isinstance(key, int | float if number else str)
        return ListPlace(key, uuid.UUID(id), bool(stopped) and matrix_filter.sorted_by == WORST_FIRST) if fits else None
    except (ValueError, TypeError, AttributeError):
        return None


def _parts(evaluation: Evaluation, matrix_filter: MatrixFilter, doubts: Uncertainties) -> list[_Stretch]:
    """Return the whole list from its beginning, each part unordered, rows without a key last.

    By score, stopped rows are a part of their own, before all others where the worst come first. No query yet.
    """
    rows = chosen_rows(evaluation, matrix_filter, doubts)
    keyed, bare = rows.filter(key__isnull=False), _Stretch(rows.filter(key__isnull=True))
    if matrix_filter.sorted_by != WORST_FIRST:
        return [_Stretch(keyed), bare]
    scored = keyed.filter(status=JudgementStatus.SCORED)  # none else has a score, and the index wants it said
    stopped = stopped_by(evaluation.snapshot)
    parts = [_Stretch(scored.filter(stopped), stopped=True), _Stretch(scored.exclude(stopped))]
    return [*(reversed(parts) if matrix_filter.descending else parts), bare]


def _stretches(
    parts: Sequence[_Stretch], matrix_filter: MatrixFilter, place: ListPlace | None, *, backwards: bool
) -> list[_Stretch]:
    """Return the list from a place on, in stretches that an index has in this order.

    They are the rest of those with the place's own key, those with other keys, the parts beyond, and those without a
    key.
    """
    reverse = matrix_filter.descending != backwards
    order, beyond = (("-key", "-tie"), "lt") if reverse else (("key", "tie"), "gt")
    *keyed, bare = [part._replace(rows=part.rows.order_by(*order)) for part in parts]
    bare = bare._replace(rows=bare.rows.order_by(order[1]))
    if place is None:
        return [*keyed, bare]
    past = {f"tie__{beyond}": place.id}
    if place.key is None:
        return [bare._replace(rows=bare.rows.filter(**past)), *(keyed[::-1] if backwards else [])]
    at = next((n for n, one in enumerate(keyed) if one.stopped == place.stopped), 0)
    here = keyed[at]
    rest = [
        here._replace(rows=here.rows.filter(key=place.key, **past)),
        here._replace(rows=here.rows.filter(**{f"key__{beyond}": place.key})),
    ]
    return [*rest, *keyed[:at][::-1]] if backwards else [*rest, *keyed[at + 1 :], bare]


@dataclass(frozen=True, slots=True, kw_only=True)
class _WindowRows:
    """Rows of a window.

    `more`: there are or may be others; `stopped_at` is the last row looked at where the search was cut short.
    """

    lines: list[_PlacedRow]
    more: bool = False
    stopped_at: ListPlace | None = None


def _window_rows(stretches: Sequence[_Stretch], keep: Keep | None, size: int) -> _WindowRows:
    """The first `size` lines that are kept."""
    placed_rows: list[_PlacedRow] = []
    looked_at = 0
    for chunk in _chunks(stretches, max(FEWEST, 2 * size) if keep else size + 1):
        looked_at += len(chunk)
        placed_rows += chunk if keep is None else _decided(chunk, keep)
        if len(placed_rows) > size:
            return _WindowRows(lines=placed_rows[:size], more=True)
        if keep is not None and looked_at >= SEARCHED:
            return _WindowRows(lines=placed_rows, more=True, stopped_at=chunk[-1].place)
    return _WindowRows(lines=placed_rows)


def _chunks(stretches: Sequence[_Stretch], size: int) -> Iterator[list[_PlacedRow]]:
    """All rows of the stretches, `size` at a time, the last ones fewer."""
    chunk: list[_PlacedRow] = []
    for rows, stopped in stretches:
        start = 0
        while True:
            wanted = size - len(chunk)
            read = rows.values_list("pk", "key", "tie")[start : start + wanted]
            placed = [_PlacedRow(pk, ListPlace(key, tie, stopped)) for pk, key, tie in read]
            chunk += placed
            if len(placed) < wanted:
                break
            yield chunk
            chunk, start = [], start + wanted
    if chunk:
        yield chunk


def _decided(chunk: Sequence[_PlacedRow], keep: Keep) -> list[_PlacedRow]:
    """Return those of a chunk that the filter keeps. Two queries."""
    ids = [row.judgement_id for row in chunk]
    blames = dict(Judgement.objects.filter(pk__in=ids).values_list("pk", "conversation__blame"))
    scores = deciding_scores(ids)
    return [row for row in chunk if keep(blames[row.judgement_id], scores[row.judgement_id])]


def _filled(ids: Sequence[uuid.UUID]) -> list[Judgement]:
    conversations = Conversation.objects.defer("session", "extra")
    scores = CriterionScore.objects.defer("reason", "evidence").order_by("position")
    judgements = Judgement.objects.defer("raw_reply").prefetch_related(
        Prefetch("scores", scores), Prefetch("conversation", conversations)
    )
    by_id = judgements.in_bulk(ids)
    return [by_id[pk] for pk in ids]
