"""Twelve golden sessions of real conversations before an agent that says everything in other words: a curator repairs
them in the browser, and they still notice what they noticed before."""

from collections.abc import Iterator
from typing import Any

import pytest

from apps.runs.models import Conversation
from apps.tenants.context import in_tenant
from tests.dashboard.conftest import signed_in
from tests.dashboard.golden_bench import BehavingAgent, Behaviour, GoldenBench, captured_goldens
from tests.shared_data import SHARED

COUNT = 12
MAX_PRESSES = 12  # one golden session needs one press or none; the rest goes by the run


@pytest.fixture
def bench(db: Any) -> Iterator[Any]:
    """The golden sessions in the tenant, and an agent whose behaviour is chosen for each run."""
    agent = BehavingAgent()
    with agent.serving() as server, in_tenant("acme"):
        empty = GoldenBench(server.url, agent, [])
        yield GoldenBench(server.url, agent, captured_goldens(empty.new_agent(), SHARED / "data", COUNT))


def rows_of(run: Any) -> list[Any]:
    with in_tenant("acme"):
        return list(Conversation.objects.filter(run_id=run).order_by("position"))


def text_of(answer: Any) -> str:
    assert answer.status_code == 200, answer
    return str(answer.content.decode())


def lost_by_a_skipped_step(bench: Any) -> set[str]:
    """The golden sessions whose replay loses its step where the agent leaves one out."""

    with in_tenant("acme"):
        run = bench.run(Behaviour.SKIPPED, bench.goldens)
    return {row.spec["golden_session"] for row in rows_of(run) if row.error_code == "desync"}


@pytest.mark.shared
def test_twelve_reworded_golden_sessions_are_repaired_by_pressing_and_stay_sharp(bench: Any) -> None:

    curator = signed_in(
        "zawadi", "view_goldensession", "change_goldensession", "view_conversation", "view_testrun", "view_checkresult"
    )
    assert len(bench.goldens) == COUNT
    skipped_before = lost_by_a_skipped_step(bench)
    left, presses, replays = list(bench.goldens), 0, 0
    while left:
        with in_tenant("acme"):
            run = bench.run(Behaviour.REWORDED, left)
        replays += len(left)
        stuck = [row for row in rows_of(run) if row.error_code == "desync"]
        assert all(row.blame is None for row in stuck)  # nobody is blamed for other words
        left = [row.spec["golden_session"] for row in stuck]
        if not left:
            break
        told = f"whether {len(stuck)} repl{'y' if len(stuck) == 1 else 'ies'} in other words did the same step"
        assert told in (page := text_of(curator.get(f"/runs/{run}/")))
        assert "failed one" not in page  # played again they would stop at the same words
        page = text_of(curator.get(f"/conversations/{stuck[0].pk}/"))
        assert "All that the golden reply tells was told." in page
        assert "This reply is right: open the gate for it too" in page
        opened = text_of(curator.post(f"/conversations/{stuck[0].pk}/accept-wording/", follow=True))
        assert "A replay plays it from now on" in opened
        presses += 1
        if len(stuck) > 1:
            answer = text_of(curator.post(f"/runs/{run}/accept-wordings/", follow=True))
            assert "for the new wording too" in answer
            presses += 1
        assert presses <= MAX_PRESSES
    assert replays > COUNT  # some were stuck
    with in_tenant("acme"):
        exact = bench.run(Behaviour.EXACT, bench.goldens)
        astray = bench.run(Behaviour.DESYNC, bench.goldens)
    assert {row.status for row in rows_of(exact)} == {"ended"}
    assert {row.error_code for row in rows_of(astray)} == {"desync"}
    assert lost_by_a_skipped_step(bench) >= skipped_before
    print(f"{COUNT} golden sessions: {presses} presses, {replays} replays")
