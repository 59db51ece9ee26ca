"""A team's own Langfuse is read in windows that overlap: conversations and ratings once each, masked."""

import base64
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from apps.catalog.models import OutsideConnection
from apps.core.errors import BadInput
from apps.core.timestamps import format_timestamp
from apps.production.admin import LangfuseSourceForm
from apps.production.intake.services.conversations import take_conversation
from apps.production.langfuse.services.poll import poll_sources
from apps.production.models import Feedback, LangfuseSource, ProductionConversation
from apps.runs.models import Turn
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.production.langfuse_rows import langfuse_source, lose_the_key

NOW = datetime(2026, 11, 24, 10, 30, tzinfo=UTC)


class Project:
    """`v2/observations` and `v3/scores` of a project; scores come a page of one at a time."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.scores: list[dict[str, Any]] = []
        self.queries: list[tuple[str, dict[str, list[str]]]] = []
        self.version = "4.60.1"
        self.answer: Callable[[str, dict[str, list[str]]], Answer | None] | None = None  # a hostile one's

    def __call__(self, request: Request) -> Answer:
        url = urlsplit(request.path)
        query = parse_qs(url.query)
        if url.path == "/api/public/health":
            return Answer(body=json.dumps({"status": "OK", "version": self.version}).encode())
        if request.headers.get("authorization") != f"Basic {base64.b64encode(b'pk:sk').decode()}":
            return Answer(status=401, body=b"{}")
        if self.answer is not None and (given := self.answer(url.path, query)) is not None:
            self.queries.append((url.path, query))
            return given
        self.queries.append((url.path, query))
        if url.path == "/api/public/v3/scores":
            begin = int(query.get("cursor", ["0"])[0])
            more = {"cursor": str(begin + 1)} if begin + 1 < len(self.scores) else {}
            return _page(self.scores[begin : begin + 1], more)
        rows = [row for row in self.rows if all(row.get(key) == query[key][0] for key in _KEYS if key in query)]
        if "fromStartTime" in query:
            rows = [row for row in rows if query["fromStartTime"][0] <= row["startTime"] < query["toStartTime"][0]]
        return _page(rows, {})


_KEYS = ("traceId", "sessionId")


def _page(rows: list[dict[str, Any]], more: dict[str, str]) -> Answer:
    return Answer(body=json.dumps({"data": rows, "meta": {"limit": 100, **more}}).encode())


def seen(trace: str, minutes: int, said: str, reply: str, **more: Any) -> dict[str, Any]:
    began = NOW + timedelta(minutes=minutes)
    return {
        "id": f"o-{trace}", "projectId": "p", "traceId": trace, "type": "GENERATION", "parentObservationId": None,
        "input": said, "output": reply, **more,
        "startTime": format_timestamp(began), "endTime": format_timestamp(began),
    }  # fmt: skip


def rated(id: str, value: float | bool, kind: str, of: str, **more: Any) -> dict[str, Any]:
    subject = {"kind": kind, "id": of, **more.pop("subject", {})}
    at = format_timestamp(NOW)
    return {
        "id": id, "name": "user_feedback", "value": value, "subject": subject, "timestamp": at, "projectId": "p",
        "source": "API", "environment": "default", "createdAt": at, "updatedAt": at,
        "dataType": "BOOLEAN" if isinstance(value, bool) else "NUMERIC", **more,
    }  # fmt: skip


@pytest.fixture
def project(tenant: str, settings: Any) -> Iterator[Project]:
    settings.PRIVATE_HOSTS = ("127.0.0.0/8",)
    found = Project()
    with LoopbackServer(found) as server:
        langfuse_source(server.url)
        yield found


def poll(now: datetime = NOW) -> int:
    return poll_sources(now=lambda: now)


def source() -> LangfuseSource:
    return LangfuseSource.objects.get()


def test_a_session_becomes_one_masked_conversation_and_its_scores_its_ratings(project: Project) -> None:
    project.rows = [
        seen("t2", -5, "0712 345 678", "Booked", sessionId="chat-1"),
        seen("t1", -9, "Habari", "Karibu", sessionId="chat-1"),
        seen("t3", -3, "Bei gani?", "800"),
    ]  # fmt: skip
    project.scores = [
        rated("s1", 0, "trace", "t1", comment="too slow, 0722 000 111"), rated("s2", True, "session", "chat-1"),
        rated("s3", 1, "observation", "o-t3", subject={"traceId": "t3"}), rated("s4", 1, "experiment", "e"),
    ]  # fmt: skip
    assert poll() == 1
    said = Turn.objects.filter(conversation__production__external_id="chat-1").order_by("position")
    assert [turn.content for turn in said] == ["Habari", "Karibu", "+254 7** *** 678", "Booked"]
    assert set(ProductionConversation.objects.values_list("external_id", flat=True)) == {"chat-1", "t3"}
    ratings = Feedback.objects.order_by("external_id").values_list(
        "conversation__production__external_id", "rating", "comment"
    )
    assert list(ratings) == [
        ("chat-1", "down", "too slow, +254 7** *** 111"), ("chat-1", "up", ""), ("t3", "up", "")
    ]  # fmt: skip
    assert (source().polled_until, source().last_error) == (NOW, "")


def test_windows_overlap_and_what_is_known_changes_nothing(project: Project) -> None:
    project.rows = [seen("t1", -1, "Habari", "Karibu", sessionId="chat-1")]
    project.scores = [rated("s1", 0, "session", "chat-1"), rated("s9", 1, "session", "not-yet")]
    poll()
    assert poll(NOW + timedelta(minutes=4)) == 0, "not due"
    project.rows += [
        seen("t2", 4, "Friday", "Fine", sessionId="chat-1"), seen("t9", 4, "Late", "Pole", sessionId="not-yet")
    ]  # fmt: skip
    assert poll(NOW + timedelta(minutes=6)) == 1
    assert ProductionConversation.objects.count() == 2
    assert Turn.objects.filter(conversation__production__external_id="chat-1").count() == 4
    assert sorted(Feedback.objects.values_list("rating", flat=True)) == ["down", "up"]
    first = [query["fromStartTime"][0] for path, query in project.queries if "fromStartTime" in query]
    assert first == [format_timestamp(NOW - timedelta(hours=24)), format_timestamp(NOW - timedelta(minutes=24))]


def test_a_score_that_changed_is_read_again_under_its_id_and_counts_as_given_then(project: Project) -> None:
    project.rows = [seen("t1", -1, "Habari", "Karibu", sessionId="chat-1")]
    project.scores = [rated("s1", 1, "session", "chat-1"), rated("s2", 1, "trace", "t1", comment="poa")]
    poll()
    project.scores = [
        rated("s1", 0, "session", "chat-1", comment="call 0722 000 111"), rated("s2", 1, "trace", "t1", comment="poa")
    ]  # fmt: skip
    later = NOW + timedelta(minutes=6)
    poll(later)
    changed, same = Feedback.objects.order_by("external_id")
    assert (changed.rating, changed.comment, changed.created_at) == ("down", "call +254 7** *** 111", later)
    assert (same.rating, same.comment, same.created_at) == ("up", "poa", NOW)
    poll(later + timedelta(minutes=6))
    assert Feedback.objects.get(pk=changed.pk).created_at == later


def test_a_project_that_refuses_says_so_and_its_window_is_read_later(project: Project) -> None:
    OutsideConnection.objects.update(options={"public_key": "other"})
    assert poll() == 0
    assert "401" in source().last_error
    assert source().polled_until is None
    OutsideConnection.objects.update(options={"public_key": "pk"})
    project.rows = [seen("t1", -60, "Habari", "Karibu")]
    assert poll(NOW + timedelta(minutes=5)) == 1
    assert ProductionConversation.objects.count() == 1
    assert source().last_error == ""


def test_a_project_that_is_switched_off_is_not_asked(project: Project) -> None:
    LangfuseSource.objects.update(enabled=False)
    assert (poll(), project.queries) == (0, [])


def test_more_conversations_than_a_window_may_have_are_read_in_shorter_ones(project: Project, monkeypatch: Any) -> None:
    monkeypatch.setattr("apps.connectors.tracing.langfuse.window.MAX_CONVERSATIONS", 4)
    project.rows = [seen(f"t{n}", -n - 1, "Habari", "Karibu") for n in range(20)]
    assert poll() > 4
    assert ProductionConversation.objects.count() == 20
    assert (source().polled_until, source().window_s, source().last_error) == (NOW, None, "")


def test_more_than_can_be_read_at_one_moment_is_told_and_reading_goes_on(project: Project, monkeypatch: Any) -> None:
    monkeypatch.setattr("apps.connectors.tracing.langfuse.window.MAX_CONVERSATIONS", 4)
    project.rows = [seen(f"t{n}", -60, "Habari", "Karibu") for n in range(6)] + [seen("late", -1, "Niko", "Karibu")]
    poll()
    assert ProductionConversation.objects.count() == 5
    assert source().polled_until == NOW


def test_a_list_that_never_ends_is_no_whole_window(project: Project) -> None:
    project.answer = lambda path, query: _page([seen("t1", -1, "Habari", "Karibu")], {"cursor": "again"})
    assert poll() == 0
    assert (source().polled_until, len(project.queries)) == (None, 2)
    assert "never ends" in source().last_error


def test_a_list_with_ever_new_pages_ends_by_the_time_for_a_source(project: Project, monkeypatch: Any) -> None:
    monkeypatch.setattr("apps.production.langfuse.services.poll.POLL_S", 0.5)
    project.answer = lambda path, query: _page([], {"cursor": str(len(project.queries))})
    assert poll() == 0
    assert "not read within 0.5 s" in source().last_error
    assert source().window_s is not None
    project.answer = None
    project.rows = [seen("t1", -60, "Habari", "Karibu")]
    assert poll(NOW + timedelta(minutes=5)) > 1  # in windows that grow again
    assert (ProductionConversation.objects.count(), source().window_s) == (1, None)


def test_more_than_a_worker_may_hold_is_read_in_shorter_windows(project: Project, monkeypatch: Any) -> None:
    monkeypatch.setattr("apps.connectors.tracing.langfuse.reader.MAX_BYTES", 20_000)
    project.rows = [seen(f"t{n}", -9 * n - 1, "Habari " + "x" * 1500, "Karibu") for n in range(20)]
    poll()
    assert (ProductionConversation.objects.count(), source().polled_until) == (20, NOW)


def test_a_server_that_is_too_old_is_refused_with_a_sentence(project: Project) -> None:
    project.version = "3.112.0"
    assert poll() == 0
    assert "is version 3.112.0: 4.59 or newer is needed" in source().last_error
    assert project.queries == []


def test_what_we_sent_ourselves_is_not_read_back(project: Project) -> None:
    project.rows = [seen("ours", -2, "Habari", "Karibu", environment="ratiba-eval"), seen("t1", -1, "Bei?", "800")]
    poll()
    assert list(ProductionConversation.objects.values_list("external_id", flat=True)) == ["t1"]


def test_an_agent_cannot_pass_its_conversation_off_as_read_from_a_langfuse(tenant: str) -> None:
    document = {"id": "mine", "source": "langfuse", "turns": [{"role": "user", "content": "Habari"}]}
    with pytest.raises(BadInput) as refused:
        take_conversation(raw=document, now=NOW)
    assert (refused.value.code, refused.value.pointer) == ("reserved_source", "/source")
    assert not ProductionConversation.objects.exists()


@pytest.mark.parametrize("name", ["Production", "a b", "langfuse-x", "x" * 41, "ratiba-eval"])
def test_an_environment_that_no_langfuse_has_is_refused_by_the_form(project: Project, name: str) -> None:
    fields = {"name": "ours", "base_url": source().base_url, "public_key": "pk", "environment": name}
    form = LangfuseSourceForm(data=fields, instance=source())
    assert not form.is_valid()
    assert list(form.errors) == ["environment"]


@pytest.mark.parametrize("more", ["?project=1", "/#traces", "?"])
def test_an_address_with_a_query_or_a_fragment_is_refused_by_the_form(project: Project, more: str) -> None:
    fields = {"name": "ours", "base_url": source().base_url + more, "public_key": "pk"}
    form = LangfuseSourceForm(data=fields, instance=source())
    assert not form.is_valid()
    assert "leave out ? or #" in form.errors["base_url"][0]


def test_the_stored_key_stays_with_its_server(project: Project) -> None:
    fields = {"name": "ours", "base_url": f"{source().base_url}/", "public_key": "pk2"}
    assert LangfuseSourceForm(instance=source())["public_key"].initial == "pk"
    form = LangfuseSourceForm(data=fields, instance=source())
    assert form.is_valid(), form.errors
    assert form.instance.connection.secrets["secret_key"].reveal() == "sk"
    for address in ("https://l.example", f"{source().base_url}/another"):
        moved = LangfuseSourceForm(data={**fields, "base_url": address}, instance=source())
        assert list(moved.errors) == ["new_secret_key"]
    assert source().connection.options == {"public_key": "pk"}


def test_a_key_that_cannot_be_read_is_told_beside_its_source_and_stops_no_other(project: Project) -> None:
    lose_the_key()
    langfuse_source(source().base_url, name="theirs")
    assert poll() == 1
    assert "RATIBA_FIELD_KEY" in LangfuseSource.objects.get(name="ours").last_error
    assert LangfuseSource.objects.get(name="theirs").polled_until == NOW
