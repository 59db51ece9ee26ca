"""All labels that people have given here, as one set."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from apps.audit.masked_rows import masked_rows
from apps.calibration.domain.labels import HumanRating, LabelledItem, LabelSet
from apps.calibration.models import HumanLabel, LabellingItem, NonBlindLabel
from apps.core.conversation import ConversationDocument, ToolCall, TurnRole, Utterance
from apps.evaluations.figures.domain.rating_scale import RatingScale, read_scale
from apps.runs.models import Turn


def latest_labels(rows: QuerySet[HumanLabel]) -> list[HumanLabel]:
    """The last revision of every rating among these. One query."""
    return list(rows.order_by("item", "rater", "criterion", "-revision").distinct("item", "rater", "criterion"))


def blind_labels() -> list[HumanLabel]:
    """Return the last revision of every rating by a person who had not yet seen the judge's score.

    Once a person has disagreed with a judgement of a conversation, their later ratings of it are not blind. One query.
    """
    seen = NonBlindLabel.objects.filter(
        conversation=OuterRef("item__conversation"), rater=OuterRef("rater"), created_at__lte=OuterRef("created_at")
    )
    return latest_labels(HumanLabel.objects.filter(~Exists(seen)))


def gathered_labels(*, to_be_read: bool = False) -> LabelSet:
    """All blind labels of all rounds with their conversations, masked. Where people read them (`to_be_read`), without
    conversations of an open queue that still lack ratings: whoever reads may be the next to rate. Three queries, one
    more where they are read."""
    by_item: dict[int, dict[str, list[HumanRating]]] = defaultdict(lambda: defaultdict(list))
    blind = set(_unfinished_items()) if to_be_read else set[int]()
    for label in masked_rows(blind_labels()):
        if label.item_id in blind:
            continue
        value: Any = label.value
        by_item[label.item_id][label.criterion].append(
            HumanRating(
                value=int(value) if value is not None and value == int(value) else value,
                rater=label.rater,
                reason=label.reason,
            )
        )
    rows = LabellingItem.objects.filter(pk__in=by_item).select_related("round", "conversation")
    turns = _turns(row.conversation_id for row in rows)
    items, scales, seen = [], dict[str, RatingScale](), set[str]()
    for row in rows.order_by("round__month", "position"):
        id = row.conversation.external_id
        if id in seen:  # two runs may hold conversations of one name
            id = f"{id}-{row.conversation_id}"
        seen.add(id)
        scales.update(dict.fromkeys(by_item[row.pk], read_scale(row.round.scale)))
        items.append(
            LabelledItem(
                id=id,
                language=row.language,
                ratings={name: tuple(ratings) for name, ratings in by_item[row.pk].items()},
                document=ConversationDocument(
                    id=id, language=row.language or None, turns=tuple(turns[row.conversation_id])
                ),
            )
        )
    return LabelSet(items=tuple(items), scales=scales)


def raters_of(item: str) -> Any:
    """Count the people who rated the item that this column of an outer query names; 0 for none. For `annotate`."""
    rated = HumanLabel.objects.filter(item=OuterRef(item)).order_by().values("item")
    return Coalesce(Subquery(rated.annotate(n=Count("rater", distinct=True)).values("n")), 0)


def _unfinished_items() -> Iterable[int]:
    waiting = LabellingItem.objects.filter(round__month=None, round__closed_at=None).annotate(raters=raters_of("pk"))
    return waiting.filter(raters__lt=F("round__raters_wanted")).values_list("pk", flat=True)


def _turns(conversations: Any) -> dict[Any, list[Utterance]]:
    turns: dict[Any, list[Utterance]] = defaultdict(list)
    spoken = Turn.objects.transcript().filter(conversation__in=list(conversations)).order_by("conversation", "position")
    for turn in masked_rows(spoken.defer("extra", "attachments")):
        calls = tuple(
            ToolCall(name=call["name"], arguments=call.get("arguments") or {}, id=call.get("id"))
            for call in turn.tool_calls or ()
        )
        turns[turn.conversation_id].append(
            Utterance(
                role=TurnRole(turn.role),
                content=turn.content,
                tool_calls=calls,
                tool_call_id=turn.tool_call_id or None,
                name=turn.name or None,
                ts=turn.ts,
                latency_ms=turn.latency_ms,
            )
        )
    return turns
