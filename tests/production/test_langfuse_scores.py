"""A team's Langfuse gets ratings and scores of its own traces, once each, whatever happens on the way."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from apps.catalog.models import OutsideConnection
from apps.jobs.deliveries import delivery_kind_of
from apps.jobs.models import OutboundDelivery
from apps.jobs.services.delivering import deliver_due
from apps.production.admin import LangfuseSourceForm
from apps.production.conversations.domain.ratings import Rating
from apps.production.intake.services.feedback import rate_conversation, take_feedback
from apps.production.langfuse.services.delivery import enqueue_scores, send_again
from apps.production.models import LangfuseSource
from apps.production.sampling.services.drawing import draw_due
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.production.langfuse_rows import langfuse_source, lose_the_key
from tests.production.sampling_rows import NIGHT, arrived, phase, rule, score

NOW = NIGHT + timedelta(days=1)
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


class ProjectServer:
    """`POST /scores` of a project: an array, upserted by id and timestamp. `faults` are answered first."""

    def __init__(self) -> None:
        self.scores: dict[tuple[str, str], dict[str, Any]] = {}
        self.faults: list[Answer] = []
        self.posts = 0

    def __call__(self, request: Request) -> Answer:
        self.posts += 1
        if self.faults:
            return self.faults.pop(0)
        if request.headers.get("authorization") != f"Basic {base64.b64encode(b'pk:sk').decode()}":
            return Answer(status=401, body=b"{}")
        assert request.path == "/api/public/scores"
        for one in json.loads(request.body):
            self.scores[one["id"], one["timestamp"]] = one  # what makes two posts one score there
        return Answer(status=202, body=b'{"message":"Accepted"}')


@pytest.fixture
def langfuse(tenant: str):
    phase(tenant, sampling_floor=0)
    project = ProjectServer()
    with LoopbackServer(project) as server:
        langfuse_source(server.url, sends_since=NIGHT - timedelta(days=1))
        yield project


def deliver(now=NOW) -> None:
    enqueue_scores(now=now)
    deliver_due(now=lambda: now, kinds=[delivery_kind_of("langfuse_deliveries")])


def rated(one, id: str, rating: str, comment: str = "", **more: Any) -> None:
    take_feedback(body={"id": id, "conversation_id": str(one), "rating": rating, "comment": comment, **more}, now=NOW)


def test_a_thumb_and_its_comment_are_one_score_of_the_agent_s_own_trace(langfuse):
    one = arrived("chat 1", at=NIGHT, trace_id=TRACE)
    rated(one, "p1", "down")
    deliver()
    (sent,) = langfuse.scores.values()
    assert (sent["name"], sent["value"], sent["dataType"], sent["traceId"]) == ("user_feedback", 0, "NUMERIC", TRACE)
    rated(one, "p2", "comment", "Call me on 0712 345 678")
    rated(one, "p3", "up", ts=(NOW + timedelta(minutes=1)).isoformat())
    deliver(NOW + timedelta(minutes=2))
    (sent,) = langfuse.scores.values()  # a changed mind changes the score, and adds none
    assert (sent["value"], sent["comment"]) == (1, "Call me on +254 7** *** 678")


def test_what_was_judged_is_sent_with_who_judged_and_by_what(langfuse, judge_config: str):
    rule(judge_config)
    one = arrived("chat 1", at=NIGHT + timedelta(hours=1), trace_id=TRACE, version="booking@v1")
    arrived("chat without a trace", at=NIGHT + timedelta(hours=1))
    draw_due(now=NOW + timedelta(hours=1))
    score(7.5)
    deliver(NOW + timedelta(hours=2))
    (sent,) = langfuse.scores.values()
    name = judge_config.partition("@")[0]
    assert (sent["name"], sent["value"], sent["traceId"]) == (f"{name}.weighted_score", 7.5, TRACE)
    assert (sent["metadata"]["conversation_id"], sent["metadata"]["prompt_version"]) == (str(one), "booking@v1")


def test_a_day_s_outage_costs_time_and_nothing_is_sent_twice_or_lost(langfuse):
    for n in range(3):
        rated(arrived(f"chat {n}", at=NIGHT, trace_id=f"{n:032x}"), f"p{n}", "up")
    langfuse.faults = [Answer(status=503, body=b"down")] * 9 + [
        Answer(status=429, body=b"", headers={"retry-after": "1"})
    ]
    for hour in range(30):
        deliver(NOW + timedelta(hours=hour))
    assert sorted(one["traceId"] for one in langfuse.scores.values()) == [f"{n:032x}" for n in range(3)]
    assert set(OutboundDelivery.objects.values_list("status", flat=True)) == {"delivered"}
    posts = langfuse.posts
    deliver(NOW + timedelta(days=3))
    assert langfuse.posts == posts


@pytest.mark.parametrize(
    "answer, said",
    [
        (Answer(status=404, body=b"{}"), "4.59 or newer"),
        (Answer(status=401, body=b"{}"), "refused with status 401"),
        (Answer(status=207, body=b'{"accepted":0,"rejected":1,"errors":[{"message":"bad name"}]}'), "bad name"),
        (Answer(status=207, body=b"<html>" * 9), "is this the address of a Langfuse"),
        (Answer(status=302, body=b"", headers={"location": "http://169.254.169.254/"}), "refused with status 302"),
    ],
)
def test_what_a_langfuse_refuses_is_told_and_follows_no_redirect(langfuse, answer: Answer, said: str):
    rated(arrived("chat 1", at=NIGHT, trace_id=TRACE), "p1", "up")
    langfuse.faults = [answer]
    deliver()
    assert said in OutboundDelivery.objects.get().last_error
    assert langfuse.posts == 1


def test_nothing_is_sent_back_that_came_from_there_or_was_said_before_sending_began(langfuse):
    one = arrived("chat 1", at=NIGHT, trace_id=TRACE)
    rated(one, "p1", "down", channel="langfuse")
    LangfuseSource.objects.update(sends_since=NOW + timedelta(hours=1))
    rated(one, "p2", "up")
    deliver(NOW + timedelta(hours=2))
    assert langfuse.posts == 0


def test_switched_off_nothing_is_owed(langfuse):
    rated(arrived("chat 1", at=NIGHT, trace_id=TRACE), "p1", "up")
    LangfuseSource.objects.update(sends_since=None)
    assert enqueue_scores(now=NOW) == 0
    assert not OutboundDelivery.objects.exists()


def test_what_waits_for_a_key_that_cannot_be_read_says_so_and_goes_once_it_is_entered(langfuse):
    rated(arrived("chat 1", at=NIGHT, trace_id=TRACE), "p1", "up")
    secrets = OutsideConnection.objects.get().secrets
    lose_the_key()
    deliver()
    (row,) = OutboundDelivery.objects.all()
    assert (row.status, "RATIBA_FIELD_KEY" in row.last_error) == ("pending", True)
    OutsideConnection.objects.update(secrets=secrets)
    deliver(NOW + timedelta(hours=1))
    assert langfuse.posts == 1


@pytest.mark.parametrize("status", [401, 403, 404, 410, 502])
def test_what_somebody_may_mend_is_tried_again_and_at_once_when_the_source_is_saved(langfuse, status: int):
    rated(arrived("chat 1", at=NIGHT, trace_id=TRACE), "p1", "up")
    langfuse.faults = [Answer(status=status, body=b"{}")] * 40
    for day in range(25):
        deliver(NOW + timedelta(days=day))
    assert (OutboundDelivery.objects.get().status, langfuse.scores) == ("failed", {})
    langfuse.faults = []
    later = NOW + timedelta(days=30)
    assert send_again(now=later) == 1
    deliver(later)
    assert [one["value"] for one in langfuse.scores.values()] == [1]


def test_what_the_team_thinks_is_no_feedback_of_the_customer(langfuse):
    one = arrived("chat 1", at=NIGHT, trace_id=TRACE)
    rated(one, "p1", "down")
    rate_conversation(conversation_id=one, rating=Rating.UP, comment="looks fine to me", by="amina", now=NOW)
    deliver()
    (sent,) = langfuse.scores.values()
    assert (sent["value"], "comment" in sent) == (0, False)


def test_a_session_is_scored_only_where_one_project_is_read(langfuse):
    one = arrived("session 1", at=NIGHT, source="langfuse")
    rated(one, "p1", "up")
    deliver()
    (sent,) = langfuse.scores.values()
    assert (sent["sessionId"], "traceId" in sent) == ("session 1", False)
    langfuse_source("https://x.example", name="another")
    rated(arrived("session 2", at=NIGHT, source="langfuse"), "p2", "up")
    deliver(NOW + timedelta(hours=1))
    assert len(langfuse.scores) == 1


def test_sending_is_switched_on_by_the_form_for_one_project_alone(langfuse):
    source = LangfuseSource.objects.get()
    LangfuseSource.objects.update(sends_since=None)
    source.refresh_from_db()
    fields = {"name": "ours", "base_url": source.base_url, "public_key": "pk", "enabled": "on"}
    switched = LangfuseSourceForm(data={**fields, "sends": "on"}, instance=source)
    assert switched.is_valid(), switched.errors
    assert switched.save().sends_since is not None
    other = LangfuseSourceForm(data={**fields, "name": "another", "new_secret_key": "sk", "sends": "on"})
    assert other.errors["sends"] == ["ours has them already: switch that off first."]
    off = LangfuseSourceForm(data=fields, instance=LangfuseSource.objects.get())
    assert off.is_valid(), off.errors
    assert off.save().sends_since is None
