"""The pages of erasure: who had whom erased is not shown; when, by whom and how much is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone

from apps.core.plurals import many
from apps.erasure.domain.erasure_states import ErasureStatus
from apps.erasure.domain.keeping import PLAYED
from apps.erasure.models import Erasure
from apps.erasure.queries.expired_words import kept_kinds
from apps.erasure.queries.receipts import find_erasure, receipt_document
from apps.erasure.services.requests import hits_of
from apps.production.langfuse.queries.deletions import deletions_document
from apps.production.models import ProductionConversation
from apps.runs.domain.states import Kind
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

_SHOWN = 100
_IN_LANGFUSE = {
    "pending": "not asked yet",
    "asked": "asked, not gone yet",
    "done": "deleted",
    "refused": "not deleted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRow:
    """A kind of conversation, and for how long its words are kept; `days` None: for ever."""

    name: str
    setting: str
    days: int | None
    held: int
    due: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasuresPage:
    headline: str
    rows: Sequence[Erasure]
    kept: Sequence[KeptRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePage:
    """Facts for the page of an erasure. `live`: a worker is at it, and the page asks again."""

    row: Erasure
    headline: str
    live: bool
    places: Sequence[tuple[str, str, int]]
    unreadable: Sequence[str]
    hits: Sequence[Mapping[str, str]]
    langfuse: Sequence[Mapping[str, Any]]
    nodes_open: Sequence[str]
    nodes_gone: Sequence[str]


def erasures_page(*, now: datetime) -> ErasuresPage:
    """The last hundred, and what each kind of conversation still holds. Five queries."""
    rows = list(Erasure.objects.order_by("-requested_at")[:_SHOWN])
    done = sum(row.status in (ErasureStatus.ERASED, ErasureStatus.COMPLETED) and not row.dry_run for row in rows)
    headline = f"{many(done, 'person was erased', 'people were erased')}." if done else "Nobody has been erased yet."
    return ErasuresPage(headline=headline, rows=rows, kept=_kept(now))


def _kept(now: datetime) -> list[KeptRow]:
    settings = workflow_config(current_slug())
    real = ProductionConversation.objects.filter(deleted_at__isnull=True)
    counts = real.aggregate(held=Count("pk"), due=Count("pk", filter=Q(keep_until__lte=now)))
    kinds = {kind.kind: kind for kind in kept_kinds(now=now)}
    imported, played = kinds[Kind.IMPORTED], [kinds[kind] for kind in PLAYED]
    return [
        KeptRow(name="What real customers said", setting="keep_days", days=settings.keep_days, **counts),
        KeptRow(
            name="Imported conversations",
            setting="keep_imported_days",
            days=imported.days,
            held=imported.held,
            due=imported.due,
        ),
        KeptRow(
            name="Battles, replays, probes and trials",
            setting="keep_played_days",
            days=settings.keep_played_days,
            held=sum(one.held for one in played),
            due=sum(one.due for one in played),
        ),
    ]


def erasure_page(erasure_id: UUID, *, with_hits: bool) -> ErasurePage:
    """Return the page of an erasure. Three queries at most. Raises NotFound."""
    row = find_erasure(erasure_id)
    receipt: Mapping[str, Any] = receipt_document(row, now=timezone.now())
    kinds = (("words of the person", "words"), ("row of their conversations", "rows"), ("row that quotes", "quotes"))
    places = [(place, what, count) for what, name in kinds for place, count in (receipt.get(name) or {}).items()]
    places += [(place, "words in a file", count) for place, count in (receipt.get("files") or {}).items()]
    if receipt.get("cache_entries"):
        places.append(("cached answers of models", "deleted as a whole", receipt["cache_entries"]))
    return ErasurePage(
        row=row,
        headline=_headline(row, receipt),
        live=row.status == ErasureStatus.PENDING,
        places=places,
        unreadable=receipt.get("unreadable") or (),
        nodes_open=receipt.get("nodes_open") or (),
        nodes_gone=receipt.get("nodes_gone") or (),
        hits=hits_of(row) if with_hits and row.status == ErasureStatus.FOUND else (),
        langfuse=[
            {**one, "words": _IN_LANGFUSE[one["state"]]} for one in deletions_document(receipt.get("langfuse", ()))
        ],
    )


def _headline(row: Erasure, receipt: Mapping[str, Any]) -> str:
    match row.status:
        case ErasureStatus.PENDING:
            return "A worker is looking for this person." if row.dry_run else "A worker is erasing this person."
        case ErasureStatus.FAILED:
            return f"It could not be done: {row.error_message}"
    conversations = many(receipt.get("conversations", 0), "conversation")
    words = many(receipt.get("words_in_all", 0), "place")
    if row.dry_run and row.status == ErasureStatus.COMPLETED:
        return "This search was not confirmed within a day, and what it had found is forgotten."
    if row.status == ErasureStatus.FOUND:
        return f"Found {conversations} of this person, and their words in {words} besides. Nothing is erased yet."
    return f"Erased: {conversations}, and the person's words in {words}. Scores stayed."
