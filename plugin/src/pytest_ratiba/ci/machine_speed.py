"""Measure the speed of this machine, so that times of two plays may be compared.
The measure is the time of a loop of the same work."""

import time

_ROUNDS, _STEPS = 40, 50_000


def loop_ms() -> float:
    """The fastest of forty rounds: what the machine can do, whoever else is on it for a moment. Takes a tenth of a
    second."""
    return min(_round() for _ in range(_ROUNDS))


def _round() -> float:
    begun, value = time.perf_counter(), 0
    for step in range(_STEPS):
        value = (value * 31 + step) % 1_000_003
    return (time.perf_counter() - begun) * 1000
