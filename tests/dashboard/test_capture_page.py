"""A session captured from the agent's page: asked for, done by a worker, shown; and who may."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from apps.catalog.models import Agent, GoldenVersion, StoredFile
from apps.jobs.services.interactive import run_due
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.runs.stage import make_agent, make_golden, of, play, replays

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)


@pytest.fixture
def held(db: Any) -> tuple[UUID, str]:
    """An agent, and the id of a conversation it has finished."""
    with in_tenant("acme"):
        make_agent()
        make_golden("hello", "Hi", "Hello, which day?", "Friday", "Which hour?")
        run = replays("hello")
        play()
        return Agent.objects.get().pk, str(of(run)[0].pk)


def work() -> None:
    with in_tenant("acme"):
        run_due(now=lambda: NOW, until=NOW + timedelta(minutes=1))


def page(client: Any, agent: UUID) -> str:
    return client.get(reverse("capture", args=[agent])).content.decode()


def test_asked_done_and_shown(held: tuple[UUID, str], owner: Any) -> None:
    agent, conversation = held
    assert "Make a regression test" in page(owner, agent)
    asked = {"ids": f" {conversation}, ", "name": "saluni", "file_turns": "2:Zelle.pdf"}
    files = [SimpleUploadedFile("Zelle.pdf", b"%PDF zelle"), SimpleUploadedFile("other.txt", b"x")]
    answer = owner.post(reverse("capture", args=[agent]), {**asked, "files": files})
    assert answer.status_code == 302
    waiting = page(owner, agent)
    assert "being read" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    work()
    shown = page(owner, agent)
    assert "is not here" not in shown
    assert "saluni is captured as version 1, 2 turns" in shown
    assert 'hx-trigger="every 1s"' not in shown
    with in_tenant("acme"):
        version = GoldenVersion.objects.get(golden__name="saluni")
        assert version.status == "candidate"
        file = next(turn["file_attachment"] for turn in version.document["turns"] if turn.get("file_attachment"))
        assert file["name"] == "Zelle.pdf"
        assert bytes(StoredFile.objects.get(sha256=file["sha256"]).content) == b"%PDF zelle"


def test_what_cannot_be_captured_says_why(held: tuple[UUID, str], owner: Any) -> None:
    agent, _ = held
    for ids, files, words in (
        ("", "", "give 1 to 20 ids"),
        ("x", "Zelle.pdf", "is not TURN:FILE"),
    ):
        answer = owner.post(reverse("capture", args=[agent]), {"ids": ids, "name": "n", "file_turns": files})
        assert words in answer.content.decode()
        assert ">x<" in answer.content.decode() or not ids  # what was written is still there
    owner.post(reverse("capture", args=[agent]), {"ids": "PXCONV-1", "name": "", "file_turns": "2:/etc/passwd"})
    work()
    assert "has no AgentX connection" in page(owner, agent)


def test_who_may(held: tuple[UUID, str], db: Any) -> None:
    agent, conversation = held
    reader = signed_in("reader", "view_agent", "view_goldensession")
    below = page(reader, agent).partition('id="rb-live"')[2]
    assert "<form" not in below.replace('<form action="/search/"', "")  # the dialog of every page
    assert reader.post(reverse("capture", args=[agent]), {"ids": conversation}).status_code == 403
    assert signed_in("other", "view_agent").get(reverse("capture", args=[agent])).status_code == 403
    assert (
        signed_in("beta", superuser=True, host="beta.localhost").get(reverse("capture", args=[agent])).status_code
        == 404
    )


def test_its_queries_do_not_grow(held: tuple[UUID, str], owner: Any, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(14):
        page(owner, held[0])
