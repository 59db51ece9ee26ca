"""What `benchmarks.work_kills` kills and breaks, and what it counts. Imported when Django is set up."""

import random
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import redis
from django.apps import apps
from django.db import OperationalError, connection, connections, transaction
from django.utils import timezone

from apps.jobs.models import LeasedRow
from apps.jobs.wakeups import wake_workers_on_commit
from apps.jobs.work import registered
from apps.tenants.context import current_schema, in_tenant
from benchmarks import rig
from benchmarks.work_kill_seeds import NEEDED, hurry, seed
from benchmarks.work_kill_tallies import ASKS, GONE, ONCE, TALLIES, answers_of
from ratiba_eval import local_stack, programs
from ratiba_eval.supervisor import Supervisor

SEVERAL, STALLED, STALL_S = 3, 6, 1.5
WAVE_S, LEFT_WITHIN_S = 10.0, 150.0
QUEUES = {  # processes of each worker and its queues
    "control": (0, ("control",)),
    "asking-1": (2, ("battles", "judging")),
    "asking-2": (2, ("battles", "judging")),
    "waiting-1": (4, ("improvement",)),
    "waiting-2": (4, ("improvement",)),
}
LEASED = [one._meta.db_table for one in apps.get_models() if issubclass(one, LeasedRow) and not one._meta.proxy]
LINE = "{:<26}{:>7}{:>6}{:>6}{:>6}{:>7}{:>6}{:>9}{:>5}"


@dataclass(slots=True, kw_only=True)
class WorkDrill:
    """`hits` counts kills that met a kind in hand; `read` and `seen` are lines of the journal by worker: of the one
    before it, and of all."""

    tenant: str
    url: str
    world: Any
    supervisor: Supervisor
    journal: Path
    chance: random.Random
    read: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)

    def seed(self, wave: int) -> None:
        """Rows of every kind, and the wake-ups of those who write them."""
        with in_tenant(self.tenant):
            seed(self.url, wave)
            wake_workers_on_commit(self.tenant, *(kind.name for kind in registered()))

    def kill(self) -> str:
        """Kill a worker that holds one of the kinds which were hit least; run its leases out. What it held."""
        since = time.monotonic()
        with self._stalled():
            worker = self._busy(since)
            self.world.note_kill(since)
            self.supervisor.kill(worker, signal.SIGKILL)
            time.sleep(0.4)  # its supervisor ends what is left of its processes
        kinds, leases = self._held()[worker]
        self.read[worker] = self.seen[worker]
        self.hits.update(kinds)
        with in_tenant(self.tenant), connection.cursor() as cursor:
            for table in LEASED:  # as if their minutes were over
                cursor.execute(
                    f"UPDATE {table} SET lease_expires_at = now() - interval '1 second'"  # noqa: S608 - our own tables
                    " WHERE lease_token = ANY(%s::uuid[]) AND lease_expires_at > now()",
                    [sorted(leases)],
                )
        return f"{worker} with {', '.join(sorted(kinds))}"

    def break_down(self, what: str) -> None:
        """Flush the broker, or restart Postgres without a shutdown."""
        self.world.note_kill(time.monotonic())
        if what == "broker":
            socket = local_stack.urls().redis_url.removeprefix("redis+socket://").partition("?")[0]
            redis.Redis(unix_socket_path=socket).flushall()
            return
        local_stack.postgres().stop(mode="immediate")
        local_stack.postgres().start()
        connections.close_all()  # this process's own

    def open_rows(self) -> dict[str, int]:
        """What is not done yet, by kind."""
        return {kind: needed - done for kind, (needed, done, _) in self._rows().items() if needed > done}

    def left_behind(self) -> dict[str, int]:
        """Calls, reservations, leases and locks that nobody lets go, and work that a page would show as stuck."""
        with in_tenant(self.tenant):
            schema = current_schema()
        stuck = f"WHERE since < %(now)s - interval '{LEFT_WITHIN_S:.0f} seconds'"
        tables = {
            "open calls": "budgets_modelcall WHERE outcome = 'open'",
            "reservations": "budgets_reservation",
            "locks": "pg_locks WHERE locktype = 'advisory'",
            **{f"{one.name} that nobody does": f"({one.waiting(schema)}) w {stuck}" for one in registered()},
            **{f"leases of {one}": f"{one} WHERE lease_expires_at > now()" for one in LEASED},
        }
        counts = {name: self._ask(f"SELECT count(*) FROM {table}")[0][0] for name, table in tables.items()}  # noqa: S608
        return {name: count for name, count in counts.items() if count}

    def table(self) -> tuple[bool, list[str]]:
        """Whether all is well, and a line for each kind of the registry."""
        lines = [LINE.format("kind", "needed", "done", "lost", "twice", "asked", "again", "at kills", "hit")]
        rows, good = self._rows(), True
        for kind in (one.name for one in registered()):
            needed, done, twice = rows.get(kind, (0, 0, 0))
            asks = ASKS.get(kind, ())
            asked = sum(len(self.world.asked[name]) for name in asks)
            again = asked - sum(map(self._answered, asks))
            at_kills = sum(self.world.under_way_at_kills[name] for name in asks if name not in ONCE)
            fine = needed == done > 0 and not twice and again <= at_kills
            good &= fine
            why = "" if fine else "  BROKEN" if needed else "  NO ROWS"
            lines.append(
                LINE.format(kind, needed, done, needed - done, twice, asked, again, at_kills, self.hits[kind]) + why
            )
        left = self.left_behind()
        return good and not left, [*lines, f"left behind: {left or 'nothing'}"]

    def _ask(self, sql: str) -> list[Any]:
        with in_tenant(self.tenant), connection.cursor() as cursor:
            cursor.execute(sql, {"now": timezone.now()} if "%(now)s" in sql else None)
            return list(cursor.fetchall())

    def _rows(self) -> dict[str, tuple[int, int, int]]:
        """By kind: how many rows needed work, how many are done, how often something was done once more."""
        with in_tenant(self.tenant):
            hurry()
        found = {}
        for kind, sql in TALLIES.items():
            rows = self._ask(sql)
            needed = max(len(rows), NEEDED[kind])
            done = needed - len(rows) if kind in GONE else sum(bool(done) for done, _ in rows)
            found[kind] = needed, done, sum(max(0, times - 1) for _, times in rows)
        return found

    def _answered(self, name: str) -> int:
        """How many things that it was asked have their answer stored, or were different."""
        sql = answers_of(name)
        return int(self._ask(sql)[0][0]) if sql else self.world.once(name)

    def _held(self) -> dict[str, tuple[set[str], set[str]]]:
        """The kinds that each worker has in hand, and every lease it took since it began."""
        began: dict[str, dict[str, str]] = defaultdict(dict)
        leases: dict[str, set[str]] = defaultdict(set)
        self.seen.clear()
        for line in self.journal.read_text().splitlines():
            worker, what, key, *more = line.split("\t")
            self.seen[worker] += 1
            if self.seen[worker] <= self.read[worker]:
                continue
            if what == "lease":
                leases[worker].add(key)
            elif what == "end":
                began[worker].pop(key, None)
            elif more[0] == self.tenant:
                began[worker][key] = more[1]
        return {one: (set(began[one].values()), leases[one]) for one in self.seen}

    def _busy(self, since: float) -> str:
        """A worker to be killed, once several kinds are in hand."""
        while True:
            busy = {name: kinds for name, (kinds, _) in self._held().items() if kinds}
            waited_s = time.monotonic() - since
            several = len(set().union(*busy.values())) >= SEVERAL and waited_s > STALL_S
            if several or (busy and waited_s > WAVE_S):
                break
            time.sleep(0.05)
        fewest = {name: min(self.hits[kind] for kind in kinds) for name, kinds in busy.items()}
        return self.chance.choice(sorted(one for one in fewest if fewest[one] == min(fewest.values())))

    @contextmanager
    def _stalled(self) -> Iterator[None]:
        """Writes to tables of kinds that were hit least wait, as behind a long transaction: so a kill finds the quick
        ones, too, in the middle of a step."""
        tables = [
            table
            for *_, table in sorted((self.hits[one.name], self.chance.random(), one.table) for one in registered())
        ]
        with in_tenant(self.tenant), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '300ms'")
            for table in tables[:STALLED]:
                with suppress(OperationalError), transaction.atomic():
                    cursor.execute(f"LOCK TABLE {table} IN SHARE MODE")
            yield


@contextmanager
def workers(state: Path, journal: Path) -> Iterator[Supervisor]:
    """Those of QUEUES, which keep the journal, and a beat."""
    with Supervisor(state / "log") as supervisor:
        for name, (processes, queues) in QUEUES.items():
            one = programs.worker(name, queues=queues, concurrency=processes)
            env = {**one.env, "RATIBA_DRILL_JOURNAL": str(journal), "RATIBA_DRILL_WORKER": name}
            supervisor.start(replace(one, argv=(*one.argv, "--include", "benchmarks.work_kill_worker"), env=env))
        supervisor.start(programs.beat(state))
        supervisor.wait_for("control", lambda: rig.workers_listen(list(QUEUES)))
        yield supervisor


def wait(over: Callable[[], bool], at_most_s: float) -> bool:
    """Whether it came to pass in this time."""
    until = time.monotonic() + at_most_s
    while not over():
        if time.monotonic() > until:
            return False
        time.sleep(0.5)
    return True
