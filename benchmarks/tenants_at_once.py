"""How many battles are in flight when many small tenants play with few processes?

    python -m benchmarks.tenants_at_once [--tenants 12] [--cap 3] [--agent-s 5] [--processes 4] [--rounds 4]

Each tenant may have `cap` battles at once and plays some rounds of them, one turn each to an agent of `agent-s`. Once
with processes that serve one tenant after the other (RATIBA_TENANTS_AT_ONCE=1), once with the default. Printed of each:
turns at once at most, seconds, processor seconds, memory, connections. Goal: 30 of 36 in flight, and twice as
fast.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

IN_FLIGHT, FASTER = 0.83, 2.0


@contextmanager
def players(state: Path, *, processes: int, at_once: str) -> Iterator[Any]:
    """One worker with so many processes that plays and does nothing else, one for everything else, and a beat."""
    from dataclasses import replace  # noqa: PLC0415 - as below

    from benchmarks import rig  # noqa: PLC0415 - after django.setup()
    from ratiba_eval import programs  # noqa: PLC0415
    from ratiba_eval.supervisor import Supervisor  # noqa: PLC0415

    playing = programs.worker("players", queues=("battles",), concurrency=processes)
    every = [
        programs.worker("control", queues=("control",), concurrency=0),
        programs.worker("others", queues=("judging", "improvement"), concurrency=1),
        replace(playing, env={**playing.env, "RATIBA_TENANTS_AT_ONCE": at_once}),
    ]
    with Supervisor(state / "log") as supervisor:
        for program in (*every, programs.beat(state)):
            supervisor.start(program)
        names = [program.name for program in every]
        supervisor.wait_for(names[-1], lambda: rig.workers_listen(names))
        yield supervisor


def connections_open() -> int:
    from django.db import connection  # noqa: PLC0415 - after django.setup()

    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(numbackends) FROM pg_stat_database")
        return int(cursor.fetchone()[0])


def measure(state: Path, found: Any, options: argparse.Namespace, *, at_once: str) -> tuple[float, int]:
    """The seconds, and how many turns were open at once."""
    from benchmarks import rig, stage  # noqa: PLC0415 - after django.setup()

    battles = options.rounds * options.cap
    with ExitStack() as stack:
        slugs = [stack.enter_context(stage.tenant(found, at_once=options.cap)) for _ in range(options.tenants)]
        supervisor = stack.enter_context(players(state, processes=options.processes, at_once=at_once))
        pids = [supervisor.pid("players")]
        found.reset()
        before = rig.cpu_seconds(pids)
        for slug in slugs:
            stage.start(slug, battles=battles, turns=2)
        most = [0, 0.0]

        def all_ended() -> bool:
            most[:] = max(most[0], connections_open()), max(most[1], rig.resident_mb(pids))
            return sum(map(stage.ended, slugs)) == battles * len(slugs)

        seconds = rig.until(all_ended, timeout_s=300, every_s=0.2)
        seen, used = found.stats(), rig.cpu_seconds(pids) - before
        states = [stage.states(slug) for slug in slugs]
    stage.say(
        f"{at_once or 'the default':>11} at once: {seconds:.1f} s, at most {seen['most_at_once']} turns in flight, "
        f"{seen['twice']} twice, {used:.1f} processor s, {most[1]:.0f} MB, {most[0]} connections, "
        f"{'all ended' if all(set(one) == {'ended'} for one in states) else states}, load {stage.load()}"
    )
    return seconds, int(seen["most_at_once"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=12)
    parser.add_argument("--cap", type=int, default=3)
    parser.add_argument("--agent-s", type=float, default=5.0)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args(arguments)
    django.setup()
    from benchmarks import rig, stage  # noqa: PLC0415 - after django.setup()

    with rig.services() as state, stage.world("--agent-ms", str(options.agent_s * 1000)) as found:
        former, _ = measure(state, found, options, at_once="1")
        seconds, in_flight = measure(state, found, options, at_once="")
    wanted = IN_FLIGHT * options.tenants * options.cap
    met = in_flight >= wanted and former / seconds >= FASTER
    stage.say(f"{former / seconds:.2f} times as fast, {in_flight} in flight: goal {'met' if met else 'MISSED'}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
