"""One view of an evaluation's matrix: what page and API show of conversations × criteria."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from apps.core.documents import Address, Count, Document, Id
from apps.core.errors import NotFound
from apps.core.shapes import described
from apps.evaluations.figures.queries.aggregates import Sums, sums_of
from apps.evaluations.figures.queries.decisions import blocking_of
from apps.evaluations.figures.queries.results import counts_of, criteria_of, find_evaluation
from apps.evaluations.figures.queries.uncertainty import Uncertainties, uncertainties_of
from apps.evaluations.models import Evaluation, Judgement
from apps.reports.results.queries.evaluation_document import verdicts_of
from apps.reports.tables.domain.matrix_filters import BY_CRITERION, NOT_MEASURED, MatrixFilter, parse_matrix_filter
from apps.reports.tables.queries.matrix_choice import chosen_rows, keeper
from apps.reports.tables.queries.matrix_window import MatrixWindow, matrix_window

EMPTY = MatrixWindow(judgements=(), after="", before="")
COUNTED = 20_000  # judgements up to which a choice is counted: some 30 ms


class MatrixCellDocument(Document, component="MatrixCell"):
    criterion: str
    score: float | None
    pass_mark: float | None
    unscored_reason: str | None
    decision: Annotated[str | None, described("pass, fail or undecided; null where nothing was measured.")]


class MatrixRowDocument(Document, component="MatrixRow"):
    conversation_id: Id
    conversation: str
    judgement: Annotated[str, described("Its state.")]
    verdict: Annotated[str | None, described("pass, fail or undecided; null where nothing was measured.")]
    blockers: Annotated[Sequence[str], described("Blocking criteria that fail.")]
    score: float | None
    persona: str
    scenario: str
    language: str
    cells: Sequence[MatrixCellDocument]


class MatrixCriteria(Document):
    name: str
    blocking: bool


class MatrixDocument(Document, component="Matrix"):
    evaluation_id: Id
    evaluator_config: str
    criteria: Sequence[MatrixCriteria]
    total: Annotated[int | None, described("How many rows the filters leave; null where that was not counted.")]
    conversations: Annotated[Count, described("Of the whole evaluation.")]
    verdicts: Mapping[str, Count]
    cut_short: Annotated[bool, described("So many rows were looked at that the rest is in `next`.")]
    results: Sequence[MatrixRowDocument]
    next: Address | None
    previous: Address | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixView:
    """View of a matrix.

    `total` is how many rows the choice has, None where they were not counted, and `every` how many there are; `names`
    are all criteria, `shown` the columns in their order; `verdicts` and `blocked` count conversations of the whole
    evaluation. `wrong` is what could not be read, by field: then there are no rows.
    """

    evaluation: Evaluation
    found: MatrixFilter
    names: Sequence[str]
    shown: Sequence[str]
    window: MatrixWindow
    doubts: Uncertainties
    total: int | None
    every: int
    verdicts: Mapping[str, int]
    blocked: Mapping[str, int]
    wrong: Mapping[str, str]


def matrix_view(evaluation_id: uuid.UUID, *, asked: Mapping[str, str], size: int) -> MatrixView:
    """A window of at most `size` rows. At most 14 queries whatever the size, four more for each 400 rows that have to
    be decided. Raises NotFound."""
    matrix_filter, wrong = parse_matrix_filter(asked)
    evaluation = find_evaluation(evaluation_id, related=("run",))
    counts = counts_of(evaluation)
    sums = sums_of(evaluation, scored=counts["scored"])
    doubts = uncertainties_of(evaluation, scored=counts["scored"])
    decided = verdicts_of(evaluation, sums, counts["scored"])
    names = criteria_names(evaluation, sums)
    wrong |= _unknown(matrix_filter, names)
    window = EMPTY if wrong else matrix_window(evaluation, matrix_filter, doubts, size=size)
    return MatrixView(
        evaluation=evaluation,
        found=matrix_filter,
        names=names,
        shown=sorted(
            [name for name in names if name in matrix_filter.columns] or names,
            key=lambda name: name != matrix_filter.criterion,
        ),
        window=window,
        doubts=doubts,
        total=0
        if wrong
        else _total(evaluation, matrix_filter, doubts, window, counts=counts, verdicts=decided["verdicts"]),
        every=sum(counts.values()),
        verdicts=decided["verdicts"],
        blocked=decided["decision"]["blocked"],
        wrong=wrong,
    )


def evaluation_of_matrix(run_id: uuid.UUID, evaluation_id: uuid.UUID | None) -> uuid.UUID:
    """The evaluation of this run whose matrix is meant: the one that is named, else the newest. Raises NotFound. One
    query."""
    rows = Evaluation.objects.filter(run=run_id)
    rows = rows.filter(pk=evaluation_id) if evaluation_id else rows.order_by("-created_at")
    pk = rows.values_list("pk", flat=True).first()
    if pk is None:
        named = f"evaluation {evaluation_id}" if evaluation_id else "evaluation"
        raise NotFound(f"There is no {named} of test run {run_id}.")
    return uuid.UUID(str(pk))


def matrix_document(view: MatrixView, *, following: str | None, preceding: str | None) -> MatrixDocument:
    """Build the API's document with the links of its pages: worst first unless `sort` says else.

    A row's `verdict` is null where nothing of it was measured, a cell's `decision` likewise.
    """
    blocking = set(blocking_of(view.evaluation.snapshot))
    return MatrixDocument(
        evaluation_id=str(view.evaluation.pk),
        evaluator_config=view.evaluation.config_ref,
        criteria=[MatrixCriteria(name=name, blocking=name in blocking) for name in view.shown],
        total=view.total,
        conversations=view.every,
        verdicts=dict(view.verdicts),
        cut_short=view.window.cut_short,
        results=[_row(judgement, view) for judgement in view.window.judgements],
        next=following,
        previous=preceding,
    )


def criteria_names(evaluation: Evaluation, sums: Sums) -> list[str]:
    """The columns: blocking criteria first, then by how far their mean is above their mark. Pure."""
    means = {
        criterion.criterion: (criterion.mean is None, (criterion.mean or 0.0) - criterion.pass_mark)
        for criterion in criteria_of(sums)
    }
    names = dict.fromkeys([*(str(criterion["name"]) for criterion in evaluation.snapshot["criteria"]), *means])
    blocking = set(blocking_of(evaluation.snapshot))
    return sorted(names, key=lambda name: (name not in blocking, means.get(name, (True, 0.0))))


def _row(judgement: Judgement, view: MatrixView) -> MatrixRowDocument:
    conversation, scores = judgement.conversation, list(judgement.scores.all())
    by_name = {score.criterion: score for score in scores}
    scored = judgement.status == "scored"
    whole = view.doubts.of_judgement(scores, blame=conversation.blame) if scored else None
    spec = conversation.spec
    return MatrixRowDocument(
        conversation_id=str(conversation.pk),
        conversation=conversation.external_id,
        judgement=judgement.status,
        verdict=whole.decision.value if whole else None,
        blockers=list(whole.blockers) if whole else [],
        score=judgement.weighted_score,
        persona=str(spec.get("persona_name") or ""),
        scenario=str(spec.get("scenario") or spec.get("golden_session") or ""),
        language=conversation.language,
        cells=[_cell(name, by_name.get(name), view) for name in view.shown],
    )


def _cell(name: str, score: Any, view: MatrixView) -> MatrixCellDocument:
    doubt = view.doubts.of_score(score) if score is not None and score.score is not None else None
    return MatrixCellDocument(
        criterion=name,
        score=score.score if score is not None else None,
        pass_mark=score.pass_mark if score is not None else None,
        unscored_reason=(score.unscored_reason or None) if score is not None else None,
        decision=doubt.decision.value if doubt else None,
    )


def _unknown(matrix_filter: MatrixFilter, names: Sequence[str]) -> dict[str, str]:
    by = matrix_filter.sorted_by.removeprefix(BY_CRITERION) if matrix_filter.sorted_by.startswith(BY_CRITERION) else ""
    return {
        field: f"{name} is no criterion of this evaluation"
        for field, name in {"criterion": matrix_filter.criterion, "sort": by}.items()
        if name and name not in names
    }


def _total(
    evaluation: Evaluation,
    matrix_filter: MatrixFilter,
    doubts: Uncertainties,
    window: MatrixWindow,
    *,
    counts: Mapping[str, int],
    verdicts: Mapping[str, int],
) -> int | None:
    """Return how many rows the choice has, where that is known already or counted fast. One query at most."""
    every = sum(counts.values())
    if not matrix_filter.chosen:
        return every
    if matrix_filter.chosen == ["state"]:
        return counts[matrix_filter.state]
    if matrix_filter.chosen == ["verdict"]:
        return (
            every - sum(verdicts.values()) if matrix_filter.verdict == NOT_MEASURED else verdicts[matrix_filter.verdict]
        )
    if not (matrix_filter.after or matrix_filter.before or window.after or window.before):
        return len(window.judgements)  # they are all in this window
    if every > COUNTED or keeper(matrix_filter, doubts) is not None:
        return None
    return chosen_rows(evaluation, matrix_filter, doubts).count()
