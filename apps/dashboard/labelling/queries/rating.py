"""The content of the labelling page: one conversation, masked, and the criteria to rate it on. It never shows a judge's
score, other people's ratings, or the reason why the conversation was chosen."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.calibration.models import LabellingItem, LabellingRound
from apps.calibration.queries.labelling import (
    RoundState,
    find_item,
    find_round,
    latest_round,
    may_rate_in,
    my_labels,
    my_notes,
    queue_for,
    round_state,
)
from apps.calibration.queries.queues import open_queues
from apps.core.errors import NotFound
from apps.core.redaction import redact, redact_value
from apps.dashboard.domain.sentences import Headline
from apps.evaluations.domain.background import with_values
from apps.evaluations.figures.domain.rating_scale import GUIDE, read_scale
from apps.runs.models import Turn

_WHO = {"user": gettext_lazy("customer"), "assistant": gettext_lazy("agent")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTurn:
    position: int
    role: str
    who: str
    text: str
    calls: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalePoint:
    """A point of the scale, its key and what the guide says of it."""

    value: str
    key: str
    meaning: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelQuestion:
    """One criterion to rate. `silent`: this person said that they cannot say."""

    number: int
    name: str
    description: str
    points: Sequence[ScalePoint]
    silent: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingPage:
    headline: Headline
    item: LabellingItem | None
    scale: str
    turns: Sequence[LabelTurn]
    questions: Sequence[LabelQuestion]
    left: int
    rated: int
    next_id: int | None
    last_id: int | None
    again: bool
    with_round: bool = True
    queue: LabellingRound | None = None
    note: str = ""
    my_notes: Sequence[str] = ()


def labelling_page(
    *,
    user: str,
    item_id: int | None = None,
    after: int | None = None,
    posted: Mapping[str, str] | None = None,
    round_id: uuid.UUID | None = None,
) -> LabellingPage:
    """Return the page of the next conversation to rate: after `after`, or `item_id` to correct a rating.

    It is of the named round or queue, else of the month's round, else of the oldest queue with work. `posted` holds the
    answers of a refused form, so that nothing typed is lost. Ten queries, four more for each queue without work. Raises
    NotFound.
    """
    state, queue = _state_for(user, item_id, round_id)
    mine = [one.item for one in state.items if user in one.raters] if state else []
    item = _chosen(queue, mine, item_id, after)
    if state is None or item is None:
        return _nothing(state is not None, len(mine), mine)
    answers = _answers(state.round, item, user if item in mine else "", posted)
    following = [one for one in queue if one.pk != item.pk]
    of_queue = None if state.round.month else state.round
    return LabellingPage(
        headline=_headline(item in mine, len(queue), of_queue),
        item=item,
        scale=state.round.scale,
        turns=_turns(item),
        questions=[
            _question(number, criterion, state.round.scale, answers.get(criterion["name"], ("", "")), _background(item))
            for number, criterion in enumerate(state.round.criteria)
        ],
        left=len(queue),
        rated=len(mine),
        next_id=_after(queue, item).pk if following else None,
        last_id=mine[-1].pk if mine else None,
        again=item in mine,
        queue=of_queue,
        note=(posted or {}).get("note", ""),
        my_notes=my_notes(item.pk, user),
    )


def _answers(
    round_: LabellingRound, item: LabellingItem, user: str, posted: Mapping[str, str] | None
) -> dict[str, tuple[str, str]]:
    """Value and reason by criterion: what was posted, else what this person said before; nothing for nobody."""
    if posted is not None:
        return {
            criterion["name"]: (posted.get(f"value-{number}", ""), posted.get(f"reason-{number}", ""))
            for number, criterion in enumerate(round_.criteria)
        }
    labels = my_labels(item.pk, user) if user else {}
    return {name: ("none" if row.value is None else f"{row.value:g}", row.reason) for name, row in labels.items()}


def _state_for(
    user: str, item_id: int | None, round_id: uuid.UUID | None
) -> tuple[RoundState | None, list[LabellingItem]]:
    named = find_item(item_id).round if item_id is not None else find_round(round_id) if round_id else None
    if named is not None:
        if not may_rate_in(named, user):
            raise NotFound(_("This queue is not for you to rate, or is closed."))
        state = round_state(named)
        return state, queue_for(user, state=state)
    month = latest_round()
    waiting = queue_for(user, state=month) if month else []
    if waiting:
        return month, waiting
    for row in open_queues(user):
        of_queue = round_state(row)
        if waiting := queue_for(user, state=of_queue):
            return of_queue, waiting
    return month, []


def _chosen(
    queue: Sequence[LabellingItem], mine: Sequence[LabellingItem], item_id: int | None, after: int | None
) -> LabellingItem | None:
    if item_id is not None:
        chosen = next((item for item in [*queue, *mine] if item.pk == item_id), None)
        if chosen is None:
            raise NotFound(_("This conversation is not waiting for your rating."))
        return chosen
    if after is not None:
        skipped = next((item for item in queue if item.pk == after), None)
        if skipped is not None:
            return _after(queue, skipped)
    return queue[0] if queue else None


def _after(queue: Sequence[LabellingItem], item: LabellingItem) -> LabellingItem:
    places = [labelling_item.pk for labelling_item in queue]
    return queue[(places.index(item.pk) + 1) % len(queue)] if item.pk in places else queue[0]


def _nothing(with_round: bool, rated: int, mine: Sequence[LabellingItem]) -> LabellingPage:
    if with_round:
        note = (
            ngettext(
                "You rated %(n)d conversation of this month. Others may still be rating.",
                "You rated %(n)d conversations of this month. Others may still be rating.",
                rated,
            )
            % {"n": rated}
            if rated
            else _("Every conversation has its ratings, or is in a language that you did not name.")
        )
    else:
        note = _(
            "No labelling round is open. One opens by itself on the first Monday of a month, with about ten "
            "conversations that were judged lately; you can open it now."
        )
    return LabellingPage(
        headline=Headline(text=_("You are done") if rated else _("Nothing waits for your rating"), note=note),
        item=None,
        scale="",
        turns=(),
        questions=(),
        left=0,
        rated=rated,
        next_id=None,
        last_id=mine[-1].pk if mine else None,
        again=False,
        with_round=with_round,
    )


def _headline(again: bool, left: int, queue: LabellingRound | None) -> Headline:
    note = (
        _("Rate what was said, as you would without any score beside it.")
        if not again
        else _("You rated this one before. What you change is kept beside what you said then.")
    )
    text = (
        _("Correct your rating")
        if again
        else ngettext("%(n)d conversation waits for you", "%(n)d conversations wait for you", left) % {"n": left}
    )
    return Headline(text=f"{queue}: {text}" if queue else text, note=note)


def _background(item: LabellingItem) -> dict[str, str]:
    """The judge's background text about the customer, masked as the turns are."""
    spec = item.conversation.spec or {}
    return {name: redact(str(spec.get(name) or "")) for name in ("persona", "goal")}


def _question(
    number: int, criterion: Mapping[str, Any], scale: str, answer: tuple[str, str], background: Mapping[str, str]
) -> LabelQuestion:
    points = read_scale(scale).points
    guide = criterion.get("scoring_guide") or {}
    return LabelQuestion(
        number=number,
        name=criterion["name"],
        description=with_values(criterion.get("description") or "", background),
        points=[
            ScalePoint(
                value=f"{point:g}",
                key=f"{point:g}",
                meaning=with_values(str(guide.get(f"{GUIDE[place]:g}", "")), background)
                if len(points) == len(GUIDE)
                else "",
                chosen=answer[0] == f"{point:g}",
            )
            for place, point in enumerate(points)
        ],
        silent=answer[0] == "none",
        reason=answer[1],
    )


def _turns(item: LabellingItem) -> list[LabelTurn]:
    rows = Turn.objects.transcript().filter(conversation_id=item.conversation_id).order_by("position")
    return [
        LabelTurn(
            position=number,
            role=row.role,
            who=str(_WHO.get(row.role, row.role)),
            text=redact(row.content),
            calls=[
                f"{call['name']}({', '.join(f'{name}={value}' for name, value in redact_value(call.get('arguments') or {}).items())})"  # noqa: E501
                for call in row.tool_calls or ()
            ],
        )
        for number, row in enumerate(rows)
    ]
