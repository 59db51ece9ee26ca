"""The actor of a change: named once at the entry point, read where a change is written down (apps.audit).

Forms: `user amina` · `key rk_1a2b3c4d…` · `webhook key` · `command import_catalog by root` · `task apps.runs.tasks.…`.
User names hold no blank, so none of them can pretend to be another form.
"""

import getpass
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Who = str | Callable[[], str]

_actor: ContextVar[Who] = ContextVar("ratiba_actor", default="")


@contextmanager
def acting(who: Who) -> Iterator[None]:
    """Name the actor of all changes inside the block; the innermost block counts, in this thread or task.

    A callable is asked only when something is written that is kept in the trail: a door need not look up who it is.
    """
    token = _actor.set(who)
    try:
        yield
    finally:
        _actor.reset(token)


def actor_now() -> str:
    """The one at work here, "" where nobody said. May cost what the door's callable costs."""
    who = _actor.get()
    return who if isinstance(who, str) else who()


def os_user() -> str:
    """The user that runs this process, for the audit trail; a container's user may have no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
