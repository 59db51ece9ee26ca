"""Battles that wait, are handed over, lose their worker, or are stopped."""

import asyncio
import json
from datetime import timedelta
from functools import partial

import pytest
from django.db import OperationalError

from apps.budgets.models import ModelCall
from apps.connectors.agents.base import AgentSession
from apps.connectors.parallel import Delivery
from apps.core.conversation import TurnRole, Utterance
from apps.jobs.domain.losses import MAX_LOSSES_OF_MANY
from apps.runs.models import Conversation, TestRun, Turn
from apps.runs.playing.services import control
from apps.runs.playing.services.player_loop import PlayingWork
from apps.runs.services.conversation_player import PlayResult, SendRequest, TurnBatch
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.runs.stage import (
    NOW,
    at,
    battles,
    customer,
    make_agent,
    make_golden,
    make_scenarios,
    make_work,
    of,
    only,
    play,
    replays,
    said,
    status,
)

STUB = {"provider": "stub", "model": "stub-model"}


def by_model(*messages: tuple[str, bool]) -> list[Answer]:
    return [formats.answer("openai", text, model="stub-model") for text in customer(*messages)]


# --- Waiting ----------------------------------------------------------------------------------------------------------
def limited(*answers: Answer) -> tuple[LoopbackServer, list[dict]]:
    """An HTTP agent that gives these answers first and then "Yes?"; and what it heard."""
    script, heard = list(answers), []

    def answer(request: Request) -> Answer:
        body = json.loads(request.body)
        if script:
            given = script.pop(0)
            if given.status == 200:
                heard.append(body)
            return given
        heard.append(body)
        return Answer(body=b'{"reply": "Yes?"}')

    return LoopbackServer(answer), heard


BUSY = Answer(status=429, headers={"retry-after": "40"})
FINE = Answer(body=b'{"reply": "Yes?"}')


def test_an_agents_rate_limit_waits_and_goes_on_without_repeating_a_turn(tenant, simulator):
    server, heard = limited(FINE, BUSY)
    with server:
        make_agent(kind="http", address=server.url)
        make_scenarios()
        run = battles(simulator=STUB, max_turns=6)
        play()
        waiting = only(run)
        assert (waiting.status, waiting.attempt, waiting.lease_token) == ("pending", 1, None)
        assert waiting.not_before >= NOW + timedelta(seconds=40)
        assert waiting.waiting_for.endswith("limits us")
        assert said(waiting) == [("user", "Hi, a haircut please."), ("assistant", "Yes?"), ("user", "And then?")]
        play(at(30))
        assert only(run).status == "pending"
        play(at(45))
    done = only(run)
    assert (done.status, done.attempt, done.waiting_for) == ("ended", 1, "")
    assert [body["message"] for body in heard] == ["Hi, a haircut please.", "And then?", "And then?"]
    assert len({body["session_id"] for body in heard}) == 1
    assert len(said(done)) == 6


def test_a_customer_who_took_leave_before_the_wait_says_nothing_more_after_it(tenant, simulator):
    server, heard = limited(FINE, BUSY)
    with server:
        make_agent(kind="http", address=server.url)
        make_scenarios()
        simulator.script(*by_model(("Thanks, bye", True)))
        run = battles(simulator=STUB)
        play()
        play(at(45))
    assert only(run).status == "ended"
    assert [text for _, text in said(only(run), "user")] == ["Hi, a haircut please.", "Thanks, bye"]
    assert len(heard) == 2


def test_a_replay_goes_on_after_a_wait_where_it_was(tenant):
    server, heard = limited(FINE, BUSY, BUSY)
    with server:
        make_agent(kind="http", address=server.url)
        run = replays(make_golden("g", "One", "x", "Two", "y", "Three"))
        for seconds in (0, 45, 90):
            play(at(seconds))
    assert only(run).status == "ended"
    assert [body["message"] for body in heard] == ["One", "Two", "Three"]
    assert [text for _, text in said(only(run), "user")] == ["One", "Two", "Three"]


def test_a_simulators_rate_limit_waits_too(tenant, simulator):
    make_agent(*["Yes?"] * 9)
    make_scenarios()
    simulator.script("rate_limit")
    run = battles(simulator=STUB, max_turns=4)
    play()
    assert (only(run).status, only(run).waiting_for) == ("pending", "model stub-model limits us")
    play(at(60))
    assert (only(run).status, len(said(only(run)))) == ("ended", 4)
    outcomes = ModelCall.objects.filter(run_id=run).order_by("id").values_list("outcome", flat=True)
    assert list(outcomes) == ["rate_limited", "ok"]


@pytest.mark.parametrize("kind", ["battle", "replay"])
def test_when_a_workers_time_is_up_another_goes_on_in_the_same_context(tenant, simulator, kind):
    """A slow agent may need longer than any task lasts."""
    server, heard = limited()
    with server:
        make_agent(kind="http", address=server.url)
        make_scenarios()
        golden = make_golden("g", *[f"line {n}" for n in range(8)])
        run = battles(simulator=STUB, max_turns=8) if kind == "battle" else replays(golden)
        for _ in range(12):
            asked = partial(next, iter([False]), True)
            play(work=PlayingWork(now=lambda: NOW, sleep=asyncio.sleep, time_up=asked))
            if only(run).status == "pending":
                assert (only(run).attempt, only(run).lease_token, only(run).waiting_for) == (1, None, "")
    found = only(run)
    assert (found.status, found.attempt, len(said(found))) == ("ended", 1, 8)
    assert [body["message"] for body in heard] == [text for _, text in said(found, "user")]
    assert len({body["session_id"] for body in heard}) == 1


@pytest.mark.parametrize("step", ["take_up", "jobs"])
def test_a_database_that_goes_away_while_battles_are_claimed_loses_none_and_counts_no_worker_as_lost(
    tenant, monkeypatch, step
):
    make_agent()
    make_scenarios(3)
    run = battles()
    work, real = make_work(), getattr(PlayingWork, step)
    once = iter([False, True] if step == "jobs" else [True])
    monkeypatch.setattr(work, step, lambda *given: away() if next(once, False) else real(work, *given))
    with pytest.raises(OperationalError):
        work.claim(3)
    play(work=work)
    assert [(row.status, row.attempt, row.losses) for row in of(run)] == [("ended", 1, 0)] * 3


def away() -> None:
    raise OperationalError("the server closed the connection")


# --- Lost workers -----------------------------------------------------------------------------------------------------
def lose(run_id, *, in_flight: int | None = 2) -> None:
    """A worker took the conversation, said something, and is gone."""
    row = only(run_id)
    lost = make_work(NOW)
    lost.claim(1)
    row.refresh_from_db()
    common = {"conversation": row, "attempt": row.attempt}
    Turn.objects.create(**common, position=0, purpose="customer", role="user", content="Hi, a haircut please.")
    Turn.objects.create(**common, position=1, purpose="agent", role="assistant", content="from the lost worker")
    Conversation.objects.filter(pk=row.pk).update(
        session={"context_id": "old"}, lease_expires_at=NOW - timedelta(seconds=1), turn_in_flight=in_flight
    )


def test_a_lost_workers_conversation_starts_again_in_a_fresh_context(tenant):
    server, heard = limited()
    with server:
        make_agent(kind="http", address=server.url)
        make_scenarios()
        run = battles(max_turns=2)
        lose(run)
        play()
    found = only(run)
    assert (found.status, found.attempt, found.extra) == ("ended", 2, {})
    assert said(found) == [("user", "Hi, a haircut please."), ("assistant", "Yes?")]
    assert heard[0]["session_id"] != "old"
    assert found.turns.filter(attempt=1).count() == 2, "the lost attempt stays to be looked at"


def test_a_second_attempt_shares_no_session_and_no_message_id_with_the_first(tenant):
    """Also after a reconcile, which forgives the lost workers."""
    server, heard = limited()
    body = {"message": "{{ text }}", "session_id": "{{ session }}", "id": "{{ message_id }}"}
    with server:
        make_agent(kind="http", address=server.url, body=body)
        run = replays(make_golden("g", "One", "x", "Two"))
        for _ in range(3):
            play()
            Conversation.objects.update(status="timeout", blame="platform")
            TestRun.objects.update(status="timeout")
            control.reconcile_run(run_id=run, now=NOW)
        play()
    assert (only(run).status, only(run).attempt, only(run).losses) == ("ended", 4, 1)
    assert [one["message"] for one in heard] == ["One", "Two"] * 4
    assert len({one["session_id"] for one in heard}) == 4
    assert len({one["id"] for one in heard}) == 8


@pytest.mark.parametrize("more, clean", [({}, False), ({"history": "{{ history }}"}, True)])
def test_an_attempt_that_cannot_start_clean_says_so(tenant, more, clean):
    server, heard = limited()
    body = {"message": "{{ text }}", **more}
    with server:
        make_agent(kind="http", address=server.url, body=body)
        make_scenarios()
        run = battles(max_turns=2)
        lose(run)
        before = said(only(run))
        play()
    found = only(run)
    if clean:
        assert found.status == "ended"
        return
    assert (found.status, found.blame, found.error_code) == ("failed", "platform", "cannot_start_clean")
    assert "{{ session }}" in found.error_message
    assert heard == []
    assert said(found) == before, "what is known of the first attempt stays to be looked at"


def test_a_lost_workers_conversation_of_which_no_turn_was_being_sent_goes_on_in_its_session(tenant, simulator):
    server, heard = limited()
    with server:
        make_agent(kind="http", address=server.url)
        make_scenarios()
        run = battles(simulator=STUB, max_turns=4)
        lose(run, in_flight=None)
        play()
    found = only(run)
    assert (found.status, found.attempt, found.losses) == ("ended", 1, 1)
    assert [(body["message"], body["session_id"]) for body in heard] == [("And then?", "old")]
    assert said(found)[1:] == [("assistant", "from the lost worker"), ("user", "And then?"), ("assistant", "Yes?")]


def test_a_turn_is_stored_as_being_sent_before_the_player_may_send_it(tenant):
    make_agent()
    make_scenarios()
    run, work = battles(), make_work()
    ((key, _job),) = work.claim(1)
    request = SendRequest(position=0)
    said_first = TurnBatch(turns=(Utterance(role=TurnRole.USER, content="Hi"),))
    assert not request.stored.done()
    work.store([Delivery(key, said_first, None, False), Delivery(key, TurnBatch(sending=request), None, False)])
    assert request.stored.result(0) is True
    assert (only(run).turn_in_flight, said(only(run))) == (0, [("user", "Hi")])
    work.store([Delivery(key, TurnBatch(session=AgentSession(context_id="theirs")), None, False)])
    assert only(run).turn_in_flight is None


def test_a_worker_that_was_thought_dead_may_send_nothing_more(tenant):
    make_agent(*["Yes?"] * 9)
    make_scenarios()
    battles()
    late = make_work()
    ((key, _job),) = late.claim(1)
    Conversation.objects.update(lease_expires_at=NOW - timedelta(seconds=1))
    make_work().claim(1)
    request = SendRequest(position=0)
    late.store([Delivery(key, TurnBatch(sending=request), None, False)])
    assert request.stored.result(0) is False


def test_nobody_takes_what_another_worker_still_holds(tenant):
    make_agent()
    make_scenarios()
    run = battles()
    assert len(make_work().claim(5)) == 1
    assert make_work().claim(5) == []
    play(at(30))
    assert only(run).status == "running"


def test_a_conversation_whose_workers_are_lost_again_and_again_is_given_up(tenant):
    make_agent()
    make_scenarios()
    run = battles()
    for _ in range(MAX_LOSSES_OF_MANY):
        lose(run)
    play()
    found = only(run)
    assert (found.status, found.blame, found.error_code) == ("failed", "platform", "gave_up")


def test_what_a_late_worker_says_after_its_lease_was_taken_changes_nothing(tenant):
    make_agent()
    make_scenarios()
    run = battles()
    late = make_work()
    ((key, _job),) = late.claim(1)
    Conversation.objects.update(lease_expires_at=NOW - timedelta(seconds=1))
    play()
    before = said(only(run))
    said_late = TurnBatch(turns=(Utterance(role=TurnRole.USER, content="late"),))
    late.store([Delivery(key, said_late, None, False), Delivery(key, PlayResult(status="failed"), None, True)])
    assert (only(run).status, said(only(run))) == ("ended", before)


# --- Pause, resume, cancel --------------------------------------------------------------------------------------------
def test_a_paused_run_starts_nothing_and_goes_on_when_resumed(tenant):
    make_agent()
    make_scenarios(2)
    run = battles()
    control.pause_run(run_id=run)
    play()
    assert [row.status for row in of(run)] == ["pending", "pending"]
    control.resume_run(run_id=run, now=NOW)
    play()
    control.finish_runs(now=NOW)
    assert status(run) == "completed"


def test_a_cancelled_battle_stops_talking_and_its_calls_stay_in_the_ledger(tenant, simulator):
    class Cancelling(PlayingWork):
        stores = 0

        def store(self, deliveries):
            finished = super().store(deliveries)
            self.stores += 1
            if self.stores == 3:
                control.cancel_run(run_id=run, now=NOW)
            return finished

    make_agent(*[{"text": "Yes?", "delay_s": 0.01}] * 200)
    make_scenarios()
    run = battles(simulator=STUB, max_turns=400)
    play(work=Cancelling(now=lambda: NOW, sleep=asyncio.sleep))
    assert (only(run).status, status(run)) == ("cancelled", "cancelled")
    assert len(simulator.requests) < 100
    assert ModelCall.objects.filter(run_id=run).count() == len(simulator.requests)
