"""The registry of work: each kind once, by the room that does it. Ticks, wake-ups, the backlog, /metrics and the health
page read it, so that a new kind is seen by all of them without further work."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime

# Rows somebody could work on now, and since when: the row's own moment, or the last of its times that passed.
_WAITING = """
SELECT greatest({since}) AS since FROM {{schema}}.{table} WHERE ({pending}){passed}
"""


def _no() -> bool:
    return False


def _nothing() -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSlice:
    """A worker's time with one tenant, whose schema it is in: until when it should take up more work.

    `ending`: it was told to end, for good or to make way for others, and takes up nothing more. `check` raises where
    the work must stop now, between two steps. `work` is the kind that is served. Worker loops obey both by themselves
    (`slice_ends`, `check_slice`).
    """

    tenant: str
    now: Callable[[], datetime]
    until: datetime
    ending: Callable[[], bool] = _no
    check: Callable[[], None] = _nothing
    work: str = ""

    @property
    def seconds(self) -> float:
        """The seconds left of the time slice."""
        return max(0.0, (self.until - self.now()).total_seconds())


_slice: ContextVar[TimeSlice | None] = ContextVar("time_slice", default=None)


@contextmanager
def serving(time_slice: TimeSlice) -> Iterator[None]:
    """Serve this time slice inside the block, in this thread."""
    outer = _slice.set(time_slice)
    try:
        yield
    finally:
        _slice.reset(outer)


def slice_ends() -> bool:
    """Tell whether the time slice that this thread works in was told to end; False outside of any."""
    return (now := _slice.get()) is not None and now.ending()


def check_slice() -> None:
    """Raise where the time slice that this thread works in must stop now."""
    if (now := _slice.get()) is not None:
        now.check()


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A kind of work. All SQL is our own.
    `label` names one of its rows for people ("judgement: one of acme has waited 10 minutes").
    Calls: `serve` is the dotted path of a function of a `TimeSlice`; it does one tenant's work, tells whether more is
    due, and is safe to repeat and to race. Workers of `queue` call it, at most `workers` of them at once, in threads
    for several kinds and tenants (apps.jobs.tenant_threads); the queue `control` runs one short call after the other.
    Rows: `table` holds them, `pending` selects those that need work ("": none does by time alone), `begins` is the
    column of their creation, `due` are time columns that must all have passed. A write to a table of `freed_by` may
    free work; all tables of `waiting_sql` are among them. `waiting_sql` replaces these fields by a SELECT over
    `{schema}` and `%(now)s`, with a row `since` for each piece of work. `metered` rows may wait for a spent budget, and
    are tried again when it is raised. `finds` is all that `serve` does besides (create, end or delete rows): SELECTs
    like `waiting_sql`, of which one has a row if there may be something to do.
    A tick looks every `every_s` (one of ratiba_eval.ticks.WORK_EVERY_S) and calls workers if one of the SELECTs has a
    row; the call is void after `expires_s`."""

    name: str
    label: str
    serve: str
    table: str
    queue: str = "improvement"  # of whatever no person and no other worker waits for
    every_s: float = 15.0
    expires_s: float = 600.0  # longer than four rounds wait where battles hold every process: void ones starve a queue
    workers: Callable[[], int] = lambda: 1
    pending: str = "status = 'pending'"
    begins: str = "created_at"
    due: tuple[str, ...] = ("not_before", "lease_expires_at")
    freed_by: tuple[str, ...] = ()
    metered: bool = False
    waiting_sql: str = ""
    finds: tuple[str, ...] = ()

    def waiting(self, schema: str) -> str:
        """The rows of this quoted schema that somebody could work on at `%(now)s`: a SELECT of one column, `since`."""
        template = self.waiting_sql or _WAITING.format(
            since=", ".join((self.begins, *self.due)),
            table=self.table,
            pending=self.pending,
            passed="".join(f" AND ({column} IS NULL OR {column} <= %(now)s)" for column in self.due),
        )
        return template.format(schema=schema)

    def open(self, schema: str) -> str:
        """The rows of this quoted schema that still need work, whenever: a SELECT."""
        if not self.pending:
            return self.waiting(schema)
        return f"SELECT 1 FROM {schema}.{self.table} WHERE {self.pending}"  # noqa: S608 - SQL of our own

    def calls(self, schema: str) -> str:
        """Return the condition under which a tick calls a worker to this quoted schema at `%(now)s`."""
        selects = [self.waiting(schema), *(find.format(schema=schema) for find in self.finds)]
        return " OR ".join(f"EXISTS ({select})" for select in selects)

    @property
    def tables(self) -> tuple[str, ...]:
        """Every table a write to which may change what waits."""
        return (self.table, *self.freed_by)


_REGISTRY: dict[str, Work] = {}


def register(*kinds: Work) -> None:
    """Each room names its work once, in its `registrations.py`. A name that stands already is replaced."""
    _REGISTRY.update({work.name: work for work in kinds})


def registered() -> Sequence[Work]:
    """All work that rooms have named, in the order of their floors."""
    return list(_REGISTRY.values())


def work_named(name: str) -> Work:
    """Return the registered work of this name. Raises KeyError for work that no room has registered."""
    return _REGISTRY[name]
