"""The content of the page that shows evaluations as columns: a window of cases, each with its score in every one."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from apps.dashboard.results.queries.scores import Tally, tallies
from apps.dashboard.results.queries.stopped_conversations import stopped_conversations
from apps.evaluations.models import Evaluation
from apps.reports.domain.comparison import WORTH
from apps.reports.queries.comparison_columns import (
    ColumnCell,
    ComparedCase,
    by_prompt_version,
    compared_cases,
    find_columns,
    last_replies,
)

PER_PAGE = 25
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
    headline: Headline
    choices: Sequence[tuple[str, str]]
    chosen: Sequence[str]
    columns: Sequence[EvaluationColumn]
    page: Page[ComparedCase] | None
    rows: Sequence[ColumnCase]
    query: str
    replies: bool
    problem: str = ""


def columns_page(
    *, ids: Sequence[str], prompts_of: str, replies: bool, number: str, titles: Mapping[str, str] = NAMES
) -> ColumnsPage:
    """Return the columns of these evaluations, or of all prompt versions beside the one `prompts_of`. Seven queries,
    and six more for each that has a blocking criterion. Raises NotFound."""
    problem = ""
    try:
        wanted = by_prompt_version(find_columns([prompts_of])[0]) if prompts_of else find_columns(ids)
    except BadInput as error:
        if isinstance(error, NotFound):
            raise
        wanted, problem = [], error.message
    choices = evaluation_choices()
    if len(wanted) < 2:
        note = "Choose two to eight different ones below."
        if prompts_of:
            note = "The runs of this agent name no other prompt version."
        text = "Which evaluations shall stand beside each other?"
        return ColumnsPage(
            headline=Headline(text=text, note=note), choices=choices, chosen=[str(one.pk) for one in wanted],
            columns=(), page=None, rows=(), query="", replies=replies, problem=problem,
        )  # fmt: skip
    cases = compared_cases(wanted)
    page = Paginator(cases, PER_PAGE).get_page(number)
    shown = list(page.object_list)
    stops = {
        one.pk: stopped_conversations(one, [case.cells[one.pk].conversation for case in shown if one.pk in case.cells])
        for one in wanted
    }
    said = last_replies([cell.conversation for case in shown for cell in case.cells.values()])
    return ColumnsPage(
        headline=_headline(wanted, cases),
        choices=choices,
        chosen=[str(one.pk) for one in wanted],
        columns=_columns(wanted),
        page=page,
        rows=[_row(case, wanted, said, stops, titles) for case in shown],
        query=urlencode([("e", str(one.pk)) for one in wanted]),
        replies=replies,
    )


def _columns(wanted: Sequence[Evaluation]) -> list[EvaluationColumn]:
    counts = tallies(one.pk for one in wanted)
    named = [words_of(one.subject) or str(one.run) for one in wanted]
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
