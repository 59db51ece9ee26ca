"""Wait where a model limits us, all callers alike, and then ask at the rate that it takes.

One cool-down and one token bucket (rates) serve each provider × model.

A rate limit is rarely about one call: it is about the key. A wait that was told is kept as told; only where nothing was
told does our own grow while the model goes on limiting us. Afterwards calls go out at the rate of the bucket.

Only a short wait (SHORT_S) may concern one call alone, as where a proxy drops one request in ten: there it takes
IN_A_ROW of them without an answer between; and once the rate is known, nothing answered for as long as the wait.

Pure, no database: whoever runs several workers shares what `take_changes` and `load` give and take
(apps.jobs.services.cool_downs).
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from apps.connectors import rates
from apps.connectors.llms.base import ModelSpec
from apps.connectors.rates import Bucket

SHORT_S = 2.0  # our own choice: a wait that costs less than stopping everybody
IN_A_ROW = 3  # at one random refusal in ten calls, three in a row are one in a thousand
FIRST_S = 1.0  # where nothing was told: doubled each time the model still limits us
MAX_S = 120.0  # of what is doubled; what the provider says is kept, however long it is
MIN_S = 0.05  # "come back in 0 s" stops everybody for so long
FORGOTTEN = timedelta(minutes=10)  # after its end, a cool-down says nothing any more
MEASURED_S = 10.0  # what was answered in this time before a limit tells the first rate


@dataclass(frozen=True, slots=True, kw_only=True)
class CoolDown:
    """Cool-down of a model: nobody asks it before `until`.

    `since` is when it began to limit us, `strikes` how often it was tried since its last answer, and still did: 0 where
    nobody listened at its address. `key` tells provider row and model apart (`key_of`). `bucket`: how fast it is asked
    from then on.
    """

    key: str
    provider: str
    model: str
    since: datetime
    until: datetime
    strikes: int
    bucket: Bucket | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """News for other processes: cool-downs that began or grew, and keys of those that are over."""

    begun: tuple[CoolDown, ...] = ()
    over: tuple[str, ...] = ()


@dataclass(slots=True)
class _State:
    cool_down: CoolDown | None = None
    bucket: Bucket | None = None
    in_a_row: int = 0
    accepted: int = 0  # here, since `counted_at`, and not yet in the bucket
    refused: int = 0
    counted_at: datetime | None = None
    answered_at: datetime | None = None


def key_of(spec: ModelSpec) -> str:
    """Return one key for all who share a limit: one address, one key, one model. 24 hex digits, not reversible."""
    parts = (spec.provider, spec.base_url or "", spec.api_key or "", spec.model)
    return blake2b("\x00".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class CoolDowns:
    """The limits one worker knows of. Safe to use from the loop that asks and the thread that stores."""

    now: Callable[[], datetime] = _utc_now
    _states: dict[str, _State] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remaining(self, spec: ModelSpec) -> float:
        """Seconds until this model may be asked again; 0 when it may be asked now."""
        with self._lock:
            return self._remaining(self._state(key_of(spec)))

    def backlog(self, spec: ModelSpec) -> bool:
        """Tell whether so many wait for their place that one more would not wait in it.

        Not while nobody may ask at all.
        """
        with self._lock:
            state = self._state(key_of(spec))
            if state.bucket is None or self._remaining(state) > 0:
                return False
            return state.bucket.next_at - self.now().timestamp() > rates.HORIZON_S / 2

    def limited_for(self, spec: ModelSpec) -> float:
        """Seconds since this model began to limit us, without an answer since; 0 where it does not."""
        with self._lock:
            state = self._state(key_of(spec))
            cool_down = state.cool_down
            answered_at = _answered_at(state)
            if cool_down is None or answered_at >= cool_down.until.timestamp():
                return 0.0
            return max(0.0, self.now().timestamp() - max(cool_down.since.timestamp(), answered_at))

    def is_away(self, spec: ModelSpec) -> bool:
        """Tell whether the model is not asked now because its server is away, and not because it limits us."""
        with self._lock:
            state = self._state(key_of(spec))
            return state.cool_down is not None and state.cool_down.strikes == 0 and self._remaining(state) > 0

    def is_paced(self, spec: ModelSpec) -> bool:
        """Tell whether each call needs a place of the bucket (`take`) before it goes out."""
        with self._lock:
            return self._state(key_of(spec)).bucket is not None

    def take(self, key: str, shared: Bucket | None = None, *, queue: int = 0) -> float:
        """A place in the bucket: seconds until it is reached; beyond rates.HORIZON_S none is taken (rates.taken).

        `shared` is the bucket as all workers know it, where somebody else keeps it.
        """
        with self._lock:
            state, now = self._state(key), self.now().timestamp()
            bucket = shared or state.bucket
            if bucket is None:
                return 0.0
            accepted, state.accepted, refused, state.refused = state.accepted, 0, state.refused, 0
            bucket = rates.counted(bucket, accepted=accepted, refused=refused, now=now)
            state.bucket, wait = rates.taken(bucket, now=now, queue=queue)
            return wait

    def bucket(self, key: str) -> Bucket | None:
        """The bucket as it is known here."""
        with self._lock:
            return self._state(key).bucket

    def drop(self, key: str) -> None:
        """End the cool-down of this key: the model limits us no more."""
        with self._lock:
            self._end(key)

    def limited(self, spec: ModelSpec, *, retry_after: float, told: bool = True) -> float:
        """A call was refused by a rate limit; gives the seconds until it may be tried again. `told`: `retry_after` is
        the provider's; else it is ours to choose."""
        with self._lock:
            key, now = key_of(spec), self.now()
            state = self._state(key)
            cool_down = state.cool_down
            strikes = cool_down.strikes if cool_down and _answered_at(state) < cool_down.until.timestamp() else 0
            wait = retry_after if told else min(MAX_S, FIRST_S * 2.0 ** min(strikes, 20))
            until = now + timedelta(seconds=max(wait, MIN_S))
            if cool_down is not None and now < cool_down.until:  # it was under way when the cool-down began
                if told and until > cool_down.until + timedelta(seconds=FIRST_S):
                    self._begin(state, replace(cool_down, until=until))
                return max(retry_after if told else FIRST_S, self._remaining(state))
            state.refused += 1
            state.counted_at = state.counted_at or now
            state.in_a_row += 1
            if wait <= SHORT_S and not self._stops_all(state, wait, now):
                return wait
            since = cool_down.since if cool_down else now
            self._begin(
                state,
                CoolDown(
                    key=key, provider=spec.provider, model=spec.model, since=since, until=until, strikes=strikes + 1
                ),
            )
            return max(wait, self._remaining(state))

    def away(self, spec: ModelSpec, *, wait_s: float) -> float:
        """Note that nobody listened at the model's address; return the seconds until it may be tried again.

        It says nothing about how fast the model is asked when it is back.
        """
        with self._lock:
            key, now = key_of(spec), self.now()
            state = self._state(key)
            cool_down = state.cool_down
            if cool_down is None or now >= cool_down.until:
                still = cool_down is not None and _answered_at(state) < cool_down.until.timestamp()
                state.cool_down = CoolDown(
                    key=key,
                    provider=spec.provider,
                    model=spec.model,
                    since=cool_down.since if cool_down and still else now,
                    until=now + timedelta(seconds=wait_s),
                    strikes=0,
                )
                self._changed.add(key)
            return self._remaining(state)

    def answered(self, spec: ModelSpec, *, began: datetime) -> None:
        """Record that a call begun at `began` ended without a rate limit."""
        with self._lock:
            state, now = self._state(key_of(spec)), self.now()
            if state.counted_at is None or (
                state.bucket is None and (now - state.counted_at).total_seconds() > MEASURED_S
            ):
                state.accepted, state.refused, state.counted_at = 0, 0, began
            state.accepted += 1
            state.in_a_row = 0
            cool_down = state.cool_down
            if cool_down is None or began < cool_down.until:
                return  # it was under way when the cool-down began, and says nothing about it
            state.answered_at = now
            state.cool_down = replace(cool_down, since=now, strikes=0)

    def take_changes(self) -> Changes:
        """Take the changes since the last call; each change is handed over once."""
        with self._lock:
            keys, self._changed = self._changed, set()
            states = {key: self._states[key] if key in self._states else _State() for key in sorted(keys)}
            return Changes(
                begun=tuple(
                    replace(state.cool_down, bucket=state.bucket) for state in states.values() if state.cool_down
                ),
                over=tuple(key for key, state in states.items() if state.cool_down is None),
            )

    @property
    def changed(self) -> bool:
        return bool(self._changed)

    def load(self, cool_downs: Iterable[CoolDown]) -> None:
        """All cool-downs that hold, as the others know them. What changed here meanwhile stays as it is."""
        by_key = {cool_down.key: cool_down for cool_down in cool_downs if not self._is_old(cool_down)}
        with self._lock:
            for key, one in by_key.items():
                state = self._states.setdefault(key, _State())
                if key in self._changed:
                    continue
                if state.cool_down is None or one.until > state.cool_down.until:
                    state.cool_down = one
                if one.bucket is not None:
                    state.bucket = one.bucket
            for key, state in self._states.items():
                if state.cool_down is not None and key not in by_key and key not in self._changed:
                    self._forget(state)

    def _state(self, key: str) -> _State:
        state = self._states.setdefault(key, _State())
        cool_down = state.cool_down
        if cool_down is not None and self._is_old(replace(cool_down, bucket=state.bucket)):
            self._forget(state)
        return state

    def _is_old(self, one: CoolDown) -> bool:
        last = self.now() - FORGOTTEN
        return one.until < last and (one.bucket is None or one.bucket.window_at < last.timestamp())

    def _remaining(self, state: _State) -> float:
        return max(0.0, (state.cool_down.until - self.now()).total_seconds()) if state.cool_down else 0.0

    def _stops_all(self, state: _State, wait: float, now: datetime) -> bool:
        quiet_s = now.timestamp() - _answered_at(state)
        if state.bucket is not None and quiet_s < max(wait, FIRST_S, 2 / state.bucket.rate):
            return False
        return state.in_a_row >= IN_A_ROW or (state.cool_down is not None and state.cool_down.strikes > 0)

    def _begin(self, state: _State, cool_down: CoolDown) -> None:
        until = cool_down.until.timestamp()
        if state.bucket is None:
            since = (state.counted_at or self.now()).timestamp()
            state.bucket = rates.opened(accepted=state.accepted, since=since, until=until)
            state.accepted = state.refused = 0
        else:
            state.bucket = rates.paused(state.bucket, until=until)
        state.cool_down, state.in_a_row = cool_down, 0
        self._changed.add(cool_down.key)

    def _forget(self, state: _State) -> None:
        state.cool_down, state.bucket, state.in_a_row, state.answered_at = None, None, 0, None

    def _end(self, key: str) -> None:
        self._forget(self._state(key))
        self._changed.discard(key)


def _answered_at(state: _State) -> float:
    """Return when the model last answered us, here or to another worker; 0 where nobody knows of it."""
    here = state.answered_at.timestamp() if state.answered_at else 0.0
    return max(here, state.bucket.answered_at if state.bucket else 0.0)
