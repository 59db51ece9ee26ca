"""The monthly labelling: which conversations are worth rating, what is left to rate, and for whom."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Count
from django.db.models.functions import Now

from apps.calibration.domain.label_sampling import Candidate, first_monday, is_quarterly, surprised
from apps.calibration.feedback_source import thumbs_of
from apps.calibration.models import (
    ConversationNote,
    HumanLabel,
    LabellingItem,
    LabellingRound,
    NonBlindLabel,
    Rater,
    RatingLease,
)
from apps.core.errors import Conflict, NotFound
from apps.evaluations.models import Evaluation
from apps.runs.domain.kind_traits import ENDLESS, LABELLED, UNSEALED, sql_list

RECENT = timedelta(days=62)  # judged since the round before last: nothing falls between two rounds
MOST = 2_000  # candidates looked at, the newest

_CONFIG = """
SELECT split_part(e.config_ref, '@', 1) AS config FROM evaluations_judgement j
JOIN evaluations_evaluation e ON e.id = j.evaluation_id
WHERE j.status = 'scored' AND j.weighted_score IS NOT NULL AND j.judged_at >= %(since)s
  AND NOT EXISTS (SELECT 1 FROM calibration_calibration k WHERE k.evaluation_id = e.id)
GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1
"""

# The newest judgement of each conversation; where several judges were asked by one config, their spread counts as the
# disagreement. Answers kept from before and scores by another config's criteria say nothing of the kind. Of real
# conversations each judged one may be drawn, whichever config judged it: they go before tests, and mostly the config of
# the sampling rule judges them.
_CANDIDATES = f"""
WITH recent AS (
  SELECT DISTINCT ON (j.conversation_id) j.id, j.conversation_id, j.weighted_score, c.language,
    c.kind IN {sql_list(ENDLESS)} AS real
  FROM evaluations_judgement j JOIN evaluations_evaluation e ON e.id = j.evaluation_id
  JOIN runs_conversation c ON c.id = j.conversation_id
  WHERE j.status = 'scored' AND j.weighted_score IS NOT NULL AND j.judged_at >= %(since)s
    AND c.kind IN {sql_list(LABELLED)}
    AND (SELECT r.kind FROM runs_testrun r WHERE r.id = c.run_id) IN {sql_list(UNSEALED)}
    AND (split_part(e.config_ref, '@', 1) = %(config)s OR c.kind IN {sql_list(ENDLESS)})
    AND NOT EXISTS (SELECT 1 FROM calibration_calibration k WHERE k.evaluation_id = e.id)
    AND NOT EXISTS (SELECT 1 FROM calibration_labellingitem i WHERE i.conversation_id = j.conversation_id)
  ORDER BY j.conversation_id DESC, j.judged_at DESC LIMIT %(most)s
)
SELECT r.conversation_id, r.language, r.weighted_score,
  (SELECT max(o.weighted_score) - min(o.weighted_score) FROM evaluations_judgement o
    JOIN evaluations_evaluation p ON p.id = o.evaluation_id
    WHERE o.conversation_id = r.conversation_id AND o.status = 'scored' AND NOT o.from_cache
      AND split_part(p.config_ref, '@', 1) = %(config)s HAVING count(*) > 1),
  (SELECT stddev_samp(s.score) FROM evaluations_criterionscore s WHERE s.judgement_id = r.id),
  (SELECT avg((q->>'kind' <> 'unverified')::int) FROM evaluations_criterionscore s,
    jsonb_array_elements(s.evidence) q WHERE s.judgement_id = r.id),
  r.real
FROM recent r
"""  # noqa: S608 - words of our own
# Real conversations that no judge has scored, the newest first: people need no judge.
_UNJUDGED = f"""
SELECT c.id, c.language FROM runs_conversation c
WHERE c.kind IN {sql_list(ENDLESS)} AND c.kind IN {sql_list(LABELLED)} AND c.status = 'ended'
  AND c.created_at >= %(since)s AND EXISTS (SELECT 1 FROM runs_turn u WHERE u.conversation_id = c.id)
  AND NOT EXISTS (SELECT 1 FROM evaluations_judgement j WHERE j.conversation_id = c.id AND j.status = 'scored')
  AND NOT EXISTS (SELECT 1 FROM calibration_labellingitem i WHERE i.conversation_id = c.id)
ORDER BY c.id DESC LIMIT %(most)s
"""  # noqa: S608 - words of our own


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingProgress:
    """One item of a round: who has rated it already, of how many that should, and who has it before them."""

    item: LabellingItem
    raters: frozenset[str]
    wanted: int
    holders: frozenset[str] = frozenset()

    @property
    def open(self) -> bool:
        return len(self.raters | self.holders) < self.wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """A round and how far it is; `reviewed` is None in months without a review of the pinned models."""

    round: LabellingRound
    items: Sequence[LabellingProgress]
    reviewed: bool | None
    raters: Mapping[str, int] = field(default_factory=dict)

    @property
    def rated(self) -> int:
        return sum(min(len(item.raters), item.wanted) for item in self.items)

    @property
    def wanted(self) -> int:
        return sum(item.wanted for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFigures:
    """A round in two figures: ratings that are missing, and whether a review of the pinned models is (None: no month
    for one)."""

    round: LabellingRound
    missing: int
    reviewed: bool | None


def candidates(*, now: datetime) -> tuple[str, list[Candidate]]:
    """Return the evaluator config that judged most lately, and conversations to ask people about.

    The latter are its own that nobody was asked about, and the real ones that any config or none judged. Three queries,
    and one where there are real ones.
    """
    since = now - RECENT
    with connection.cursor() as cursor:
        cursor.execute(_CONFIG, {"since": since})
        newest = cursor.fetchone()
        if newest is None:
            return "", []
        cursor.execute(_CANDIDATES, {"since": since, "config": newest[0], "most": MOST})
        rows = cursor.fetchall()
        cursor.execute(_UNJUDGED, {"since": since, "most": MOST})
        unjudged = cursor.fetchall()
    thumbs = thumbs_of([row[0] for row in rows if row[6]])
    return newest[0], [
        Candidate(
            id=row[0],
            language=row[1],
            score=row[2],
            spread=row[3] if row[3] is not None else row[4] or 0.0,
            evidence=None if row[5] is None else float(row[5]),
            real=row[6],
            surprising=surprised(row[2], thumbs.get(row[0], ())),
        )
        for row in rows
    ] + [
        Candidate(id=id, language=language, score=None, spread=0.0, evidence=None, real=True)
        for id, language in unjudged
    ]


def newest_evaluation(config: str) -> Evaluation:
    """The newest evaluation of a config, whatever its version. One query."""
    return Evaluation.objects.filter(config_ref__startswith=f"{config}@").order_by("-created_at")[0]


def latest_round() -> RoundState | None:
    """The newest round and how far it is. Three queries."""
    row = LabellingRound.objects.filter(month__isnull=False).order_by("-month").first()
    return None if row is None else round_state(row)


def latest_figures() -> RoundFigures | None:
    """The newest round in two figures. Two queries."""
    row = LabellingRound.objects.filter(month__isnull=False).order_by("-month").first()
    if row is None:
        return None
    rated = LabellingItem.objects.filter(round=row).annotate(n=Count("labels__rater", distinct=True))
    missing = sum(max(0, row.raters_wanted - n) for n in rated.order_by().values_list("n", flat=True))
    return RoundFigures(round=row, missing=missing, reviewed=_reviewed(row))


def round_state(row: LabellingRound) -> RoundState:
    """Return how far a round is. Three queries."""
    by_item: dict[int, set[str]] = defaultdict(set)
    by_rater: dict[str, set[int]] = defaultdict(set)
    for item, rater in HumanLabel.objects.filter(item__round=row).values_list("item_id", "rater").distinct():
        by_item[item].add(rater)
        by_rater[rater].add(item)
    held: dict[int, set[str]] = defaultdict(set)
    for item, rater in RatingLease.objects.filter(item__round=row, until__gt=Now()).values_list("item_id", "rater"):
        held[item].add(rater)
    items = [
        LabellingProgress(
            item=item, raters=frozenset(by_item[item.pk]), wanted=row.raters_wanted, holders=frozenset(held[item.pk])
        )
        for item in LabellingItem.objects.filter(round=row).select_related("conversation").order_by("position")
    ]
    return RoundState(
        round=row,
        items=items,
        reviewed=_reviewed(row),
        raters={rater: len(done) for rater, done in sorted(by_rater.items())},
    )


def _reviewed(row: LabellingRound) -> bool | None:
    return row.models_reviewed_at is not None if row.month and is_quarterly(row.month) else None


def queue_for(rater: str, *, state: RoundState) -> list[LabellingItem]:
    """The items that this person still has to rate: open items in a language they read that they have not rated.

    Those that need only one more rating come last, so that people do not race for the same item. A
    conversation whose score they disagreed with does not come: it would not be blind. Two queries.
    """
    reads = languages_of(rater)
    ids = [item.item.conversation_id for item in state.items]
    seen = set(
        NonBlindLabel.objects.filter(conversation__in=ids, rater=rater).values_list("conversation_id", flat=True)
    )
    waiting = [
        item
        for item in state.items
        if (item.open or rater in item.holders)
        and rater not in item.raters
        and item.item.conversation_id not in seen
        and may_read(reads, item.item.language)
    ]
    return [
        one.item
        for one in sorted(waiting, key=lambda item: (rater not in item.holders, len(item.raters), item.item.position))
    ]


def languages_of(rater: str) -> list[str]:
    """Languages a rater reads; [] is every language. One query."""
    languages = Rater.objects.filter(user=rater).values_list("languages", flat=True).first()
    return list(languages or [])


def may_read(reads: Sequence[str], language: str) -> bool:
    """Tell whether somebody who reads these languages may read a conversation in this one.

    `sw` reads `sw-KE`; two or more languages read `mixed`; everybody reads what has no language.
    """
    if not reads or not language:
        return True
    if language == "mixed":
        return len(reads) > 1
    return language.split("-")[0].casefold() in {read.casefold() for read in reads}


def may_rate_in(round_: LabellingRound, rater: str) -> bool:
    """Tell whether this person rates in the round: queues may be given to some people, and are closed at their end."""
    return not round_.closed_at and (not round_.assigned or rater in round_.assigned)


def find_item(item_id: int) -> LabellingItem:
    """Return the labelling item with this id. Raises NotFound. One query."""
    item = LabellingItem.objects.filter(pk=item_id).select_related("round", "conversation").first()
    if item is None:
        raise NotFound(f"There is no labelling item {item_id}.")
    return item


def find_item_of(*, round_id: uuid.UUID, conversation_id: uuid.UUID) -> LabellingItem:
    """Return a conversation's place in a round. Raises NotFound where it is not rated there. One query."""
    item = LabellingItem.objects.filter(round=round_id, conversation=conversation_id).first()
    if item is None:
        raise NotFound(f"Conversation {conversation_id} is not rated in this queue.")
    return item


def my_labels(item_id: int, rater: str) -> dict[str, HumanLabel]:
    """Return this person's labels of an item, by criterion: never those of others. One query."""
    rows = HumanLabel.objects.filter(item_id=item_id, rater=rater).order_by("revision")
    return {row.criterion: row for row in rows}


def my_notes(item_id: int, rater: str) -> list[str]:
    """Return this person's notes from rating an item: never those of others. One query."""
    rows = ConversationNote.objects.filter(item=item_id, author=rater).exclude(text="").order_by("created_at")
    return list(rows.values_list("text", flat=True))


def find_round(round_id: uuid.UUID) -> LabellingRound:
    """Return the labelling round with this id. Raises NotFound. One query."""
    row = LabellingRound.objects.filter(pk=round_id).first()
    if row is None:
        raise NotFound(f"There is no labelling round {round_id}.")
    return row


def round_is_due(*, now: datetime) -> bool:
    """Tell whether a month's round is due: from its first Monday on, until the round is there.

    One query then, none before.
    """
    today = now.date()
    return today >= first_monday(today) and not round_of_month(now=now)


def round_of_month(*, now: datetime) -> bool:
    """Tell whether this month has its round. One query."""
    return LabellingRound.objects.filter(month=now.date().replace(day=1)).exists()


def newest_evaluation_of_all() -> str:
    """The config of the newest evaluation. One query. Raises Conflict `nothing_judged` where there is none."""
    ref = Evaluation.objects.order_by("-created_at").values_list("config_ref", flat=True).first()
    if ref is None:
        raise Conflict("Nothing was judged yet: judge a run first, so that there are criteria.", code="nothing_judged")
    return str(ref).rpartition("@")[0]
