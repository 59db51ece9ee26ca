"""Entities of this tenant by name or id, for whoever may open them: what Ctrl+K and the page of search find."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse

from apps.catalog.models import Agent, EvaluatorConfig, GoldenSession, Persona, Scenario
from apps.dashboard.conversations.domain.palette import ACTIONS, begins
from apps.dashboard.navigation import open_pages, places
from apps.evaluations.models import Evaluation
from apps.runs.domain.kind_traits import RUN_LIST, kinds_where
from apps.runs.models import Conversation, TestRun

LEAST = 2  # letters: below, half of everything has the name
MAX_OF_A_KIND = 5
_CONVERSATIONS = kinds_where(lambda traits: not traits.sealed and not traits.copies)
May = Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundEntity:
    """One line: what it is, what it is called, and where it is."""

    kind: str
    title: str
    url: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _EntityKind:
    """Kind of rows that the search finds by name.

    `by` is the lookup by which a row has the text; all of them are rows that this person's pages list.
    """

    word: str
    permission: str
    rows: Callable[[], QuerySet[Any]]
    order: str
    address: str
    by: str = "name__icontains"


_KINDS = (
    _EntityKind(
        word="run",
        permission="runs.view_testrun",
        order="-created_at",
        address="run",
        rows=lambda: TestRun.objects.filter(kind__in=RUN_LIST).defer("plan"),
    ),
    _EntityKind(
        word="evaluation",
        permission="evaluations.view_evaluation",
        order="-created_at",
        address="evaluation",
        rows=lambda: Evaluation.objects.filter(run__kind__in=RUN_LIST).select_related("run").defer("snapshot", "sums"),
        by="config_ref__icontains",
    ),
    _EntityKind(
        word="agent",
        permission="catalog.view_agent",
        order="name",
        address="admin:catalog_agent_change",
        rows=Agent.objects.all,
    ),
    _EntityKind(
        word="persona",
        permission="catalog.view_persona",
        order="name",
        address="persona",
        rows=Persona.objects.all,
    ),
    _EntityKind(
        word="scenario",
        permission="catalog.view_scenario",
        order="slug",
        address="admin:catalog_scenario_change",
        rows=Scenario.objects.all,
        by="slug__icontains",
    ),
    _EntityKind(
        word="golden session",
        permission="catalog.view_goldensession",
        order="name",
        address="golden",
        rows=GoldenSession.objects.all,
    ),
    _EntityKind(
        word="evaluator config",
        permission="catalog.view_evaluatorconfig",
        order="name",
        address="admin:catalog_evaluatorconfig_change",
        rows=EvaluatorConfig.objects.all,
    ),
    _EntityKind(
        word="conversation",
        permission="runs.view_conversation",
        order="external_id",
        address="conversation",
        rows=lambda: (
            Conversation.objects.filter(run__kind__in=_CONVERSATIONS)
            .select_related("run")
            .only("external_id", "run__name", "run__kind")
        ),
        by="external_id__startswith",
    ),
)


def find_entities(text: str, may: May) -> list[FoundEntity]:
    """Entities by their id, or by a part of their name (conversations: its beginning), five of a kind at most. A query
    for each kind that this person may open; none below two letters."""
    text = text.replace("\x00", "").strip()[:200]
    if len(text) < LEAST:
        return []
    key = _uuid(text)
    entities: list[FoundEntity] = []
    for kind in _KINDS:
        if may(kind.permission):
            chosen = {"pk": key} if key else {kind.by: text}
            rows = kind.rows().filter(**chosen).order_by(kind.order)[:MAX_OF_A_KIND]
            entities += [_entity(kind, row) for row in rows]
    return sorted(entities, key=lambda entity: entity.title.lower() != text.lower())


def find_places(text: str, request: HttpRequest) -> list[FoundEntity]:
    """Pages and actions by the beginnings of their words; without a word the actions. No query but the rights'."""
    words = text.lower().split()
    may = request.user.has_perm
    actions = [
        FoundEntity(kind="action", title=action.title, url=reverse(action.address))
        for action in ACTIONS
        if action.named_by(words) and may(action.permission)
    ]
    pages = [
        FoundEntity(kind="page", title=page.title, url=page.link(), note=place.title)
        for place in (places() if words else ())
        for page in open_pages(place, request)
        if begins(f"{page.title} {place.title}", words)
    ]
    return [*actions, *pages]


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text) if len(text) in (32, 36) else None
    except ValueError:
        return None


def _entity(kind: _EntityKind, row: Model) -> FoundEntity:
    match row:
        case Evaluation():
            title, note = row.config_ref, str(row.run)
        case Conversation():
            title, note = str(row), str(row.run)
        case _:
            title, note = str(row), ""
    return FoundEntity(kind=kind.word, title=title, url=reverse(kind.address, args=[row.pk]), note=note)
