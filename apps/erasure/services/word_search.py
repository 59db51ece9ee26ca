"""The person's number, address, references and names, wherever they stand in the tenant's tables."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.db import connection

from apps.audit.domain.personal_columns import IDENTIFIERS
from apps.erasure.domain.receipt import Receipt
from apps.erasure.domain.terms import ERASED, Terms, rewritten, texts_in
from apps.erasure.queries.places import CACHE, SearchedTable, places
from apps.erasure.services.rewriting import EMPTY_BYTES, rows_where, write_changes


def erase_words(terms: Terms, receipt: Receipt, *, write: bool) -> None:
    """Replace the terms by `<erased>` (only if `write`), count them by column and note their places.
    Deletes cache entries with a term. One query a table over all rows, one statement a set of changed columns."""
    for place in (one for one in places() if terms and one.columns):
        rows = rows_where(place, place.columns, _matching(place), {"prefilter": terms.prefilter})
        hit = [row for row in rows if _count(place, row, terms, receipt)]
        if place.table == CACHE:
            receipt.cache_entries += len(hit)
            if write:
                _delete_entries([row[place.key] for row in hit])
        elif hit:
            write_changes(place, hit, partial(_changed, place, terms), write=write)


def _matching(place: SearchedTable) -> str:
    """The condition by which Postgres finds rows; bytes as far as they are ASCII."""
    texts = [f't."{name}"::text' for name in (*place.text, *place.json)]
    return " OR ".join(
        f"{text} ~* %(prefilter)s" for text in [*texts, *(f"encode(t.\"{n}\", 'escape')" for n in place.bytes)]
    )


def _count(place: SearchedTable, row: Mapping[str, Any], terms: Terms, receipt: Receipt) -> int:
    hits = 0
    for name in place.columns:
        texts = [_decoded(row[name])] if name in place.bytes else list(texts_in(row[name]))
        in_column = sum(map(terms.count, texts))
        if in_column:
            receipt.words[f"{place.table}.{name}"] += in_column
            shown = next(around for around in map(terms.around, texts) if around)
            receipt.note_hit(f"{place.table}.{name}", _shown_key(row[place.key]), shown)
        hits += in_column
    return hits


def _changed(place: SearchedTable, terms: Terms, name: str, value: Any, row: Mapping[str, Any]) -> Any:
    if name in place.bytes:
        return EMPTY_BYTES if terms.count(_decoded(value)) else value
    token = f"erased-{_shown_key(row[place.key])[-8:]}" if (place.table, name) in IDENTIFIERS else ERASED
    return rewritten(value, partial(terms.erased, token=token))[0]


def _decoded(value: Any) -> str:
    return bytes(value).decode("utf-8", "replace") if value is not None else ""


def _shown_key(key: Any) -> str:
    return bytes(key).hex() if isinstance(key, bytes | memoryview) else str(key)


def _delete_entries(keys: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM budgets_cachedresponse WHERE key = ANY(%s)", [[bytes(key) for key in keys]])
