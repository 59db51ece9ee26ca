"""The content of an evaluation's matrix: conversations × criteria, a window of them, and one cell opened."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from apps.core.errors import NotFound
from apps.dashboard.conversations.domain.personas import persona_of
from apps.dashboard.conversations.queries.conversation import ShownScore, shown_score
from apps.dashboard.conversations.queries.verdicts import mark_of_scores
from apps.dashboard.domain.badge_shapes import Badge, Tone
from apps.dashboard.domain.badges import conversation_look, look, score_look
from apps.dashboard.domain.figures import score_text
from apps.dashboard.domain.sentences import Headline, matrix_headline
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.dashboard.results.domain.changes import failing_criteria
from apps.dashboard.results.queries.agent_changes import measured_evaluations
from apps.evaluations.figures.queries.decisions import blocking_of
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.figures.queries.uncertainty import Uncertainties, uncertainties_of
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.reports.tables.domain.matrix_filters import (
    BY_CRITERION,
    FilterChip,
    MatrixFilter,
    chips_of,
    parse_matrix_filter,
    unused_fields,
)
from apps.reports.tables.queries.matrix import matrix_view
from apps.reports.tables.queries.matrix_window import MatrixWindow

PER_WINDOW = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixColumn:
    """One criterion; `sort` is the query that sorts by it, `sorted_as` says how it is now ("ascending" …)."""

    name: str
    blocking: bool
    sort: str
    sorted_as: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    """One criterion of one conversation: `text` is its score, "–" without one; `look` says how it stands."""

    criterion: str
    look: Badge
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    judgement: Judgement
    persona: str
    scenario: str
    verdict: Badge
    score: float | None
    mark: float
    look: Badge
    cells: Sequence[MatrixCell]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixPage:
    """Facts for the matrix.

    `total` is how many rows the choice has, None where they were not counted; `wrong` is what could not be read of the
    address, by field: then no rows are shown. `names` are all criteria, `gone` columns asked for that are none,
    `unused` what else the address says and no view has.
    """

    evaluation: Evaluation
    found: MatrixFilter
    headline: Headline
    columns: Sequence[MatrixColumn]
    names: Sequence[str]
    gone: Sequence[str]
    unused: Sequence[str]
    rows: Sequence[MatrixRow]
    window: MatrixWindow
    total: int | None
    every: int
    chips: Sequence[FilterChip]
    quick: Sequence[FilterChip]
    sorts: Mapping[str, str]
    wrong: Mapping[str, str]


def matrix_page(evaluation_id: uuid.UUID, *, asked: Mapping[str, str], titles: Titles = NAMES) -> MatrixPage:
    """One window. At most 14 queries whatever the size, four more for each 400 rows that have to be decided. Raises
    NotFound."""
    view = matrix_view(evaluation_id, asked=asked, size=PER_WINDOW)
    evaluation, found, window, shown = view.evaluation, view.found, view.window, view.shown
    blocking = set(blocking_of(evaluation.snapshot))
    return MatrixPage(
        evaluation=evaluation,
        found=found,
        headline=matrix_headline(
            every=view.every,
            total=view.total,
            criteria=len(view.names),
            chosen=[chip.text for chip in chips_of(found.without("sort", "columns"), titles)],
            verdicts=view.verdicts,
            blocked={titles.get(name, name): n for name, n in view.blocked.items()},
            wrong=view.wrong,
            worst=_worst(evaluation, titles),
        ),
        columns=[_column(name, found, blocking) for name in shown],
        names=view.names,
        gone=[name for name in found.columns if name not in view.names],
        unused=unused_fields(asked),
        rows=[_row(judgement, shown, view.doubts, blocking, titles) for judgement in window.judgements],
        window=window,
        total=view.total,
        every=view.every,
        chips=chips_of(found, titles),
        quick=_quick(found, view.verdicts),
        sorts={name: _sort_query(name, found) for name in ("name", "score", "persona", "scenario", "language", "date")},
        wrong=view.wrong,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCell:
    """One criterion of one conversation with its reason and quotes, or why there is none."""

    evaluation: Evaluation
    judgement: Judgement
    criterion: str
    one: ShownScore | None
    back: str
    list: str


def opened_cell(evaluation_id: uuid.UUID, conversation_id: uuid.UUID, *, criterion: str, query: str) -> OpenedCell:
    """Return the opened cell; `query` is the matrix one came from.

    Four queries, more where the judge's noise is read. Raises NotFound.
    """
    evaluation = find_evaluation(evaluation_id, related=("run",))
    rows = Judgement.objects.filter(evaluation=evaluation, conversation=conversation_id)
    judgement = rows.select_related("conversation").defer("raw_reply").first()
    if judgement is None:
        raise NotFound(f"Conversation {conversation_id} is not in evaluation {evaluation_id}.")
    score = CriterionScore.objects.filter(judgement=judgement, criterion=criterion).first()
    if score is None and judgement.status == "scored":
        raise NotFound(f"{criterion} is no criterion of this conversation.")
    found, _ = parse_matrix_filter(dict(parse_qsl(query)))
    return OpenedCell(
        evaluation=evaluation,
        judgement=judgement,
        criterion=criterion,
        one=shown_score(score, set(), uncertainties_of(evaluation)) if score is not None else None,
        back=found.query,
        list=found.without().query,
    )


def _column(name: str, found: MatrixFilter, blocking: set[str]) -> MatrixColumn:
    by = f"{BY_CRITERION}{name}"
    now = ("descending" if found.descending else "ascending") if found.sorted_by == by else "none"
    return MatrixColumn(name=name, blocking=name in blocking, sort=_sort_query(by, found), sorted_as=now)


def _sort_query(by: str, found: MatrixFilter) -> str:
    """Sorting by it; the other way round where it is sorted by it already."""
    return found.having_also(sort=f"-{by}" if found.sort == by else by).query


def _worst(evaluation: Evaluation, titles: Titles) -> tuple[str, float, float] | None:
    """Return the criterion that Home and the run name, too. Asks at most three queries."""
    for one in measured_evaluations([evaluation.pk]).values():
        for name, mean, mark in failing_criteria(one)[:1]:
            return titles.get(name, name), mean, mark
    return None


def _quick(found: MatrixFilter, verdicts: Mapping[str, int]) -> list[FilterChip]:
    """Filters one press away that are not chosen: what failed, and what is undecided."""
    offered = [(word, verdicts.get(word, 0)) for word in ("fail", "undecided", "pass")]
    return [
        FilterChip(f"{n:,} {word}", found.having_also(verdict=word).query)
        for word, n in offered
        if n and found.verdict != word
    ]


def _row(
    judgement: Judgement, names: Sequence[str], doubts: Uncertainties, blocking: set[str], titles: Titles
) -> MatrixRow:
    scores = list(judgement.scores.all())
    by_name = {score.criterion: score for score in scores}
    scored = [score for score in scores if score.score is not None]
    whole = doubts.of_judgement(scores, blame=judgement.conversation.blame) if judgement.status == "scored" else None
    mark = mark_of_scores(scored)
    spec = judgement.conversation.spec
    return MatrixRow(
        judgement=judgement,
        persona=persona_of(spec),
        scenario=str(spec.get("scenario") or spec.get("golden_session") or ""),
        verdict=look("verdict", whole.decision.value) if whole else look("judgement", judgement.status),
        score=judgement.weighted_score,
        mark=mark,
        look=conversation_look(judgement.weighted_score, mark, whole.blockers if whole else (), titles),
        cells=[_cell(name, by_name.get(name), name in blocking) for name in names],
    )


def _cell(name: str, score: CriterionScore | None, blocking: bool) -> MatrixCell:
    if score is None or score.score is None:
        why = look("unscored", score.unscored_reason or "missing").label if score is not None else "not judged"
        return MatrixCell(criterion=name, look=Badge("none", why, Tone.IDLE, "–"), text="")
    seen = score_look(score.score, score.pass_mark)
    if blocking and seen.value == "below":
        seen = Badge("below", "below the pass mark, blocks the conversation", Tone.BAD, "✕")
    return MatrixCell(criterion=name, look=seen, text=score_text(score.score, score.pass_mark))
