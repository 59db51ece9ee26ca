"""The content of the page that shows evaluations as columns: a window of cases, each with its score in every one."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator

from apps.core.errors import BadInput, NotFound
from apps.core.subject import words_of
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import conversation_look
from apps.dashboard.domain.figures import many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES
from apps.dashboard.results.domain.comparison_sentences import distinct_labels, without_colour
from apps.dashboard.results.queries.comparison import evaluation_choices
from apps.dashboard.results.queries.evaluators import EvaluatorPanels, evaluator_panels
from apps.dashboard.results.queries.scores import Tally, tallies
from apps.dashboard.results.queries.stopped_conversations import stopped_conversations
from apps.evaluations.models import Evaluation
from apps.reports.comparisons.domain.comparison import WORTH
from apps.reports.comparisons.queries.comparison_columns import (
    ColumnCell,
    ComparedCase,
    by_prompt_version,
    compared_cases,
    find_columns,
    last_replies,
)

PER_PAGE, LEAST = 25, 2
ONE_RUN = (
    "The same conversations, judged several times: nothing about the agent is compared. Open a score for the agent's "
    "last words."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationColumn:
    evaluation: Evaluation
    label: str
    tally: Tally | None
    compare: str  # the query of its comparison with the column before, "" for the first


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnCase:
    name: str
    fall: float
    cells: Sequence[tuple[ColumnCell | None, Badge, str]]  # score, look, the agent's last words


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnsPage:
    """Page of evaluations as columns; `problem` says why only the choice is shown.

    `panels` say how far evaluators agree, where the columns are those of a `run`.
    """

    headline: Headline
    choices: Sequence[tuple[str, str]]
    chosen: Sequence[str]
    replies: bool
    run: str = ""
    columns: Sequence[EvaluationColumn] = ()
    page: Page[ComparedCase] | None = None
    rows: Sequence[ColumnCase] = ()
    query: str = ""
    problem: str = ""
    panels: EvaluatorPanels | None = None


def columns_page(
    *, ids: Sequence[str], run: str, prompts_of: str, replies: bool, number: str, titles: Mapping[str, str] = NAMES
) -> ColumnsPage:
    """Return evaluations as columns.

    These are `ids`, or all prompt versions beside the evaluation `prompts_of`, or the evaluators of a `run` (of these
    those in `ids`, where it names any). Asks seven queries, six more for each that has a blocking criterion, some
    twenty for evaluators. Raises NotFound.
    """
    problem, evaluations, panels = "", list[Evaluation](), None
    try:
        if run:
            panels = evaluator_panels(run, ids, titles)
            evaluations = [one.evaluation for one in panels.compared.evaluators]
            problem = panels.compared.sentence if len(evaluations) < LEAST else ""
        else:
            evaluations = by_prompt_version(find_columns([prompts_of])[0]) if prompts_of else find_columns(ids)
    except BadInput as error:
        if isinstance(error, NotFound):
            raise
        problem = error.message
    page = ColumnsPage(
        headline=_asking(run, prompts_of),
        choices=evaluation_choices(uuid.UUID(run) if run else None),
        chosen=[str(one.pk) for one in evaluations],
        run=run,
        replies=replies,
        problem=problem,
    )
    return page if len(evaluations) < LEAST else _with_cases(page, evaluations, panels, number, titles)


def _asking(run: str, prompts_of: str) -> Headline:
    if run:
        text = "Which evaluator config shall be believed?"
        return Headline(text=text, note="Two or more judge one run for that.")
    note = "The runs of this agent name no other prompt version." if prompts_of else "Choose two to eight below."
    return Headline(text="Which evaluations shall stand beside each other?", note=note)


def _with_cases(
    page: ColumnsPage,
    wanted: Sequence[Evaluation],
    panels: EvaluatorPanels | None,
    number: str,
    titles: Mapping[str, str],
) -> ColumnsPage:
    cases = compared_cases(wanted)
    window = Paginator(cases, PER_PAGE).get_page(number)
    shown = list(window.object_list)
    stops = {
        one.pk: stopped_conversations(one, [case.cells[one.pk].conversation for case in shown if one.pk in case.cells])
        for one in wanted
    }
    said = last_replies([cell.conversation for case in shown for cell in case.cells.values()])
    named = [("run", page.run)] if page.run else [("cases", "1")]
    return replace(
        page,
        headline=Headline(text=panels.compared.sentence) if panels else _headline(wanted, cases),
        columns=_columns(wanted),
        page=window,
        rows=[_row(case, wanted, said, stops, titles) for case in shown],
        query=urlencode([*named, *(("e", str(one.pk)) for one in wanted)]),
        panels=panels,
    )


def _columns(wanted: Sequence[Evaluation]) -> list[EvaluationColumn]:
    counts = tallies(one.pk for one in wanted)
    one_run = len({evaluation.run_id for evaluation in wanted}) == 1
    named = [one.config_ref if one_run else words_of(one.subject) or str(one.run) for one in wanted]
    labels = distinct_labels(named, [f"{one.created_at:%-d %b %H:%M:%S}" for one in wanted])
    before: list[Evaluation | None] = [None, *wanted[:-1]]
    return [
        EvaluationColumn(
            evaluation=one,
            label=label,
            tally=counts.get(one.pk),
            compare=urlencode({"a": str(other.pk), "b": str(one.pk)}) if other else "",
        )
        for one, label, other in zip(wanted, labels, before, strict=True)
    ]


def _row(
    case: ComparedCase,
    wanted: Sequence[Evaluation],
    replies: Mapping[uuid.UUID, str],
    stops: Mapping[uuid.UUID, Mapping[uuid.UUID | None, Sequence[str]]],
    titles: Mapping[str, str],
) -> ColumnCase:
    cells = []
    one_run = len({one.run_id for one in wanted}) == 1
    for one in wanted:
        cell = case.cells.get(one.pk)
        marks = [float(criterion["pass_mark"]) for criterion in one.snapshot["criteria"]] or [6.0]
        stopped = stops[one.pk].get(cell.conversation, ()) if cell else ()
        seen = conversation_look(cell.score if cell else None, sum(marks) / len(marks), stopped, titles)
        seen = without_colour(seen) if one_run else seen
        cells.append((cell, seen, replies.get(cell.conversation, "") if cell else ""))
    return ColumnCase(name=case.name, fall=case.fall, cells=cells)


def _headline(wanted: Sequence[Evaluation], cases: Sequence[ComparedCase]) -> Headline:
    fallen = sum(one.fall >= WORTH for one in cases)
    note = "Those that fell most in the last column first. Open a score for the agent's last words."
    if len({one.config_version_id for one in wanted}) > 1:
        note = f"Different evaluator configs judged: scores of two columns are not on one scale. {note}"
    text = f"{many(len(cases), 'case')} in {len(wanted)} evaluations"
    if len({one.run_id for one in wanted}) == 1:
        return Headline(text=f"{text} of one run", note=ONE_RUN)
    but = f"{many(fallen, 'case')} fell below an earlier column" if fallen else ""
    return Headline(text=text + (", " if but else ""), but=but, note=note)
