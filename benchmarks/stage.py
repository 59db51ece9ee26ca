"""How much do we add to what agents and models take, when many battles are played at once?

    python -m benchmarks.stage [--battles 200] [--turns 8] [--at-once 32] [--processes 1 2 4]

An agent of 500 ms a turn, a customer's model of 300 ms a call. A bare asyncio loop with the same client plays the same
battles and stores nothing; then workers play them, with leases, ledger, budget and every turn a row. Printed: seconds
of both, their ratio (goal 1.3), processor seconds, and what the agent saw: battles at once, turns that came twice.

    python -m benchmarks.stage --tenants 2      two tenants that begin together: Jain's index at the half (goal .95)
    python -m benchmarks.stage --in-flight 200  as many battles at once on two processes: their memory (goal 400 MB)
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import django
import httpx

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

GOAL, FAIR, MAX_MB = 1.3, 0.95, 400.0
SIMULATOR = {"provider": "stage", "model": "stub-model"}


@dataclass(slots=True)
class StageProcess:
    """The process that is agent and model, and its address."""

    process: subprocess.Popen[bytes]
    url: str

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"{self.url}/stats", timeout=30) as reply:  # noqa: S310 - our own loopback server
            found: dict[str, Any] = json.load(reply)
            return found

    def reset(self) -> None:
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/reset", method="POST"), timeout=30)  # noqa: S310


def started(*options: str) -> StageProcess:
    """Start it."""
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.stage_world", *options], stdout=subprocess.PIPE)
    assert process.stdout is not None
    return StageProcess(process, next(word for word in process.stdout.readline().decode().split() if "://" in word))


@contextmanager
def world(*options: str) -> Iterator[StageProcess]:
    """Start it; it ends with the block."""
    found = started(*options)
    try:
        yield found
    finally:
        found.process.terminate()
        found.process.wait(10)


async def bare(url: str, *, battles: int, turns: int, at_once: int) -> float:
    """The same calls from one loop that stores nothing; the seconds."""
    slots = asyncio.Semaphore(at_once)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=at_once)

    async def battle(client: httpx.AsyncClient, number: int) -> None:
        async with slots:
            words = "Hello"
            for turn in range(turns // 2):
                if turn:
                    said = await client.post(f"{url}/v1/chat/completions", json={"messages": []})
                    words = json.loads(said.json()["choices"][0]["message"]["content"])["message"]
                await client.post(
                    f"{url}/agent",
                    json={"message": words, "session_id": f"bare-{number}"},
                    headers={"connection": "close"},
                )

    began = time.perf_counter()
    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        await asyncio.gather(*(battle(client, number) for number in range(battles)))
    return time.perf_counter() - began


@contextmanager
def tenant(found: StageProcess, *, at_once: int) -> Iterator[str]:
    """A tenant whose agent and simulator are the world; dropped at the end."""
    import uuid  # noqa: PLC0415 - as below

    from apps.catalog.connections.services.storing import save_agent, save_model_provider  # noqa: PLC0415
    from apps.catalog.models import Scenario  # noqa: PLC0415
    from apps.catalog.personas.services.releasing import create_persona, record_validation  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from apps.tenants.services import add_tenant, delete_tenant, update_workflow_config  # noqa: PLC0415

    slug = f"stage-{uuid.uuid4().hex[:8]}"
    add_tenant(slug=slug, name=slug, vertical="spa")
    limits = {"budget_pull_request_usd": None, "budget_month_usd": None}
    update_workflow_config(slug=slug, changes={"max_concurrent_battles": at_once, **limits})
    with in_tenant(slug):
        save_agent(name="bot", kind="http", address=f"{found.url}/agent", stagger_s=(0, 0), timeout_s=60)
        save_model_provider(name="stage", kind="openai", base_url=f"{found.url}/v1", api_key="not-a-key")
        aunt = create_persona(name="aunt", text="Likes it short.", language="en")
        good = dict.fromkeys(("naturalness", "coherence", "testability"), 9)
        record_validation(persona_id=aunt, scores=good, threshold=7, by="bench")
        Scenario.objects.create(slug="s", persona_id=aunt, goal="A haircut.", opening="Hello", max_turns=400)
    try:
        yield slug
    finally:
        delete_tenant(slug=slug)


@contextmanager
def players(state: Path, *, count: int) -> Iterator[Any]:
    """So many workers that play and do nothing else, one for everything else, and a beat."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()
    from ratiba_eval import programs  # noqa: PLC0415
    from ratiba_eval.supervisor import Supervisor  # noqa: PLC0415

    with Supervisor(state / "log") as supervisor:
        every = [
            programs.worker("control", queues=("control",), concurrency=0),
            programs.worker("others", queues=("judging", "improvement"), concurrency=1),
            *(programs.worker(f"worker-{n}", queues=("battles",), concurrency=1) for n in range(1, count + 1)),
        ]
        for program in (*every, programs.beat(state)):
            supervisor.start(program)
        names = [program.name for program in every]
        supervisor.wait_for(names[-1], lambda: rig.workers_listen(names))
        yield supervisor


def start(slug: str, *, battles: int, turns: int) -> None:
    """Runs of at most 50 repeats that are `battles` battles together."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415
    from apps.runs.playing.services.starting import start_battles  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    with in_tenant(slug):
        for at in range(0, battles, 50):
            start_battles(
                agent="bot",
                scenarios=["s"],
                simulator=SIMULATOR,
                stagger_s=(0, 0),
                now=timezone.now(),
                repeats=min(50, battles - at),
                max_turns=turns,
            )
    wake_workers_on_commit(slug, "playing")


def ended(slug: str) -> int:
    """How many of its conversations are over."""
    from apps.runs.models import Conversation  # noqa: PLC0415 - after django.setup()
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    with in_tenant(slug):
        return Conversation.objects.filter(status__in=["ended", "failed", "timeout"]).count()


def states(slug: str) -> dict[str, int]:
    """Its conversations by state."""
    from collections import Counter  # noqa: PLC0415 - as below

    from apps.runs.models import Conversation  # noqa: PLC0415 - after django.setup()
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    with in_tenant(slug):
        return dict(Counter(Conversation.objects.values_list("status", flat=True)))


def throughput(state: Path, found: StageProcess, options: argparse.Namespace) -> bool:
    """One line for the bare loop, one for each number of processes."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    size = {"battles": options.battles, "turns": options.turns}
    alone = asyncio.run(bare(found.url, **size, at_once=options.at_once))
    say(f"bare asyncio loop: {alone:.1f} s for {options.battles} battles of {options.turns} turns, load {load()}")
    best = float("inf")
    for count in options.processes:
        found.reset()
        with tenant(found, at_once=options.at_once) as slug, players(state, count=count) as supervisor:
            pids = [supervisor.pid(f"worker-{number}") for number in range(1, count + 1)]
            before = rig.cpu_seconds(pids)
            start(slug, **size)
            seconds = rig.until(lambda: ended(slug) == options.battles, timeout_s=900, every_s=0.1)
            seen, used = found.stats(), rig.cpu_seconds(pids) - before
            best = min(best, seconds / alone)
            say(
                f"{count} worker process{'es' if count > 1 else ''}: {seconds:.1f} s, {seconds / alone:.2f}x, "
                f"{used:.1f} processor s, at most {seen['most_at_once']} turns at once, {seen['twice']} twice, "
                f"{states(slug)}, load {load()}"
            )
    return best <= GOAL


def index(shares: Sequence[float]) -> float:
    """Jain's fairness index; 1.0 for nothing at all."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


def fairness(state: Path, found: StageProcess, options: argparse.Namespace) -> bool:
    """Jain's index over what each tenant had played when half of all was."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    with ExitStack() as stack:
        slugs = [stack.enter_context(tenant(found, at_once=options.at_once)) for _ in range(options.tenants)]
        stack.enter_context(players(state, count=2))
        for slug in slugs:
            start(slug, battles=options.battles, turns=options.turns)
        half = options.battles * len(slugs) / 2
        seconds = rig.until(lambda: sum(map(ended, slugs)) >= half, timeout_s=900, every_s=0.1)
        shares = list(map(ended, slugs))
    say(f"{len(slugs)} tenants: index {index(shares):.3f} after {seconds:.1f} s, {shares}, load {load()}")
    return index(shares) >= FAIR


def memory(state: Path, found: StageProcess, options: argparse.Namespace) -> bool:
    """The resident memory of two worker processes with so many battles in flight."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    found.reset()
    with tenant(found, at_once=options.in_flight) as slug, players(state, count=2) as supervisor:
        pids = [supervisor.pid(f"worker-{number}") for number in (1, 2)]
        start(slug, battles=2 * options.in_flight, turns=options.turns)
        playing = PeakInFlight(slug, pids)
        seconds = rig.until(lambda: playing.look() == 2 * options.in_flight, timeout_s=900, every_s=0.5)
        used = playing.most_mb
    say(f"{playing.most} battles in flight on 2 processes: {used:.0f} MB at most, {seconds:.0f} s, load {load()}")
    return used <= MAX_MB and playing.most >= options.in_flight * 0.95


class PeakInFlight:
    """How many battles were in flight at most, and how much memory their workers held."""

    def __init__(self, slug: str, pids: Sequence[int]) -> None:
        self.slug, self.pids, self.most, self.most_mb = slug, pids, 0, 0.0

    def look(self) -> int:
        from benchmarks import rig  # noqa: PLC0415 - after django.setup()

        now = states(self.slug)
        self.most_mb = max(self.most_mb, rig.resident_mb(self.pids))
        self.most = max(self.most, now.get("running", 0))
        return now.get("ended", 0) + now.get("failed", 0)


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=200)
    parser.add_argument("--turns", type=int, default=8)
    parser.add_argument("--at-once", type=int, default=32)
    parser.add_argument("--processes", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--tenants", type=int, default=0, help="fairness of so many tenants instead")
    parser.add_argument("--in-flight", type=int, default=0, help="memory with so many battles at once instead")
    options = parser.parse_args(arguments)
    django.setup()
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    measure = fairness if options.tenants else memory if options.in_flight else throughput
    with rig.services() as state, world() as found:
        met = measure(state, found, options)
    say(f"goal {'met' if met else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
