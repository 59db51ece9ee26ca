"""Agents that limit us, or are down, over a real socket: the run waits, says so, and goes on."""

import asyncio
import json
from uuid import UUID

import pytest

from apps.catalog.models import Agent
from apps.evaluations.progress.queries.status import run_status
from apps.runs.agents.services.limits import fail_limited
from apps.runs.agents.services.refusals import fail_refused
from apps.runs.models import AgentThrottle, Conversation
from apps.runs.playing.services import control
from apps.runs.playing.services.player_loop import PlayingWork
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import at, battles, make_agent, make_scenarios, make_work, of, play, said, status

FINE = Answer(body=b'{"reply": "Yes?"}')


class HttpAgent:
    """An HTTP agent whose answer can be changed; `told` has what arrived, by session."""

    def __init__(self, answer: Answer = FINE) -> None:
        self.answer = answer
        self.told: list[tuple[str, str]] = []

    def __call__(self, request: Request) -> Answer:
        body = json.loads(request.body)
        self.told.append((body["session_id"], body["message"]))
        return self.answer


def patient(seconds: float) -> PlayingWork:
    """A worker that waits for those beside a failed turn, if not for a second."""
    return PlayingWork(now=lambda: at(seconds), sleep=lambda s: asyncio.sleep(min(s, 0.4)))


def run_of(server: LoopbackServer, count: int, **more) -> UUID:
    make_agent(kind="http", address=server.url)
    make_scenarios(count)
    return battles(max_turns=2, **more)


def test_an_agent_that_is_down_burns_no_conversations_and_is_tried_until_it_answers(tenant):
    agent = HttpAgent(Answer(fault="reset"))
    with LoopbackServer(agent) as server:
        run = run_of(server, 12)
        play(at(0), concurrency=4, work=patient(0))
        assert {one.status for one in of(run)} == {"pending"}
        assert len(agent.told) == 4, "those in flight, and no other"
        play(at(4))
        assert len(agent.told) == 4
        play(at(6))
        assert len(agent.told) == 5, "one is tried"
        agent.answer = FINE
        play(at(120))
        play(at(121))
    assert {one.status for one in of(run)} == {"ended"}
    assert all(said(one) == [("user", "Hi, a haircut please."), ("assistant", "Yes?")] for one in of(run))
    assert len(set(agent.told)) == len(agent.told), "no turn twice in a session"
    assert not AgentThrottle.objects.filter(down_since__isnull=False).exists()


def test_the_run_says_why_it_waits_and_ends_by_the_watchdog_if_it_must(tenant):
    with LoopbackServer(HttpAgent(Answer(fault="reset"))) as server:
        run = run_of(server, 4)
        play(at(0), concurrency=4, work=patient(0))
        assert "agent bot has not answered since 09:00 UTC" in run_status(run, now=at(1))["waiting_for"]
        for minute in range(1, 40):
            play(at(60 * minute))
    control.time_out_runs(now=at(60 * 40), minutes=30)
    assert status(run) == "timeout"


def test_two_failures_are_chance_and_fail_as_they_did(tenant):
    with LoopbackServer(HttpAgent(Answer(fault="reset"))) as server:
        run = run_of(server, 2)
        play(at(0), concurrency=2)
    assert [(one.status, one.blame) for one in of(run)] == [("failed", "agent_transport")] * 2


def test_nobody_listens_and_the_turn_that_was_not_delivered_is_sent_in_its_session(tenant):
    agent = HttpAgent()
    with LoopbackServer(agent) as server:
        address = server.url
    make_agent(kind="http", address=address)
    make_scenarios(4)
    run = battles(max_turns=2)
    play(at(0), concurrency=4, work=patient(0))
    assert {(one.status, one.attempt) for one in of(run)} == {("pending", 1)}
    with LoopbackServer(agent, port=int(address.rpartition(":")[2].strip("/"))):
        play(at(10), concurrency=4)
        play(at(11), concurrency=4)
    assert {(one.status, one.attempt) for one in of(run)} == {("ended", 1)}
    assert len(agent.told) == 4


def test_an_agents_pause_is_everybodys_and_then_fewer_are_sent_at_once(tenant):
    agent = HttpAgent(Answer(status=429, headers={"retry-after": "30"}))
    with LoopbackServer(agent) as server:
        run = run_of(server, 12)
        play(at(0), concurrency=4, work=patient(0))
        assert len(agent.told) <= 4
        before = len(agent.told)
        play(at(20))
        assert len(agent.told) == before, "another worker sends nothing either"
        throttle = AgentThrottle.objects.get()
        assert (throttle.resumes_at, throttle.at_once) == (at(30), 2)
        agent.answer = FINE
        play(at(31))
    assert {(one.status, one.attempt) for one in of(run)} == {("ended", 1)}


def test_an_agent_that_only_answers_429_is_waited_for_as_long_as_was_set_and_then_blamed(tenant):
    agent = HttpAgent(Answer(status=429, headers={"retry-after": "30"}))
    with LoopbackServer(agent) as server:
        run = run_of(server, 3)
        for minute in (0, 5, 10):
            play(at(60 * minute))
            assert fail_limited(now=at(60 * minute), minutes=15) == 0
        assert (
            "bot has answered only 429 (too many requests) since 09:00 UTC"
            in run_status(run, now=at(601))["waiting_for"]
        )
        assert fail_limited(now=at(60 * 15), minutes=15) == 3
        assert fail_limited(now=at(60 * 15), minutes=15) == 0, "safe to repeat"
        control.finish_runs(now=at(60 * 15))
        assert {(one.status, one.blame, one.error_code) for one in of(run)} == {
            ("failed", "agent_transport", "rate_limited")
        }
        assert status(run) == "failed"
        agent.answer = FINE
        again = battles(max_turns=2)
        play(at(60 * 16))
    assert {one.status for one in of(again)} == {"ended"}, "whatever comes next may ask it again"


@pytest.mark.parametrize("code", [400, 401, 404, 422])
def test_an_agent_that_refuses_for_good_ends_its_run_and_is_not_called_silent(tenant, code):
    agent = HttpAgent(Answer(status=code, body=b'{"detail": "unknown channel"}'))
    with LoopbackServer(agent) as server:
        run = run_of(server, 12)
        play(at(0), concurrency=1)
        assert fail_refused(now=at(2)) == 0, "nothing waits any more"
        control.finish_runs(now=at(3))
    assert 3 <= len(agent.told) <= 5, "the others were not sent"
    assert {(one.status, one.blame, one.error_code) for one in of(run)} == {
        ("failed", "agent_transport", "remote_refusal")
    }
    assert all(f"refused with status {code}" in one.error_message for one in of(run))
    assert sum("Mend its settings" in one.error_message for one in of(run)) == 12 - len(agent.told)
    assert status(run) == "failed"
    assert not AgentThrottle.objects.filter(down_since__isnull=False).exists()


def test_refusals_among_answers_are_those_conversations_own(tenant):
    told = []

    def agent(request: Request) -> Answer:
        told.append(request)
        return FINE if len(told) == 1 else Answer(status=422)

    with LoopbackServer(agent) as server:
        run = run_of(server, 6)
        play(at(0), concurrency=1)
    assert len(told) == 6
    assert sorted(one.status for one in of(run)) == ["ended", *["failed"] * 5]


def test_one_answer_begins_the_wait_for_a_limiting_agent_anew(tenant):
    agent = HttpAgent(Answer(status=429, headers={"retry-after": "30"}))
    with LoopbackServer(agent) as server:
        run_of(server, 2)
        play(at(0))
        assert AgentThrottle.objects.get().limited_since == at(0)
        agent.answer = FINE
        play(at(60))
    assert fail_limited(now=at(60 * 60), minutes=15) == 0
    assert not AgentThrottle.objects.filter(limited_since__isnull=False).exists()


@pytest.mark.parametrize("cap", [1, 3])
def test_limits_of_agent_and_provider_hold_over_workers(tenant, cap):
    make_agent()
    make_scenarios(8)
    Agent.objects.update(max_concurrent=cap)
    battles()
    workers = [make_work() for _ in range(4)]
    assert sum(len(worker.claim(5)) for worker in workers) == cap
    assert Conversation.objects.filter(status="running").count() == cap
