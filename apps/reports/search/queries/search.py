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
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from apps.core.documents import Address, Document, Id, Moment, one_of
from apps.core.errors import BadInput
from apps.core.search_words import ExcerptPiece, SearchQuery, excerpt, words_sql
from apps.core.shapes import described
from apps.evaluations.reason_words import reason_words_sql
from apps.runs.domain.kind_traits import kinds_where, sql_list

MOST = 25  # hits of each kind
MAX_MS = 5_000  # of one statement: beginnings of one letter, twelve of them, would take a database long
_KINDS = sql_list(kinds_where(lambda traits: not traits.sealed and not traits.copies))
_LOOKED = 1_000  # of rare ones the newest that are looked at: those of trials and earlier attempts drop out

# The planner cannot know how rare a beginning of a word is: it takes the way that it is told.
_BY_INDEX = "SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off; SET LOCAL work_mem = '32MB'"
_BY_ROW = "SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = on; SET LOCAL enable_bitmapscan = off"
_AS_USUAL = "; ".join(
    f"SET LOCAL {name} TO DEFAULT"
    for name in (
        "enable_seqscan",
        "enable_indexscan",
        "enable_bitmapscan",
        "work_mem",
        "statement_timeout",
    )
)
_MATCHES = "@@ to_tsquery('simple', %(query)s)"
_FOUND = f"""
SELECT count(*), (array_agg(id ORDER BY id DESC))[1:{_LOOKED}] FROM (
  SELECT {{id}} AS id FROM {{table}} WHERE {{words}} {_MATCHES} LIMIT %(gathered)s
) found
"""  # noqa: S608 - words of our own
_TURNS = f"""
SELECT x.content, x.role, x.conversation_id, x.external_id, x.language, x.kind, x.name, x.at,
  CASE WHEN x.purpose <> 'nudge' THEN (SELECT count(*) FROM runs_turn b WHERE b.conversation_id = x.conversation_id
    AND b.attempt = x.attempt AND b.position < x.position AND b.purpose <> 'nudge') END
FROM (
  SELECT t.content, t.role, t.attempt, t.position, t.purpose, t.conversation_id, c.external_id, c.language, c.kind,
    r.name, coalesce(t.ts, c.ended_at, c.created_at) AS at
  FROM (SELECT turn_id AS id FROM runs_turnwords WHERE {{chosen}} ORDER BY turn_id DESC) w JOIN LATERAL (
    SELECT * FROM runs_turn WHERE id = w.id AND {words_sql("content")} {_MATCHES}) t ON true
  JOIN runs_conversation c ON c.id = t.conversation_id AND c.attempt = t.attempt
  JOIN runs_testrun r ON r.id = c.run_id AND r.kind IN {_KINDS}
  ORDER BY w.id DESC LIMIT %(most)s
) x
"""  # noqa: S608 - words of our own
_REASONS = f"""
SELECT k.reason, k.evidence, k.criterion, k.score, k.pass_mark, c.id, c.external_id, c.language, c.kind, r.name,
  coalesce(j.judged_at, j.created_at), e.id, e.config_ref
FROM evaluations_criterionscore k JOIN evaluations_judgement j ON j.id = k.judgement_id
JOIN evaluations_evaluation e ON e.id = j.evaluation_id
JOIN runs_conversation c ON c.id = j.conversation_id JOIN runs_testrun r ON r.id = c.run_id AND r.kind IN {_KINDS}
WHERE {{chosen}} ORDER BY k.id DESC LIMIT %(most)s
"""  # noqa: S608 - as above


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
        return "".join(piece.text for piece in self.pieces)

    @property
    def path(self) -> str:
        """The page that shows it, from the host on."""
        evaluation = f"?evaluation={self.evaluation_id}" if self.evaluation_id else ""
        place = f"#turn-{self.turn}" if self.turn is not None else ""
        return f"/conversations/{self.conversation}/{evaluation}{place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHits:
    """Hits of a search. `more_turns`, `more_reasons`: there are more than are shown; another word narrows them down."""

    turns: Sequence[SearchHit]
    reasons: Sequence[SearchHit]
    more_turns: bool
    more_reasons: bool


class SearchHitDocument(Document, component="SearchHit"):
    kind: Annotated[str, one_of(HitKind), described("What was said, why it was scored so, or the quote of a reason.")]
    excerpt: Annotated[str, described("What stands around the first word.")]
    conversation: Id
    conversation_id: Annotated[str, described("Its id where it came from.")]
    conversation_kind: str
    run: str
    language: str
    at: Moment
    role: Annotated[str, described('Who said a turn; "" otherwise.')]
    turn: Annotated[int | None, described("Its number in the transcript, from 0; null for a reason.")]
    evaluation_id: Id | None
    evaluator_config: str
    criterion: str
    score: float | None
    url: Address


class SearchResults(Document, component="SearchResults"):
    words: Annotated[
        Sequence[str], described("What was looked for: each is the beginning of a word, and all are there.")
    ]
    results: Annotated[Sequence[SearchHitDocument], described("Turns, then reasons; the newest 25 of each.")]
    more_turns: Annotated[bool, described("There are more: another word narrows them down.")]
    more_reasons: bool
    next: Address | None
    previous: Address | None


@dataclass(frozen=True, slots=True)
class _Place:
    """Place that is searched: a table, its key, its words, and the statement that reads the hits.

    `rare`: so many rows are gathered from the index; of words with more the newest rows are read in turn, which costs
    more the more there is to be computed of each.
    """

    table: str
    id: str
    words: str
    read: str
    rare: int


_SAID = _Place("runs_turnwords", "turn_id", "words", _TURNS, rare=3_000)
_REASONED = _Place("evaluations_criterionscore k", "k.id", reason_words_sql("k"), _REASONS, rare=15_000)


def find_words(query: SearchQuery) -> SearchHits:
    """MOST turns and MOST reasons, the newest first. Two queries for each of them."""
    turns = [_turn(row, query) for row in _rows(_SAID, query)]
    reasons = [_reason(row, query) for row in _rows(_REASONED, query)]
    return SearchHits(
        turns=turns[:MOST], reasons=reasons[:MOST], more_turns=len(turns) > MOST, more_reasons=len(reasons) > MOST
    )


def search_document(query: SearchQuery, *, origin: str) -> SearchResults:
    """The body of GET /search/: `origin` is where pages are, for their addresses."""
    words = find_words(query)
    return SearchResults(
        words=list(query.words),
        results=[_document(turn, origin) for turn in (*words.turns, *words.reasons)],
        more_turns=words.more_turns,
        more_reasons=words.more_reasons,
        next=None,
        previous=None,
    )


def _rows(place: _Place, query: SearchQuery) -> Sequence[Any]:
    """The newest rows. Few are gathered from the index and sorted; of words that stand nearly everywhere the rows are
    read from the newest on, until there are enough. Raises BadInput for what takes too long."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"{_BY_INDEX}; SET LOCAL statement_timeout = {MAX_MS}")
            rows = _newest(place, query, cursor)
            cursor.execute(_AS_USUAL)  # for what this transaction asks next
            return rows
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            raise BadInput(
                "That takes too long to search for: use whole words, or fewer.", code="bad_query", pointer="/q"
            ) from error
        raise


def _newest(place: _Place, query: SearchQuery, cursor: Any) -> Sequence[Any]:
    given: dict[str, Any] = {"query": query.tsquery, "most": MOST + 1, "gathered": place.rare + 1}
    cursor.execute(_FOUND.format(id=place.id, table=place.table, words=place.words), given)
    n, newest = cursor.fetchone()
    cursor.execute(_BY_ROW)
    rare = n <= place.rare
    chosen = f"{place.id} = ANY(%(newest)s)" if rare else f"{place.words} {_MATCHES}"
    cursor.execute(place.read.format(chosen=chosen), given | ({"newest": newest or []} if rare else {}))
    return list(cursor.fetchall())


def _turn(row: Sequence[Any], query: SearchQuery) -> SearchHit:
    content, role, conversation, name, language, kind, run, at, number = row
    return SearchHit(
        kind=HitKind.TURN,
        pieces=excerpt(content, query),
        conversation=conversation,
        conversation_id=name,
        conversation_kind=kind,
        run=run,
        language=language,
        at=at,
        role=role,
        turn=number,
    )


def _reason(row: Sequence[Any], query: SearchQuery) -> SearchHit:
    reason, evidence, criterion, score, mark, conversation, name, language, kind, run, at, evaluation, config = row
    quote = max(_quotes(evidence), key=lambda one: _held(one.text, query), default=_Quote("", None))
    quoted = _held(quote.text, query) > _held(reason, query)
    return SearchHit(
        kind=HitKind.QUOTE if quoted else HitKind.REASON,
        pieces=excerpt(quote.text if quoted else reason, query),
        conversation=conversation,
        conversation_id=name,
        conversation_kind=kind,
        run=run,
        language=language,
        at=at,
        turn=quote.turn if quoted else None,
        evaluation_id=evaluation,
        evaluator_config=config,
        criterion=criterion,
        score=score,
        pass_mark=mark,
    )


class _Quote(NamedTuple):
    text: str
    turn: int | None


def _quotes(evidence: str) -> list[_Quote]:
    rows = [load for load in json.loads(evidence) if isinstance(load, dict)]
    return [
        _Quote(str(row.get("quote") or ""), turn if isinstance(turn := row.get("turn"), int) else None) for row in rows
    ]


def _held(text: str, query: SearchQuery) -> int:
    """Count the words of the query that a text has."""
    return sum(any(piece.found for piece in excerpt(text, SearchQuery((word,)))) for word in query.words)


def _document(hit: SearchHit, origin: str) -> SearchHitDocument:
    return SearchHitDocument(
        kind=hit.kind.value,
        excerpt=hit.text,
        conversation=str(hit.conversation),
        conversation_id=hit.conversation_id,
        conversation_kind=hit.conversation_kind,
        run=hit.run,
        language=hit.language,
        at=hit.at.isoformat(),
        role=hit.role,
        turn=hit.turn,
        evaluation_id=str(hit.evaluation_id) if hit.evaluation_id else None,
        evaluator_config=hit.evaluator_config,
        criterion=hit.criterion,
        score=hit.score,
        url=f"{origin}{hit.path}",
    )
