"""Catalog pieces that several tests start from."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
GUIDE = {anchor: f"what {anchor} looks like" for anchor in ("0", "3", "5", "7", "10")}


def text(description: str = "Is it good?") -> dict[str, Any]:
    return {"description": description, "scoring_guide": dict(GUIDE)}


def criterion_fields(**changes: Any) -> dict[str, Any]:
    return {"kind": "domain", "domain": "tea", "texts": {"en": text(), "sw": text("Ni nzuri?")}, **changes}


def content(*names: str, **changes: Any) -> dict[str, Any]:
    return {
        "criteria": {"core": [], "domain": list(names), "weights": {}},
        "llm_config": {"judge": {"provider": "offline", "model": "offline-rules"}},
        **changes,
    }


TEA_YAML = """
criteria:
  - name: warms_the_pot
    domain: tea
    texts:
      en:
        description: The pot is warmed first.
        scoring_guide: {0: never, 3: hardly, 5: half, 7: mostly, 10: always}
  - name: offers_milk
    domain: tea
    texts:
      en:
        description: Milk is offered.
        scoring_guide: {0: never, 3: hardly, 5: half, 7: mostly, 10: always}
evaluator_configs:
  - name: tea-service
    description: A domain nobody wrote a line of code for.
    versions:
      - number: 1
        status: published
        criteria:
          core: []
          domain: [warms_the_pot, offers_milk]
          weights: {warms_the_pot: 2}
        pass_marks: {offers_milk: 7.5}
        llm_config:
          judge: {provider: offline, model: offline-rules}
personas:
  - name: aunt
    status: validated
    scores: {naturalness: 8, coherence: 7, testability: 9}
    text: Likes it strong.
scenarios:
  - id: afternoon
    persona: aunt
    goal: A cup of tea.
    opening: Any tea left?
"""


@contextmanager
def questions() -> Iterator[list[str]]:
    """The statements asked inside the block, django-tenants' own `SET search_path` and savepoints apart."""
    asked: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield asked
    asked += [
        query["sql"] for query in captured if "search_path" not in query["sql"] and "SAVEPOINT" not in query["sql"]
    ]


SCORES = {"naturalness": 8.0, "coherence": 7.0, "testability": 9.0}


def add_persona(name: str, *, status: str = "validated", text: str = "x", **fields: Any) -> Any:
    """A persona brought to this status as the database wants it: written as pending, then moved step by step."""
    from apps.catalog.models import Persona  # noqa: PLC0415 - apps are loaded by pytest-django

    row = Persona.objects.create(name=name, text=text, **fields)
    rows = Persona.objects.filter(pk=row.pk)
    if status == "validated":
        rows.update(status=status, scores=SCORES)
    elif status in ("rejected", "approved_override"):
        rows.update(status="rejected", scores=SCORES, rejection_reason="flat")
    if status == "approved_override":
        rows.update(status=status, override_by="ana", override_reason="good enough", overridden_at=NOW)
    elif status == "archived":
        rows.update(status=status)
    row.refresh_from_db()
    return row
