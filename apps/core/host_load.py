"""Load of the machine, recorded beside the times that were measured on it."""

import os


def load_per_processor() -> float | None:
    """The load of the last minute for each processor (1.0: each has one program to run); None where the system does not
    tell. Microseconds."""
    try:
        return round(os.getloadavg()[0] / (os.cpu_count() or 1), 2)
    except OSError:
        return None
