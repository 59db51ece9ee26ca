"""Empty all rows that hang on a person's conversations, by reference, whether or not a name stands in them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection

from apps.catalog.models import GoldenVersion, StoredFile
from apps.erasure.domain.blanking import BY_REFERENCE, emptied, without_ids, without_quotes_of, without_texts
from apps.erasure.domain.receipt import Receipt
from apps.erasure.domain.terms import ERASED, rewritten
from apps.erasure.queries.places import CACHE, FILES, SearchedTable, place_of, places
from apps.erasure.services.rewriting import EMPTY_BYTES, rows_where, write_changes
from apps.improvement.models import Analysis
from apps.production.privacy.services.pseudonyms import pseudonyms
from apps.runs.domain.states import Kind
from apps.runs.models import Conversation, Turn

_MIN_QUOTE = 20  # characters: a shorter one is anybody's
_MIN_PLAIN = 12
_PLAIN = re.compile(r"[A-Za-z0-9 ,.!?]+")
_TOKEN = re.compile(r"[\w.:+@-]+")
# Where a quotation may stand that names no conversation.
_QUOTING = ("improvement_", "gates_", "catalog_", "jobs_", "audit_", "calibration_", "api_", "django_", "budgets_")

_CACHED = """
FROM budgets_cachedresponse WHERE created_at IN (
  SELECT judged_at FROM evaluations_judgement WHERE conversation_id = ANY(%(ids)s) AND judged_at IS NOT NULL
) OR body LIKE ANY(%(quotes)s)
"""


def empty_rows(
    ids: Sequence[UUID],
    receipt: Receipt,
    *,
    write: bool,
    by_reference: Mapping[str, tuple[str, Mapping[str, str]]] = BY_REFERENCE,
) -> None:
    """Empty all texts of these conversations' rows; scores, times and ids stay. Two statements a table."""
    for table, (where, columns) in by_reference.items():
        place = _with_ciphertext(place_of(table), columns)
        rows = rows_where(place, list(columns), where, {"ids": list(ids)})

        def empty(
            name: str, value: Any, row: Mapping[str, Any], place: SearchedTable = place, how: Any = columns
        ) -> Any:
            return emptied(value, how[name], row_id=row[place.key])

        changed = write_changes(place, rows, empty, write=write)
        if changed:
            receipt.rows[table] += len(changed)


@dataclass(frozen=True, slots=True)
class QuotedConversations:
    """Names by which documents quote conversations: our ids, and the ids that they came with.

    Only texts about their own runs can mean the latter, since others may use the same. `gone`: ids that go too, with
    whatever could be found by them.
    """

    ids: frozenset[str]
    names: frozenset[str]
    runs: tuple[UUID, ...]
    gone: frozenset[str]


def quoted_conversations(ids: Sequence[UUID], *, gone: Collection[Kind] = tuple(Kind)) -> QuotedConversations:
    """Return ids, names and runs of these conversations, while their rows still hold their names.

    Names of the kinds `gone` are listed as gone. One query.
    """
    rows = list(Conversation.objects.filter(pk__in=ids).values_list("external_id", "run_id", "kind"))
    return QuotedConversations(
        ids=frozenset(map(str, ids)),
        names=frozenset(name for name, _, _ in rows if name),
        runs=tuple({run for _, run, _ in rows}),
        gone=frozenset(name for name, _, kind in rows if name and kind in gone),
    )


def empty_documents(
    quoted: QuotedConversations, receipt: Receipt, *, write: bool, only: tuple[str, ...] = ("",)
) -> None:
    """Empty the quotes from these conversations in documents elsewhere: in findings, reports, gates.

    They are found by the conversations' ids. Only in tables whose name begins with one of `only`. One query a table,
    and one for whose analyses are of their own runs.
    """
    own = set(Analysis.objects.filter(evaluation__run__in=quoted.runs).values_list("pk", flat=True))
    for place in places():
        if place.table in BY_REFERENCE or not place.json or not place.table.startswith(only):
            continue
        columns = sorted(place.json)
        where = " OR ".join(f't."{name}"::text ~ %(ids)s' for name in columns)
        about_own = own if place.table == Analysis._meta.db_table else set()
        parameters = {"ids": "|".join(sorted(quoted.ids)), "own": list(about_own)}
        rows = rows_where(
            place, columns, f'({where}) OR t."{place.key}" = ANY(%(own)s)' if about_own else where, parameters
        )

        def empty(name: str, value: Any, row: Mapping[str, Any], key: str = place.key, own: Any = about_own) -> Any:
            if name != "findings" or row[key] not in own:
                return without_quotes_of(value, quoted.ids)
            return without_ids(without_quotes_of(value, quoted.ids | quoted.names), quoted.gone)

        changed = write_changes(place, rows, empty, write=write)
        if changed:
            receipt.quotes[place.table] += len(changed)


def quotes_of(ids: Sequence[UUID]) -> tuple[str, ...]:
    """The words that only the customer said in these conversations, long enough to be told from others' words. Three
    queries."""
    messages = Turn.objects.filter(conversation_id__in=ids, role="user").values_list("content", flat=True)
    whole = {message.strip() for message in messages if len(message.strip()) >= _MIN_QUOTE}
    others = Turn.objects.filter(content__in=whole).exclude(conversation_id__in=ids).values_list("content", flat=True)
    whole -= {one.strip() for one in others}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT quote.one->>'quote' FROM evaluations_criterionscore s JOIN evaluations_judgement j"
            " ON j.id = s.judgement_id, jsonb_array_elements(s.evidence) AS quote(one)"
            " WHERE j.conversation_id = ANY(%s) AND jsonb_typeof(s.evidence) = 'array'",
            [list(ids)],
        )
        judged = {str(row[0] or "").strip() for row in cursor.fetchall()}
    parts = {one for one in judged if len(one) >= _MIN_QUOTE and any(one in turn for turn in whole)}
    return tuple(sorted(whole | parts, key=len, reverse=True))


def empty_quotes(quotes: Collection[str], receipt: Receipt, *, write: bool) -> None:
    """The customer's sentences where they stand word for word in what others wrote. One query a table."""
    likes = _likes(quotes)
    for place in places() if likes else ():
        if not place.table.startswith(_QUOTING) or place.table in (*BY_REFERENCE, CACHE, FILES):
            continue
        columns = [name for name in place.columns if name not in place.bytes]
        where = " OR ".join(f't."{name}"::text LIKE ANY(%(likes)s)' for name in columns)
        rows = rows_where(place, columns, where, {"likes": likes})

        def change(_: str, value: Any, __: Mapping[str, Any]) -> Any:
            return rewritten(value, partial(_without, tuple(quotes)))[0]

        changed = write_changes(place, rows, change, write=write)
        if changed:
            receipt.quotes[place.table] += len(changed)


def forget_answers(ids: Sequence[UUID], quotes: Collection[str], receipt: Receipt, *, write: bool) -> None:
    """Cached answers that were stored with a judgement of these conversations, or quote them. One statement."""
    verb = "DELETE" if write else "SELECT 1"
    with connection.cursor() as cursor:
        cursor.execute(f"{verb} {_CACHED}", {"ids": list(ids), "quotes": _likes(quotes)})
        receipt.cache_entries += cursor.rowcount


def empty_goldens(id_digests: frozenset[str], receipt: Receipt, *, write: bool) -> None:
    """Golden sessions that were captured from these conversations, and files that no other version names; they are
    retired. One query, and some for each of them."""
    keys = pseudonyms()
    captured = [
        row
        for row in GoldenVersion.objects.only("id", "captured_from", "document", "status").iterator(chunk_size=200)
        if any(id_digests & set(keys.digests("conversation", one)) for one in _named_in(row))
    ]
    if not captured:
        return
    place, ids = place_of("catalog_goldenversion"), [row.pk for row in captured]
    rows = rows_where(place, place.columns, 't."id" = ANY(%(ids)s)', {"ids": ids})
    files = {file for row in captured for file in _files_of(row.document)}
    write_changes(place, rows, lambda _, value, __: without_texts(value), write=write)
    receipt.rows[place.table] += len(rows)
    if write:
        GoldenVersion.objects.filter(pk__in=ids, status="approved").update(status="retired")
    still = {
        file
        for document in GoldenVersion.objects.exclude(pk__in=ids).values_list("document", flat=True)
        for file in _files_of(document)
    }
    for stored in StoredFile.objects.filter(pk__in=files - still):
        receipt.rows[FILES] += 1
        if write:
            write_changes(place_of(FILES), [{"sha256": stored.pk, "content": b"x"}], lambda *_: EMPTY_BYTES, write=True)


def _with_ciphertext(place: SearchedTable, columns: Iterable[str]) -> SearchedTable:
    hidden = frozenset(columns) - frozenset(place.columns)
    return SearchedTable(place.table, place.key, place.json, place.text | hidden, place.bytes, place.lengths)


def _likes(quotes: Iterable[str]) -> list[str]:
    """The longest run of each that is written alike in a text, in JSON, and in JSON within JSON."""
    runs = (max(_PLAIN.findall(quote), key=len, default="").strip() for quote in quotes)
    return [f"%{run}%" for run in dict.fromkeys(runs) if len(run) >= _MIN_PLAIN]


def _without(quotes: tuple[str, ...], text: str) -> tuple[str, int]:
    hits = 0
    for quote in quotes:
        if quote in text:
            hits, text = hits + text.count(quote), text.replace(quote, ERASED)
    return text, hits


def _named_in(row: GoldenVersion) -> set[str]:
    document = row.document if isinstance(row.document, dict) else {}
    texts = (row.captured_from, document.get("id"), document.get("captured_from"), document.get("source"))
    whole = {str(text).strip() for text in texts if text}
    return whole | {token for one in whole for token in _TOKEN.findall(one)}


def _files_of(document: Any) -> set[str]:
    """Digests of files that a golden's turns name."""
    if isinstance(document, dict):
        own = {str(document["sha256"])} if document.get("sha256") else set()
        return own.union(*map(_files_of, document.values()), set())
    if isinstance(document, list):
        return set().union(*map(_files_of, document)) if document else set()
    return set()
