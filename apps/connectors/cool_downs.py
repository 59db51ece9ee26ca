"""When a model limits us, everybody who asks it waits: one cool-down for each provider × model.

A rate limit is rarely about one call: it is about the key. So the first caller who is told to come back later stops all
others, for as long as the provider said, and longer each time the model still limits us afterwards. When the time is
up, one trial call goes out; when it is answered, the others follow, twice as many after each answer.

Only a short wait (SHORT_S) may concern one call alone, as where a proxy drops one request in ten: there it takes
IN_A_ROW of them without an answer between.

Pure, no database: whoever runs several workers shares what `take_changes` and `load` give and take
(apps.jobs.services.cool_downs).
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from apps.connectors.llms.base import ModelSpec

SHORT_S = 2.0  # our own choice: a wait that costs less than stopping everybody
IN_A_ROW = 3  # at one random refusal in ten calls, three in a row are one in a thousand
FIRST_S = 1.0  # doubled each time the model still limits us
LONGEST_S = 120.0  # of what is doubled; what the provider says is kept, however long it is
FORGOTTEN = timedelta(minutes=10)  # after its end, a cool-down says nothing any more
FULL_SPEED = 64  # calls at once after which nothing is held back


@dataclass(frozen=True, slots=True, kw_only=True)
class CoolDown:
    """Nobody asks this model before `until`. `since` is when it began to limit us, `strikes` how often it was tried
    since its last answer, and still did. `key` tells provider row and model apart (`key_of`)."""

    key: str
    provider: str
    model: str
    since: datetime
    until: datetime
    strikes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What others should know: cool-downs that began or grew, and keys of those that are over."""

    begun: tuple[CoolDown, ...] = ()
    over: tuple[str, ...] = ()


@dataclass(slots=True)
class _State:
    cool_down: CoolDown | None = None
    in_a_row: int = 0
    in_flight: int = 0
    at_once: int = 1  # after a cool-down: calls that may be in flight


def key_of(spec: ModelSpec) -> str:
    """The same for everybody who shares a limit: one address, one key, one model. 24 hex digits, not reversible."""
    parts = (spec.provider, spec.base_url or "", spec.api_key or "", spec.model)
    return blake2b("\x00".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class CoolDowns:
    """The cool-downs one worker knows of. Safe to use from the loop that asks and the thread that stores."""

    now: Callable[[], datetime] = _utc_now
    _states: dict[str, _State] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def remaining(self, spec: ModelSpec) -> float:
        """Seconds until this model may be asked again; 0 when it may be asked now."""
        with self._lock:
            return self._remaining(self._state(spec))

    def limited_for(self, spec: ModelSpec) -> float:
        """Seconds since this model began to limit us, without an answer since; 0 where it does not."""
        with self._lock:
            found = self._state(spec).cool_down
            return max(0.0, (self.now() - found.since).total_seconds()) if found else 0.0

    def enter(self, spec: ModelSpec) -> bool:
        """Whether a call may go out now; it is then in flight until `leave`. False during a cool-down, and after it
        while the trial is not answered."""
        with self._lock:
            state = self._state(spec)
            if self._remaining(state) > 0 or (state.cool_down is not None and state.in_flight >= state.at_once):
                return False
            state.in_flight += 1
            return True

    def leave(self, spec: ModelSpec) -> None:
        """The call that entered has ended, however it did."""
        with self._lock:
            state = self._states.get(key_of(spec))
            if state is not None:
                state.in_flight = max(0, state.in_flight - 1)

    def limited(self, spec: ModelSpec, *, retry_after: float) -> float:
        """A call was refused by a rate limit; gives the seconds until it may be tried again."""
        with self._lock:
            key, now, state = key_of(spec), self.now(), self._state(spec)
            until = now + timedelta(seconds=retry_after)
            found = state.cool_down
            if found is not None and now < found.until:  # it was under way when the cool-down began
                if until > found.until + timedelta(seconds=FIRST_S):
                    self._begin(key, state, replace(found, until=until))
                return max(retry_after, self._remaining(state))
            state.in_a_row += 1
            trial = found is not None and state.at_once == 1
            if retry_after <= SHORT_S and state.in_a_row < IN_A_ROW and not trial:
                state.at_once = max(2, state.at_once // 2)
                return retry_after
            strikes = found.strikes + 1 if found else 1
            growing = min(LONGEST_S, FIRST_S * 2.0 ** min(strikes - 1, 20))
            self._begin(
                key,
                state,
                CoolDown(
                    key=key,
                    provider=spec.provider,
                    model=spec.model,
                    since=found.since if found else now,
                    until=max(until, now + timedelta(seconds=growing)),
                    strikes=strikes,
                ),
            )
            return max(retry_after, self._remaining(state))

    def answered(self, spec: ModelSpec, *, began: datetime) -> None:
        """A call that `began` then was answered: well, or with a failure that is no rate limit."""
        with self._lock:
            state = self._states.get(key_of(spec))
            if state is None:
                return
            state.in_a_row = 0
            found = state.cool_down
            if found is None or began < found.until:
                return  # it was under way when the cool-down began, and says nothing about it
            state.at_once *= 2
            state.cool_down = replace(found, since=self.now(), strikes=0)  # it answers: the growth begins anew
            if state.at_once >= FULL_SPEED:
                self._end(key_of(spec), state)

    def take_changes(self) -> Changes:
        """What changed here since the last time; it is then told."""
        with self._lock:
            keys, self._changed = self._changed, set()
            found = {key: self._states[key].cool_down if key in self._states else None for key in sorted(keys)}
            return Changes(
                begun=tuple(one for one in found.values() if one is not None),
                over=tuple(key for key, one in found.items() if one is None),
            )

    @property
    def changed(self) -> bool:
        return bool(self._changed)

    def load(self, cool_downs: Iterable[CoolDown]) -> None:
        """All cool-downs that hold, as the others know them. What changed here meanwhile stays as it is."""
        by_key = {one.key: one for one in cool_downs if one.until > self.now() - FORGOTTEN}
        with self._lock:
            for key, one in by_key.items():
                state = self._states.setdefault(key, _State())
                if key not in self._changed and (state.cool_down is None or one.until > state.cool_down.until):
                    state.cool_down, state.at_once = one, 1
            for key, state in self._states.items():
                if state.cool_down is not None and key not in by_key and key not in self._changed:
                    state.cool_down, state.in_a_row, state.at_once = None, 0, 1

    def _state(self, spec: ModelSpec) -> _State:
        state = self._states.setdefault(key_of(spec), _State())
        if state.cool_down is not None and state.cool_down.until < self.now() - FORGOTTEN:
            state.cool_down, state.in_a_row = None, 0
        return state

    def _remaining(self, state: _State) -> float:
        return max(0.0, (state.cool_down.until - self.now()).total_seconds()) if state.cool_down else 0.0

    def _begin(self, key: str, state: _State, cool_down: CoolDown) -> None:
        state.cool_down, state.at_once, state.in_a_row, state.in_flight = cool_down, 1, 0, 0
        self._changed.add(key)

    def _end(self, key: str, state: _State) -> None:
        state.cool_down, state.at_once, state.in_a_row = None, 1, 0
        self._changed.add(key)
