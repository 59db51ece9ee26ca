"""Tell whether this worker was told to end, as all processes of its pool see it.

Celery tells its main process only. What is set there stands in a page of memory that the pool's processes inherit when
they are forked: they take up no more work, and what they hold stops at the next good place.
"""

import mmap

_page = mmap.mmap(-1, 1)  # shared with every process that is forked from this one


def announce_shutdown() -> None:
    """Announce that this process and those forked from it end. Safe in a signal handler."""
    _page[0] = 1


def shutting_down() -> bool:
    """Tell whether the shutdown was announced. Takes nanoseconds."""
    return _page[0] == 1
