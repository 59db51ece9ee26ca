"""Does every battle end, and is no turn sent twice in a session, whatever is killed?

    python -m benchmarks.stage_kills [--battles 200] [--kills 20] [--at-once 8]

Two workers play. Each time some more battles have ended, one of them, chosen by chance, is killed with SIGKILL (its
supervisor starts another one; the leases it held are run out by hand after 2.5 s, 60 s otherwise). In between the
broker is flushed, the database is away for 3 s, and the agent is killed and comes back after 4 s, each once. The agent
writes a journal that outlives it. Exit 0 when all battles ended, no turn came twice in a session, and no more model
calls were made again than the battles that began again had made, with those in flight at a kill.
"""

import argparse
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

LEASE_S, LONGEST_TURN_S = 60.0, 2.5
EVENTS = {5: "broker flushed", 10: "database away for 3 s", 15: "agent away for 4 s"}


@dataclass(slots=True, kw_only=True)
class StageDrill:
    """What the drill breaks, and how."""

    tenant: str
    supervisor: Any
    world: Any
    journal: Path
    open_turns: int = 0

    def kill_worker(self, chance: random.Random) -> None:
        """One of them, with what it holds."""
        from django.db.models import F  # noqa: PLC0415 - after django.setup()
        from django.utils import timezone  # noqa: PLC0415

        from apps.runs.models import Conversation  # noqa: PLC0415
        from apps.tenants.context import in_tenant  # noqa: PLC0415

        while True:
            try:
                self.supervisor.kill(f"worker-{chance.randint(1, 2)}", signal.SIGKILL)
                break
            except ProcessLookupError:  # it was killed before, and its supervisor has not started the next one yet
                time.sleep(0.5)
        killed = timezone.now()
        time.sleep(LONGEST_TURN_S)
        with in_tenant(self.tenant):
            held = Conversation.objects.filter(
                status="running", lease_expires_at__lt=killed + timedelta(seconds=LEASE_S)
            )
            self.open_turns += held.filter(turn_in_flight__isnull=False).count()
            held.update(lease_expires_at=F("lease_expires_at") - timedelta(seconds=LEASE_S + LONGEST_TURN_S))

    def broken(self, what: str) -> None:
        from django.db import connections  # noqa: PLC0415 - after django.setup()

        from benchmarks.faults import _away, flush_broker  # noqa: PLC0415

        if what.startswith("broker"):
            flush_broker(self.supervisor)
        elif what.startswith("database"):
            _away("postgres", 3.0)
            connections.close_all()  # this process's own
        else:
            port = self.world.url.rpartition(":")[2]
            self.world.process.kill()
            self.world.process.wait()
            time.sleep(4)
            self.world.process = world_at(self.journal, port).process


def world_at(journal: Path, port: str = "0") -> Any:
    """The agent and model, which note what arrives in the journal."""
    from benchmarks.stage import started  # noqa: PLC0415

    return started("--journal", str(journal), "--port", port)


def figures(tenant: str, journal: Path, drill: StageDrill) -> tuple[bool, list[str]]:
    """Whether all is well, and the lines that say so."""
    from django.db.models import F  # noqa: PLC0415 - after django.setup()

    from apps.runs.models import Conversation, Turn  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    lines = journal.read_text(encoding="utf-8").splitlines()
    asked = sum(line == "model" for line in lines)
    turns = Counter(line for line in lines if line != "model")
    twice = sum(count > 1 for count in turns.values())
    with in_tenant(tenant):
        rows = list(Conversation.objects.values_list("status", "error_code", "attempt", "losses"))
        said = Turn.objects.filter(role="user", position__gt=0)
        kept = said.filter(attempt=F("conversation__attempt")).count()
        begun_again = said.exclude(attempt=F("conversation__attempt")).count()
    states = Counter(f"{status} {code}".strip() for status, code, _, _ in rows)
    lost_in_flight = asked - kept - begun_again
    again = sum(attempt - 1 for _, _, attempt, _ in rows)
    losses = sum(one[3] for one in rows)
    good = states == {"ended": len(rows)} and twice == 0 and lost_in_flight <= losses + again
    return good, [
        f"battles: {dict(states)}; losses of a worker {losses}, of which with an open turn {drill.open_turns}",
        f"turns sent {turns.total()}, twice in a session {twice}; begun again in a new session {again}",
        f"model calls {asked}: {kept} of the battles that count, {begun_again} of attempts that began again, "
        f"{lost_in_flight} in flight when their worker was killed",
    ]


def main() -> int:
    """Print the figures; exit 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=200)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    django.setup()
    from benchmarks import rig, stage  # noqa: PLC0415 - after django.setup()

    chance, say = random.Random(options.seed), stage.say
    with ExitStack() as at_end:
        journal = Path(at_end.enter_context(TemporaryDirectory())) / "journal"
        state = at_end.enter_context(rig.services())
        found = world_at(journal)
        at_end.callback(lambda: found.process.terminate())
        slug = at_end.enter_context(stage.tenant(found, at_once=options.at_once))
        supervisor = at_end.enter_context(rig.workers(state, count=2))
        drill = StageDrill(tenant=slug, supervisor=supervisor, world=found, journal=journal)
        began = time.perf_counter()
        stage.start(slug, battles=options.battles, turns=8)
        over: Callable[[], bool] = lambda: stage.ended(slug) == options.battles  # noqa: E731
        for number in range(1, options.kills + 1):
            enough = number * options.battles * 0.9 / options.kills
            rig.until(lambda: stage.ended(slug) >= enough, timeout_s=300, every_s=0.3)  # noqa: B023 - used at once
            drill.kill_worker(chance)
            if number in EVENTS:
                drill.broken(EVENTS[number])
                say(f"after {number} kills: {EVENTS[number]}; {stage.ended(slug)} battles have ended")
        try:
            rig.until(over, timeout_s=300, every_s=0.5)
        except TimeoutError:
            say("not all battles ended")
        say(f"{time.perf_counter() - began:.0f} s, load {stage.load()}")
        good, lines = figures(slug, journal, drill)
    say("\n".join([*lines, "all as promised" if good else "a promise is BROKEN"]))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
