"""The surroundings of a conversation that somebody works on.

They are the list it was opened from, what was asked of both sides, what people said about it, and every call that was
made for it.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from apps.budgets.models import ModelCall
from apps.calibration.models import NonBlindLabel
from apps.calibration.queries.remarks import remarks_of
from apps.connectors.llms.base import LLMRequest
from apps.core.errors import NotFound, RatibaError
from apps.dashboard.conversations.queries.conversation import ConversationPage, ShownScore
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import Judgement
from apps.reports.tables.domain.matrix_filters import chips_of, parse_matrix_query
from apps.reports.tables.queries.matrix_window import neighbours
from apps.runs.models import Conversation

BY_RUN = "run"  # the list of a run's conversations in their order
MAX_CALLS = 200
_PROFILE_WORDS = {"identity": "who it is", "workflow": "what it does", "known_facts": "what it knows"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAround:
    """The list from which a conversation was opened, with the addresses of its neighbours ("" at an end).
    `query` is the part of the address that following pages keep."""

    words: str
    url: str
    before: str
    after: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """Facts for the annotation page.

    `criteria` are the scores with people's labels against each, `told` (title, text) the texts that either side was
    given.
    """

    around: ListAround
    criteria: Sequence[tuple[ShownScore, Sequence[NonBlindLabel]]]
    notes: Sequence[Mapping[str, Any]]
    scenario: str
    told: Sequence[tuple[str, str]]
    may_requeue: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsPanel:
    """Every call of the ledger for one conversation, oldest first; the judge's question and what it replied."""

    conversation: Conversation
    judgement: Judgement | None
    calls: Sequence[ModelCall]
    request: LLMRequest | None
    problem: str


def annotation_of(page: ConversationPage, *, query: str, reader: str) -> Annotation:
    """Return the facts for the page. Eight queries at most, more in a list of decisions (matrix_window)."""
    judgement_id = page.judgement.pk if page.judgement else None
    remarks = remarks_of(page.conversation.pk, judgement_id=judgement_id, reader=reader)
    spec, plan = page.conversation.spec, page.conversation.run.frozen_plan
    facts = [("Goal", spec.get("goal")), ("Opening", spec.get("opening")), ("Persona", spec.get("persona"))]
    profile = plan.agent_profile
    facts += [(f"Agent: {_PROFILE_WORDS.get(name, name.replace('_', ' '))}", profile[name]) for name in profile]
    return Annotation(
        around=_around(page, query),
        criteria=[(score, remarks.disagreements.get(score.score.criterion, ())) for score in page.scores],
        notes=[{"by": note.author, "at": note.created_at, "text": note.text} for note in remarks.notes],
        scenario=str(spec.get("scenario") or spec.get("golden_session") or ""),
        told=[(title, _text(value)) for title, value in facts if value],
        may_requeue=page.judgement is not None and page.judgement.status in ("parse_error", "model_error"),
    )


def calls_panel(conversation_id: uuid.UUID, *, evaluation: str) -> CallsPanel:
    """Return the calls of a conversation and its judge's question. Seven queries at most. Raises NotFound."""
    # The prompt's rooms load a network client: 0.2 s of every command and web process, for one panel.
    from apps.evaluations.requests.services.dry_running import frozen_trial, preview  # noqa: PLC0415 - see above

    conversation = Conversation.objects.select_related("run").filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound(f"There is no conversation {conversation_id}.")
    rows = Judgement.objects.filter(conversation=conversation).select_related("evaluation").order_by("-created_at")
    judgement = next((row for row in rows if not evaluation or str(row.evaluation_id) == evaluation), None)
    if evaluation and judgement is None:
        raise NotFound(f"Conversation {conversation_id} is not in evaluation {evaluation}.")
    request, problem = None, ""
    if judgement is not None:
        try:
            request = preview(frozen_trial(evaluation=judgement.evaluation, conversation_id=conversation.pk))
        except RatibaError as error:
            problem = error.message
        except KeyError:  # scores that were imported have no plan of a judge
            problem = "No judge was asked here, so there is no question to show."
    return CallsPanel(
        conversation=conversation,
        judgement=judgement,
        calls=_calls(conversation, judgement),
        request=request,
        problem=problem,
    )


def _calls(conversation: Conversation, judgement: Judgement | None) -> list[ModelCall]:
    """Return the calls of playing and of judging, each found by an index. Two queries."""
    rows = ModelCall.objects.filter(conversation_id=conversation.pk)
    calls = {row.pk: row for row in rows.filter(run_id=conversation.run_id)[:MAX_CALLS]}
    if judgement is not None:
        calls |= {row.pk: row for row in rows.filter(evaluation_id=judgement.evaluation_id)[:MAX_CALLS]}
    return sorted(calls.values(), key=lambda call: call.created_at)


def _around(page: ConversationPage, query: str) -> ListAround:
    evaluation = page.judgement.evaluation if page.judgement is not None else None
    if evaluation is None or query == BY_RUN:
        return _in_run(page.conversation, evaluation.pk if evaluation else None)
    matrix_filter = parse_matrix_query(query).without()
    before, after = neighbours(
        evaluation, matrix_filter, uncertainties_of(evaluation), conversation_id=page.conversation.pk
    )
    travels = matrix_filter.query or "sort=score"
    return ListAround(
        words=", ".join(chip.text for chip in chips_of(matrix_filter)) or "worst first",
        url=f"{reverse('matrix', args=[evaluation.pk])}?{matrix_filter.query}",
        before=_address(before, evaluation.pk, travels),
        after=_address(after, evaluation.pk, travels),
        query=travels,
    )


def _in_run(conversation: Conversation, evaluation: uuid.UUID | None) -> ListAround:
    rows = Conversation.objects.filter(run=conversation.run_id).values_list("pk", flat=True)
    before = rows.filter(position__lt=conversation.position).order_by("-position").first()
    after = rows.filter(position__gt=conversation.position).order_by("position").first()
    return ListAround(
        words=f"{conversation.run}, in its order",
        url=reverse("run", args=[conversation.run_id]),
        before=_address(before, evaluation, BY_RUN),
        after=_address(after, evaluation, BY_RUN),
        query=BY_RUN,
    )


def _address(conversation: uuid.UUID | None, evaluation: uuid.UUID | None, query: str) -> str:
    if conversation is None:
        return ""
    where = {"evaluation": str(evaluation)} if evaluation else {}
    return f"{reverse('conversation', args=[conversation])}?{urlencode({**where, 'list': query})}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
