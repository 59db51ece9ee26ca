"""Agents whose runner asks for turns: what it gets, what its replies become, and every way in which one can fail."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.connectors.outbound import OutboundPolicy, outbound_client
from apps.core.errors import BadInput, Conflict, NotFound
from apps.jobs.worker_loop import LoopLimits, run_worker_loop
from apps.runs.models import AgentThrottle, Conversation, PulledTurn, TestRun
from apps.runs.playing.services.control import cancel_run
from apps.runs.playing.services.player_loop import PlayingWork
from apps.runs.pulled.services.runner import extend_turn, lease_turns, reply_to_turn
from tests.runs.stage import (
    NOW,
    Clock,
    at,
    battles,
    make_agent,
    make_golden,
    make_scenarios,
    make_work,
    of,
    only,
    replays,
    said,
)  # fmt: skip

Turn = dict[str, Any]
Step = Callable[[], None]


def pulled(timeout_s: float = 120.0) -> None:
    make_agent(kind="pulled", timeout_s=timeout_s)


def play(clock: Clock, step: Step, *, work: PlayingWork | None = None) -> PlayingWork:
    """One worker plays; `step` is what happens beside it, called in its thread between two of its own steps."""
    work = work or make_work(clock)

    def between() -> None:
        step()
        work.heartbeat(list(Conversation.objects.values_list("pk", flat=True)))  # its own goes by the real clock

    run_worker_loop(
        work=work,
        limits=LoopLimits(concurrency=8, claim_ahead=1, linger_for=timedelta(0)),
        client=lambda: outbound_client(OutboundPolicy(private_hosts=(), purpose="agent")),
        now=clock,
        sleep=clock.sleep,
        check_interrupt=between,
        tick_s=lambda: 0.02,
    )
    return work


class Runner:
    """Takes turns of the agent and answers each by `answer`; None: it says nothing, as if it had died."""

    def __init__(self, clock: Clock, answer: Callable[[Turn], dict[str, Any] | None], most: int = 10) -> None:
        self.clock, self.answer, self.most, self.taken = clock, answer, most, list[Turn]()

    def __call__(self) -> None:
        for turn in lease_turns(agent="bot", most=self.most, now=self.clock()).turns:
            self.taken.append(dict(turn))
            reply = self.answer(dict(turn))
            if reply is not None:
                reply_to(turn, self.clock(), **reply)


def reply_to(turn: Any, now: datetime, **reply: Any) -> None:
    reply_to_turn(turn_id=uuid.UUID(turn["id"]), lease=uuid.UUID(turn["lease"]), reply=reply, now=now)


def echo(turn: Turn) -> dict[str, Any]:
    return {"content": f"you said: {turn['messages'][-1]['content']}"}


def test_a_battle_is_played_with_an_agent_that_nobody_connects_to(tenant: str) -> None:
    pulled()
    make_scenarios()
    run, clock = battles(max_turns=4, seed=3), Clock()

    def answer(turn: Turn) -> dict[str, Any]:
        clock.sleep(2)
        call = {"id": "c1", "name": "free_slots", "arguments": {"day": "Friday"}, "result": {"slots": ["10:00"]}}
        used = {"input_tokens": 10, "cost_usd": 0.001}
        first = turn["position"] == 0
        return {"content": f"reply {turn['position']}", "tool_calls": [call] if first else [], "usage": used}

    runner = Runner(clock, answer)
    play(clock, runner)
    done = only(run)
    assert (done.status, done.attempt, done.turn_in_flight) == ("ended", 1, None)
    turns = list(done.turns.order_by("position"))
    assert [turn.role for turn in turns] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert (turns[1].tool_calls[0]["name"], turns[2].content) == ("free_slots", '{"slots": ["10:00"]}')
    assert (turns[3].content, turns[3].latency_ms, turns[3].extra) == (
        "reply 0", 2000, {"usage": {"input_tokens": 10, "cost_usd": 0.001}},
    )  # fmt: skip
    first, second = runner.taken
    assert [message["role"] for message in second["messages"]] == ["user", "assistant", "tool", "assistant", "user"]
    assert first["session"] == second["session"]
    assert (first["attempt"], first["conversation_id"]) == (1, str(done.pk))
    context = first["context"]
    assert (context["language"], context["scenario"], context["vars"]) == ("en", "s0", {})
    assert context["metadata"] == {"persona": "aunt", "repeat": 0, "seed": 3}
    rows = PulledTurn.objects.values_list("state", "messages", "context", "reply")
    assert list(rows) == [("delivered", [], {}, {})] * 2, "what was said stands in the conversation alone"


def test_a_replay_is_played_with_it(tenant: str) -> None:
    pulled()
    run, clock = replays(make_golden("g", "One", "x", "Two", "y")), Clock()
    runner = Runner(clock, echo)
    play(clock, runner)
    assert only(run).status == "ended"
    assert said(only(run), "assistant") == [("assistant", "you said: One"), ("assistant", "you said: Two")]
    assert runner.taken[0]["context"]["scenario"] == "g"


@pytest.mark.parametrize(
    "reply, blame, code, words",
    [
        ({"error": "KeyError: 'day'", "fault": "agent"}, "agent_quality", "agent_failed", "KeyError: 'day'"),
        ({"error": "refused", "fault": "transport"}, "agent_transport", "unreachable", "could not reach the agent"),
    ],
)
def test_a_runner_says_whose_fault_it_was(tenant: str, reply: Any, blame: str, code: str, words: str) -> None:
    pulled()
    make_scenarios()
    run, clock = battles(), Clock()
    play(clock, Runner(clock, lambda turn: reply))
    failed = only(run)
    assert (failed.status, failed.blame, failed.error_code) == ("failed", blame, code)
    assert words in failed.error_message
    assert PulledTurn.objects.get().state == "delivered"


def test_a_runner_that_dies_mid_turn_loses_it(tenant: str) -> None:
    pulled()
    make_scenarios()
    run, clock = battles(), Clock()

    def dies(turn: Turn) -> None:
        clock.sleep(31)

    runner = Runner(clock, dies)
    play(clock, runner)
    lost = only(run)
    assert (lost.status, lost.blame, lost.error_code) == ("failed", "agent_transport", "unreachable")
    assert "its lease has ended" in lost.error_message
    (turn,) = runner.taken
    assert PulledTurn.objects.values_list("state", "messages").get() == ("lost", [])
    with pytest.raises(Conflict, match="its time was over") as late:
        reply_to(turn, clock(), content="Here I am again")
    assert late.value.code == "lease_gone"
    with pytest.raises(Conflict):
        extend_turn(turn_id=uuid.UUID(turn["id"]), lease=uuid.UUID(turn["lease"]), now=clock())
    assert [role for role, _ in said(lost)] == ["user"]


def test_a_slow_agent_keeps_its_turn_while_its_runner_extends_up_to_the_agents_timeout(tenant: str) -> None:
    pulled(timeout_s=70.0)
    make_scenarios()
    run, clock, taken, until = battles(), Clock(), list[Turn](), list[datetime]()

    def step() -> None:
        taken.extend(dict(turn) for turn in lease_turns(agent="bot", most=5, now=clock()).turns)
        if taken and len(until) < 4:
            clock.sleep(20)
            turn = taken[0]
            try:
                until.append(extend_turn(turn_id=uuid.UUID(turn["id"]), lease=uuid.UUID(turn["lease"]), now=clock()))
            except Conflict:
                until.append(NOW)

    play(clock, step)
    assert until == [at(50), at(70), at(70), NOW], "never beyond the agent's own timeout"
    assert (only(run).status, only(run).blame) == ("timeout", "agent_transport")
    assert "did not answer within 70 s" in only(run).error_message


def test_without_a_runner_nothing_was_sent_and_the_agent_is_down_after_three(tenant: str) -> None:
    pulled(timeout_s=20.0)
    make_scenarios(4)
    run, clock = battles(), Clock()

    def time_passes() -> None:
        clock.sleep(0.5)  # small steps: players answer in real time, also on a busy machine

    play(clock, time_passes)
    assert {(one.status, one.blame) for one in of(run)} <= {("pending", None), ("failed", "agent_transport")}
    waiting = [one for one in of(run) if one.status == "pending"]
    assert waiting, "an agent that is down burns no more conversations"
    assert AgentThrottle.objects.get().down_since is not None
    assert not PulledTurn.objects.filter(state="pending").exists()

    runner = Runner(clock, echo)
    assert lease_turns(agent="bot", most=1, now=clock()).agent_was_down, "it is tried again as soon as a runner asks"
    play(clock, runner)
    resumed = [one for one in of(run) if one.pk in {row.pk for row in waiting}]
    assert {one.status for one in resumed} == {"ended"}
    assert all(said(one, "assistant") for one in resumed), "the runner's replies stand in them"


def test_turns_wait_as_long_as_a_runner_asks_for_others(tenant: str) -> None:
    """A runner that works on one turn at a time loses none of the others."""
    pulled(timeout_s=20.0)
    make_scenarios(4)
    run, clock = battles(max_turns=2), Clock()

    def slow(turn: Turn) -> dict[str, Any]:
        clock.sleep(15)
        return echo(turn)

    play(clock, Runner(clock, slow, most=1))
    assert [one.status for one in of(run)] == ["ended"] * 4
    assert clock.seconds >= 60


def test_a_reply_sent_twice_is_stored_once_and_another_one_is_refused(tenant: str) -> None:
    pulled()
    make_scenarios()
    run, clock, codes = battles(max_turns=2), Clock(), list[str]()

    def answer(turn: Turn) -> None:
        with pytest.raises(Conflict) as refused:
            reply_to(turn | {"lease": str(uuid.uuid4())}, clock(), content="stolen")
        codes.append(refused.value.code)
        for _ in range(2):
            reply_to(turn, clock(), content="once")
        with pytest.raises(Conflict) as refused:
            reply_to(turn, clock(), content="twice")
        codes.append(refused.value.code)

    runner = Runner(clock, answer)
    play(clock, runner)
    assert said(only(run), "assistant") == [("assistant", "once")]
    assert codes == ["lease_gone", "already_replied"]
    reply_to(runner.taken[0], clock(), content="once")  # also when the conversation is over
    with pytest.raises(NotFound):
        reply_to(runner.taken[0] | {"id": str(uuid.uuid4())}, clock(), content="once")


def test_a_worker_killed_while_a_turn_is_out_begins_again_in_a_new_session(tenant: str) -> None:
    pulled()
    make_scenarios()
    run, clock = battles(max_turns=2), Clock()

    class Killed(Exception):
        """The worker's process is gone: it gives nothing back."""

    taken = list[Turn]()

    def step() -> None:
        taken.extend(dict(turn) for turn in lease_turns(agent="bot", most=1, now=clock()).turns)
        if taken:
            raise Killed

    work = make_work(clock)
    work.release = lambda: None  # type: ignore[method-assign]
    with pytest.raises(Killed):
        play(clock, step, work=work)
    row = only(run)
    assert (row.status, row.turn_in_flight, row.attempt) == ("running", 0, 1)
    clock.sleep(61)
    runner = Runner(clock, echo)

    def stale_first() -> None:
        if only(run).attempt == 2 and not runner.taken:
            with pytest.raises(Conflict, match="begun again"):
                reply_to(taken[0], clock(), content="from the first attempt")
        runner()

    play(clock, stale_first)
    done = only(run)
    assert (done.status, done.attempt, done.losses) == ("ended", 2, 1)
    assert [text for _, text in said(done)] == ["Hi, a haircut please.", "you said: Hi, a haircut please."]
    assert runner.taken[0]["session"] != taken[0]["session"]
    assert list(PulledTurn.objects.order_by("attempt").values_list("attempt", "state", "messages")) == [
        (1, "lost", []), (2, "delivered", []),
    ]  # fmt: skip


def test_a_cancelled_run_takes_its_turns_back(tenant: str) -> None:
    pulled()
    make_scenarios()
    run, clock, taken = battles(), Clock(), list[Turn]()

    def step() -> None:
        taken.extend(dict(turn) for turn in lease_turns(agent="bot", most=1, now=clock()).turns)
        if taken and TestRun.objects.get().status == "running":
            cancel_run(run_id=run, now=clock())
            Conversation.objects.update(status="cancelled", lease_token=None)

    play(clock, step)
    assert PulledTurn.objects.values_list("state", "messages").get() == ("lost", [])
    with pytest.raises(Conflict, match="stopped"):
        reply_to(taken[0], clock(), content="too late")


def test_no_turn_goes_to_two_runners_and_a_look_costs_one_query_however_many_are_out(tenant: str) -> None:
    pulled()
    make_scenarios(6)
    run, clock = battles(max_turns=2), Clock()
    first, second, counted = list[Turn](), list[Turn](), list[int]()
    work = make_work(clock)

    def step() -> None:
        if PulledTurn.objects.filter(state="pending").count() == 6:
            with CaptureQueriesContext(connection) as queries:
                first.extend(dict(turn) for turn in lease_turns(agent="bot", most=4, now=clock()).turns)
            counted.append(_count(queries))
            second.extend(dict(turn) for turn in lease_turns(agent="bot", most=4, now=clock()).turns)
            work.pulled._look_at = 0.0
            with CaptureQueriesContext(connection) as queries:
                work.pulled.poll()
            counted.append(_count(queries))
            for turn in (*first, *second):
                reply_to(turn, clock(), content="fine")

    play(clock, step, work=work)
    assert (len(first), len(second)) == (4, 2)
    assert len({turn["id"] for turn in (*first, *second)}) == 6
    assert [turn["conversation_id"] for turn in first] == [str(one.pk) for one in of(run)][:4], "oldest first"
    assert counted == [8, 1]
    assert [one.status for one in of(run)] == ["ended"] * 6


def _count(queries: CaptureQueriesContext) -> int:
    return sum(1 for one in queries if not one["sql"].startswith(("SET ", "SAVEPOINT", "RELEASE")))


def test_only_agents_of_this_kind_have_turns_to_lease(tenant: str) -> None:
    make_agent()
    with pytest.raises(BadInput) as refused:
        lease_turns(agent="bot", most=1, now=NOW)
    assert (refused.value.code, refused.value.pointer) == ("not_pulled", "/agent")
    with pytest.raises(BadInput) as refused:
        lease_turns(agent="nobody", most=1, now=NOW)
    assert refused.value.code == "unknown_agent"
