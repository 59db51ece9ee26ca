"""Search over what was said and why it was scored so: turns, reasons and quotes, the newest first.

A turn is found through its words (runs.TurnWords), a reason through the index on its own; both are read again from the
row itself, so that nothing is shown that was erased meanwhile. What belongs to a trial is never found: a hold-out is
worn by reading.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from apps.core.search_words import ExcerptPiece, SearchQuery, excerpt, words_sql
from apps.evaluations.reason_words import reason_words_sql
from apps.runs.domain.kind_traits import kinds_where, sql_list

MOST = 25  # hits of each kind
_KINDS = sql_list(kinds_where(lambda traits: not traits.sealed and not traits.copies))
# Read in the order of what is shown, so that only what is shown is looked at twice (OFFSET 0 keeps the planner to it).
_TURNS = f"""
SELECT x.content, x.role, x.conversation_id, x.external_id, x.language, x.kind, x.name, x.at,
  CASE WHEN x.purpose <> 'nudge' THEN (SELECT count(*) FROM runs_turn b WHERE b.conversation_id = x.conversation_id
    AND b.attempt = x.attempt AND b.position < x.position AND b.purpose <> 'nudge') END
FROM (
  SELECT t.id, t.content, t.role, t.attempt, t.position, t.purpose, t.conversation_id, c.external_id, c.language,
    c.kind, r.name, coalesce(t.ts, c.ended_at, c.created_at) AS at
  FROM (SELECT turn_id FROM runs_turnwords WHERE words @@ to_tsquery('simple', %(query)s)
        ORDER BY turn_id DESC LIMIT %(looked)s) w
  JOIN runs_turn t ON t.id = w.turn_id JOIN runs_conversation c ON c.id = t.conversation_id AND c.attempt = t.attempt
  JOIN runs_testrun r ON r.id = c.run_id AND r.kind IN {_KINDS}
  ORDER BY t.id DESC OFFSET 0
) x WHERE {words_sql("x.content")} @@ to_tsquery('simple', %(query)s) LIMIT %(most)s
"""  # noqa: S608 - words of our own
_REASONS = f"""
SELECT k.reason, k.evidence, k.criterion, k.score, k.pass_mark, c.id, c.external_id, c.language, c.kind, r.name,
  coalesce(j.judged_at, j.created_at), e.id, e.config_ref
FROM (SELECT s.id FROM evaluations_criterionscore s
      WHERE {reason_words_sql("s")} @@ to_tsquery('simple', %(query)s) ORDER BY s.id DESC LIMIT %(looked)s) w
JOIN evaluations_criterionscore k ON k.id = w.id JOIN evaluations_judgement j ON j.id = k.judgement_id
JOIN evaluations_evaluation e ON e.id = j.evaluation_id
JOIN runs_conversation c ON c.id = j.conversation_id JOIN runs_testrun r ON r.id = c.run_id AND r.kind IN {_KINDS}
ORDER BY k.id DESC LIMIT %(most)s
"""  # noqa: S608 - as above
_LOOKED = 1_000  # rows with these words that are looked at, the newest: those of trials and earlier attempts drop out


class HitKind(StrEnum):
    TURN = "turn"
    REASON = "reason"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """Where the words stand. `turn` is the number of the transcript that judges read, None for a nudge and a reason;
    `evaluation_id`, `criterion` and `score` are those of a reason or quote."""

    kind: HitKind
    pieces: Sequence[ExcerptPiece]
    conversation: UUID
    conversation_id: str
    conversation_kind: str
    run: str
    language: str
    at: datetime
    role: str = ""
    turn: int | None = None
    evaluation_id: UUID | None = None
    evaluator_config: str = ""
    criterion: str = ""
    score: float | None = None
    pass_mark: float | None = None

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.pieces)

    @property
    def path(self) -> str:
        """The page that shows it, from the host on."""
        evaluation = f"?evaluation={self.evaluation_id}" if self.evaluation_id else ""
        place = f"#turn-{self.turn}" if self.turn is not None else ""
        return f"/conversations/{self.conversation}/{evaluation}{place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHits:
    """`more_turns`, `more_reasons`: there are more than are shown; another word narrows them down."""

    turns: Sequence[SearchHit]
    reasons: Sequence[SearchHit]
    more_turns: bool
    more_reasons: bool


def find_words(query: SearchQuery) -> SearchHits:
    """MOST turns and MOST reasons, the newest first. Two queries."""
    turns = [_turn(row, query) for row in _rows(_TURNS, query)]
    reasons = [_reason(row, query) for row in _rows(_REASONS, query)]
    return SearchHits(
        turns=turns[:MOST], reasons=reasons[:MOST], more_turns=len(turns) > MOST, more_reasons=len(reasons) > MOST
    )


def search_document(query: SearchQuery, *, origin: str) -> dict[str, Any]:
    """The body of GET /search/: `origin` is where pages are, for their addresses."""
    found = find_words(query)
    return {
        "words": list(query.words),
        "results": [_document(one, origin) for one in (*found.turns, *found.reasons)],
        "more_turns": found.more_turns,
        "more_reasons": found.more_reasons,
        "next": None,
        "previous": None,
    }


def _rows(sql: str, query: SearchQuery) -> Sequence[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"query": query.tsquery, "looked": _LOOKED, "most": MOST + 1})
        return list(cursor.fetchall())


def _turn(row: Sequence[Any], query: SearchQuery) -> SearchHit:
    content, role, conversation, name, language, kind, run, at, number = row
    return SearchHit(
        kind=HitKind.TURN, pieces=excerpt(content, query), conversation=conversation, conversation_id=name,
        conversation_kind=kind, run=run, language=language, at=at, role=role, turn=number,
    )  # fmt: skip


def _reason(row: Sequence[Any], query: SearchQuery) -> SearchHit:
    reason, evidence, criterion, score, mark, conversation, name, language, kind, run, at, evaluation, config = row
    quote = max(_quotes(evidence), key=lambda one: _held(one.text, query), default=_Quote("", None))
    quoted = _held(quote.text, query) > _held(reason, query)
    return SearchHit(
        kind=HitKind.QUOTE if quoted else HitKind.REASON, pieces=excerpt(quote.text if quoted else reason, query),
        conversation=conversation, conversation_id=name, conversation_kind=kind, run=run, language=language, at=at,
        turn=quote.turn if quoted else None, evaluation_id=evaluation, evaluator_config=config, criterion=criterion,
        score=score, pass_mark=mark,
    )  # fmt: skip


class _Quote(NamedTuple):
    text: str
    turn: int | None


def _quotes(evidence: str) -> list[_Quote]:
    rows = [one for one in json.loads(evidence) if isinstance(one, dict)]
    return [_Quote(str(one.get("quote") or ""), turn if isinstance(turn := one.get("turn"), int) else None)
            for one in rows]  # fmt: skip


def _held(text: str, query: SearchQuery) -> int:
    """How many of the words a text has."""
    return sum(any(one.found for one in excerpt(text, SearchQuery((word,)))) for word in query.words)


def _document(hit: SearchHit, origin: str) -> dict[str, Any]:
    return {
        "kind": hit.kind.value, "excerpt": hit.text, "conversation": str(hit.conversation),
        "conversation_id": hit.conversation_id, "conversation_kind": hit.conversation_kind, "run": hit.run,
        "language": hit.language, "at": hit.at.isoformat(), "role": hit.role, "turn": hit.turn,
        "evaluation_id": str(hit.evaluation_id) if hit.evaluation_id else None,
        "evaluator_config": hit.evaluator_config, "criterion": hit.criterion, "score": hit.score,
        "url": f"{origin}{hit.path}",
    }  # fmt: skip
