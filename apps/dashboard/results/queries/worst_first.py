"""An evaluation's judgements, worst first, page by page."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F, Prefetch

from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.queries.stopped import stopped_by, stopped_count
from apps.evaluations.models import Evaluation, Judgement
from apps.runs.models import Conversation

PER_PAGE = 25


class KnownCount(Paginator):  # type: ignore[type-arg]  # not subscriptable at run time
    """Paginator that does not count its rows: their number is `known`."""

    known = 0

    @property
    def count(self) -> int:
        return self.known


def worst_first_page(evaluation: Evaluation, state: str, counts: Mapping[str, int], number: str) -> Page[Judgement]:
    """Return a page of the judgements of one `state`, or of all. Six queries at most whatever the size."""
    judgements: Any = WorstFirst(evaluation, state, counts)
    paginator = KnownCount(judgements, PER_PAGE)
    paginator.known = counts.get(state, sum(counts.values()))
    return paginator.get_page(number)


class WorstFirst:
    """Judgements of an evaluation, worst first, cut page by page.

    First come those that are stopped whatever their score, then by score, then those without one.

    Ranges of their own, since the index is by state and score: sorting all of them took most of a large page's time.
    """

    ordered = True  # for Django's paginator

    def __init__(self, evaluation: Evaluation, state: str, counts: Mapping[str, int]) -> None:
        rows = Judgement.objects.filter(evaluation=evaluation)
        scored = rows.filter(status=JudgementStatus.SCORED).order_by(F("weighted_score").asc(nulls_last=True), "id")
        others = rows.exclude(status=JudgementStatus.SCORED).order_by("status", "id")
        one, n, by_blocking = counts.get(state, 0), counts["scored"], stopped_by(evaluation.snapshot)
        stopped = stopped_count(evaluation, scored=n) if n else 0
        rest = scored.exclude(by_blocking) if stopped else scored
        self.parts: list[tuple[int, Any]] = [(stopped, scored.filter(by_blocking)), (n, rest)]
        if state not in counts:
            self.parts.append((sum(counts.values()), others))
        elif state != JudgementStatus.SCORED:
            self.parts = [(one, others.filter(status=state))]

    def __getitem__(self, wanted: slice) -> list[Judgement]:
        start, stop = wanted.start or 0, wanted.stop
        ids: list[uuid.UUID] = []
        before = 0
        for end, rows in self.parts:
            if start < end and stop > before:
                ids += rows.values_list("id", flat=True)[max(0, start - before) : min(stop, end) - before]
            before = end
        judgements = Judgement.objects.defer("raw_reply").prefetch_related(
            "scores", Prefetch("conversation", Conversation.objects.defer("session", "extra", "labels"))
        )
        by_id = judgements.in_bulk(ids)
        return [by_id[pk] for pk in ids]
