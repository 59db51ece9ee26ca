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

    `label` names one row of it for people ("judgement: one of acme has waited 10 minutes"). `serve` is the dotted path
    of a function of a `TimeSlice` that does one tenant's and says whether more is due: safe to repeat and to race,
    since rows decide. Workers of `queue` call it, at most `workers` of them at once; a tick looks for it every
    `every_s` (one of ratiba_eval.ticks.WORK_EVERY_S), and the call it makes is void after `expires_s`. `table` holds
    its rows, `pending` says which of them still need work ("": none does by the clock alone), `begins` which column
    says when they came to be, and `due` names the columns of time that must all have passed before one can be done.
    `freed_by`: other tables a write to which may set work free, all that `waiting_sql` reads among them. `waiting_sql`
    replaces what follows from these: a SELECT, of a `{schema}` and the moment `%(now)s`, with a row `since` for each
    piece that could be worked on. One process does several kinds for several tenants at once, each in a thread
    (apps.jobs.tenant_threads); what is on the queue `control` is short, and done one after the other.
    `metered`: its rows may wait for a spent budget, and are tried again when it is raised. `finds`: what `serve` does
    besides working on its rows (it makes them of what other tables say, ends what is over, forgets what is old) as
    SELECTs like `waiting_sql`, one of which has a row wherever it would do something; they may say so too often.
    A tick calls workers only where one of these SELECTs, or `waiting_sql`, has a row.
    """

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
