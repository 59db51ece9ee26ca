"""Cursor pages: the key of the last row seen, never an offset, so page 400 costs what page 1 costs."""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from rest_framework.request import Request

from apps.core.errors import BadInput
from apps.core.subject import FIELDS

DEFAULT_LIMIT, MAX_LIMIT = 50, 200
_WHOLE = re.compile(r"([0-9]{1,4})(?:\.0+)?")  # 21.0 is an integer (JSON Schema 2020-12, 4.2.3)
PAGED = ("cursor", "limit")  # what every list reads from its address

FILTERS = FIELDS  # of runs and evaluations: who was tested, exactly


def filtered(request: Request, rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows whose subject is what the query string names. No query of its own."""
    named = {name: value for name in FILTERS if (value := request.query_params.get(name))}
    return rows.filter(**{f"subject__{name}": value for name, value in named.items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Order of a list by `field`, unique within it. `read` turns a cursor's text into its value, or raises."""

    field: str
    read: Callable[[str], Any]
    newest_first: bool = False


def page_of(request: Request, rows: QuerySet[Any], order: Order) -> tuple[Sequence[Any], str | None, str | None]:
    """(rows, next, previous) for this request's `cursor` and `limit`. Raises BadInput for what these cannot be.

    One query (and the prefetches of `rows`), which reads one row more than the page.
    """
    limit = _limit(request.query_params.get("limit"))
    back, after = _cursor(request.query_params.get("cursor"), order)
    descending = order.newest_first != back
    if after is not None:
        rows = rows.filter(**{f"{order.field}__{'lt' if descending else 'gt'}": after})
    page = list(rows.order_by(f"{'-' if descending else ''}{order.field}")[: limit + 1])
    more = len(page) > limit
    page = page[:limit]
    if back:
        page.reverse()
    following = _link(request, "n", page, -1, order) if (more or back) and page else None
    preceding = _link(request, "p", page, 0, order) if (more if back else after is not None) and page else None
    return page, following, preceding


def _limit(text: str | None) -> int:
    if text is None:
        return DEFAULT_LIMIT
    match = _WHOLE.fullmatch(text)
    if not match or not 1 <= int(match[1]) <= MAX_LIMIT:
        raise BadInput(f"limit must be a number from 1 to {MAX_LIMIT}.", code="bad_limit")
    return int(match[1])


def _cursor(text: str | None, order: Order) -> tuple[bool, Any]:
    if not text:  # clients made from the document send an empty one where they have none: the first page
        return False, None
    try:
        plain = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode("ascii")
        if plain[:2] not in ("n:", "p:"):
            raise ValueError(plain)
        return plain[0] == "p", order.read(plain[2:])
    except (ValueError, binascii.Error):
        raise BadInput("This cursor is not one of ours: follow `next` and `previous`.", code="bad_cursor") from None


def _link(request: Request, way: str, page: Sequence[Any], at: int, order: Order) -> str:
    cursor = base64.urlsafe_b64encode(f"{way}:{getattr(page[at], order.field)}".encode()).decode().rstrip("=")
    query = urlencode({**request.query_params.dict(), "cursor": cursor})
    return request.build_absolute_uri(f"{request.path}?{query}")
