"""Limit how fast a model is asked: one token bucket each, whose rate follows what the model takes.

The rate is found by search, as BIC TCP finds its window (Xu, Harfoush and Rhee, 2004): a window counts what was
answered and what was refused, by all workers. Few refusals, and somebody had to wait: faster, half way to the rate that
was too fast, and past it only after some quiet windows, in steps that grow. Many refusals: back to the last rate that
was not too fast, or to what was answered where there is none. So a limit that was raised is found, one that was lowered
is followed within two windows, and most of the time the rate is a few per cent below the limit. A token bucket in the
client with a rate that adapts is also what the AWS SDKs call adaptive retries.

Pure: times are seconds since the epoch, and whoever shares a bucket stores it (jobs.services.cool_downs).
"""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

OVER = 1.1  # the first step past all that is known
MAX_GROWTH = 3.0  # of one window
NOISE = 0.15  # a share of refusals that is no reason to be slower: a bad proxy drops one in ten
CLEAR = 0.3  # a share of refusals for which no window need be waited for
NEAR = 1.03  # a rate so little below one that was too fast is good enough
FIRST_STEPS = 3  # a server that takes one call at a time shows little of its rate before it first refuses
QUIET = 8  # windows after which a rate that was too fast is tried again
SMALL_STEP = 0.8
NEARLY_HALF = 0.42
WINDOW_S = 1.0
SETTLE_S = 0.25  # answers to what was asked before a window began are on their way so long
FIRST_CALLS = 2.0  # as long as nothing was too fast
WINDOW_CALLS = 5.0  # a window is long enough for so many calls
HORIZON_S = 1.0  # a caller waits so long in its place; for longer, it gives the place to somebody else
MAX_PLACE_S = 30.0  # a slower return would miss a limit that was raised
SLOWEST = 1 / 60.0  # calls a second
CALM_ENDS = 8  # windows without a refusal, and without anybody who had to wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """The pace at which a model is asked: `rate` calls a second, the next one at `next_at`.

    Since `window_at` so many calls were `accepted` and `refused`; `pressed` says that somebody had to wait. `good` is
    the last rate without many refusals, `bad` one with many. Since then `calm` windows had few, and `steps` were made
    past all that is known. `answered_at` is when any worker last heard of an answer.
    """

    rate: float
    next_at: float
    window_at: float
    accepted: int = 0
    refused: int = 0
    pressed: bool = False
    calm: int = 0
    steps: int = 0
    good: float | None = None
    bad: float | None = None
    answered_at: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> "Bucket":
        return cls(**{field.name: raw[field.name] for field in fields(cls) if field.name in raw})


def opened(*, accepted: int, since: float, until: float) -> Bucket:
    """Return the bucket of a model that begins to limit us.

    So many calls were accepted between these two moments, the wait that was told included. Nothing goes out before
    `until`.
    """
    rate = max(accepted, 1) / max(until - since, 0.1)
    return Bucket(rate=max(rate, SLOWEST), next_at=until, window_at=until, steps=FIRST_STEPS)


def joined(bucket: Bucket, other: Bucket) -> Bucket:
    """Two workers found the limit at the same moment, and each saw only what it had asked itself."""
    return replace(bucket, rate=bucket.rate + other.rate, next_at=max(bucket.next_at, other.next_at))


def counted(bucket: Bucket, *, accepted: int, refused: int, now: float) -> Bucket:
    """The bucket after these answers; with another rate, where a window is over."""
    if accepted:
        bucket = replace(bucket, answered_at=now)
    if now < bucket.window_at:  # asked at the rate before this one: places are given ahead
        return bucket
    bucket = replace(bucket, accepted=bucket.accepted + accepted, refused=bucket.refused + refused)
    elapsed = now - bucket.window_at
    calls = bucket.accepted + bucket.refused
    too_fast = bucket.refused > max(1.0, NOISE * calls)
    clear = too_fast and calls >= WINDOW_CALLS and bucket.refused > CLEAR * calls
    needed = WINDOW_CALLS if bucket.bad else FIRST_CALLS
    if not clear and elapsed < max(WINDOW_S, needed / bucket.rate):
        return bucket
    begun = replace(bucket, window_at=max(now, bucket.next_at) + SETTLE_S, accepted=0, refused=0, pressed=False)
    if too_fast:
        return _slower(begun, measured=bucket.accepted / max(elapsed, SETTLE_S))
    calm = replace(begun, calm=bucket.calm + 1, good=bucket.rate)
    return _faster(calm) if bucket.pressed else calm


def _slower(bucket: Bucket, *, measured: float) -> Bucket:
    """Back to what was good. Else to what was answered; but a server that takes one call at a time refuses every second
    one at a rate that is a little too high, so where half was answered a small step is tried first."""
    least = SMALL_STEP if measured > NEARLY_HALF * bucket.rate else 0.5
    rate = bucket.good if bucket.calm and bucket.good else min(bucket.rate, max(measured, least * bucket.rate))
    return replace(bucket, rate=max(rate, SLOWEST), bad=bucket.rate, calm=0, steps=0)


def _faster(bucket: Bucket) -> Bucket:
    if bucket.bad is not None and bucket.bad > bucket.rate * NEAR:
        return replace(bucket, rate=(bucket.rate + bucket.bad) / 2)
    if bucket.bad is not None and bucket.calm < QUIET:
        return bucket
    growth = min(MAX_GROWTH, OVER ** (2.0 ** min(bucket.steps, 5)))
    return replace(bucket, rate=bucket.rate * growth, bad=None, steps=bucket.steps + 1)


def taken(bucket: Bucket, *, now: float, queue: int = 0) -> tuple[Bucket, float]:
    """Take a place for one more call, and return the seconds until then.
    If that is past the horizon, take none: the seconds say when to try again, behind `queue` others that also wait."""
    wait = max(0.0, bucket.next_at - now)
    bucket = replace(bucket, pressed=bucket.pressed or wait > 0)
    if wait > HORIZON_S:
        return bucket, min(MAX_PLACE_S, wait + queue / bucket.rate)
    return replace(bucket, next_at=max(bucket.next_at, now) + 1 / bucket.rate), wait


def paused(bucket: Bucket, *, until: float) -> Bucket:
    """Return the bucket without a request before `until`: the model asked for this pause."""
    return replace(bucket, next_at=max(bucket.next_at, until))


def is_over(bucket: Bucket) -> bool:
    """Tell whether the model takes all that is asked of it again."""
    return bucket.calm >= CALM_ENDS and not bucket.pressed
