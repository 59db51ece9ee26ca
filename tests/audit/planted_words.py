"""A world of data with a phone number in every personal column, another one in each, and who shows which of them."""

import json
import re
from collections.abc import Mapping
from typing import Any

from django.db import connection
from django.utils import timezone

from apps.calibration.models import HumanLabel, LabelResolution
from apps.erasure.queries.places import SearchedTable, places
from apps.runs.models import Conversation
from tests.databases import as_superuser
from tests.doors import world
from tests.doors.queue_rows import make_disputed_queue
from tests.production.test_intake import document, post
from tests.production.test_retention import judged, rated

_SHOWN = re.compile(r"0722.{1,8}?(\d{3}) 417", re.DOTALL)
_SHAPES: tuple[tuple[str, str, Any], ...] = (
    ("runs_turn", "tool_calls", [{"id": "k1", "name": "pay", "arguments": {"of": ["to whom"]}}]),
    ("runs_turn", "extra", {"usage": {"model": "the model"}, "heard": "by whom"}),
    ("runs_conversation", "spec", {"persona": "who she is", "scenario": "a plan", "persona_name": "her name"}),
    ("evaluations_evaluation", "subject", {"agent": "an agent", "label": "a label", "prompt_version": "a version"}),
    ("checks_checkresult", "evidence", [{"quote": "she said"}]),
    ("catalog_scenario", "provenance", {"why": "what she said"}),
)


def plant_everywhere() -> None:
    """Fill the tenant and write into each text, and each text of a JSON value that is no name, the column's number."""
    world._fill()
    mine = post(document("mine", "Hello there", "Karibu", ended=True), timezone.now()).conversation_id
    judged(mine)
    rated(mine, comment="it was bad")
    make_disputed_queue(Conversation.objects.order_by("id")[:3])
    label = HumanLabel.objects.select_related("item").earliest("id")
    LabelResolution.objects.create(
        item=label.item, criterion=label.criterion, value=1, reason="as otieno says", resolved_by="amina"
    )
    with connection.cursor() as cursor:
        as_superuser("SET LOCAL session_replication_role = replica")
        cursor.execute("UPDATE runs_conversation SET ended_at = now() WHERE ended_at IS NULL")
        for table, column, value in _SHAPES:
            cursor.execute(f'UPDATE "{table}" SET "{column}" = %s', [json.dumps(value)])  # noqa: S608 - names of our own
        for number, (place, column) in enumerate(_columns()):
            _plant(cursor, place, column, f"0722 {number:03} 417")
        as_superuser("SET LOCAL session_replication_role = origin")


def shown_in(text: str | bytes) -> set[str]:
    """The columns whose number stands in a text, in clear."""
    names = [f"{place.table}.{column}" for place, column in _columns()]
    text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return {names[int(found)] for found in _SHOWN.findall(text)}


def planted() -> set[str]:
    """The columns that hold their number."""
    found = set()
    with connection.cursor() as cursor:
        for place, column in _columns():
            cursor.execute(f'SELECT "{column}"::text FROM "{place.table}"')  # noqa: S608 - names of our own
            found |= shown_in("\n".join(str(row[0]) for row in cursor.fetchall()))
    return found


def columns_of(*listed: Mapping[str, frozenset[str]]) -> set[str]:
    return {f"{table}.{column}" for one in listed for table, columns in one.items() for column in columns}


def _columns() -> list[tuple[SearchedTable, str]]:
    return [(place, name) for place in places() for name in (*sorted(place.text), *sorted(place.json))]


def _plant(cursor: Any, place: SearchedTable, column: str, phone: str) -> None:
    cursor.execute(f'SELECT "{place.key}", "{column}" FROM "{place.table}"')  # noqa: S608 - names of our own
    longest = dict(place.lengths).get(column)
    for key, value in cursor.fetchall():
        if column in place.json:
            before = json.loads(value) if isinstance(value, str) else value
            after = json.dumps(_with(before, phone) if before else before)
            into = "%s::jsonb"
        else:
            after, into = f"{value} {phone}", "%s"
            after = phone if longest and len(after) > longest else after
        cursor.execute(f'UPDATE "{place.table}" SET "{column}" = {into} WHERE "{place.key}" = %s', [after, key])  # noqa: S608


def _with(value: Any, phone: str) -> Any:
    if isinstance(value, str):
        return f"{value} {phone}" if " " in value or world.MARK in value else value
    if isinstance(value, dict):
        return {name: _with(one, phone) for name, one in value.items()}
    return [_with(one, phone) for one in value] if isinstance(value, list) else value
