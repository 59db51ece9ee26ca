"""Parts of the public schema that no migration makes, since they change with the code: functions, so far.

A room registers what makes it; an upgrade does all of it, also where no migration is owed.
"""

from collections.abc import Callable

# Makes what is missing or of another version, outside a transaction; whether it did. Cheap where all stands.
PublicStep = Callable[[], bool]
_STEPS: dict[str, PublicStep] = {}


def register_public_step(name: str, step: PublicStep) -> None:
    """Have each upgrade take this step once the public schema is migrated. The same name again replaces it."""
    _STEPS[name] = step


def take_public_steps() -> bool:
    """Take every step, on the public schema; whether one of them changed anything. Safe to repeat and to race."""
    return any([step() for step in _STEPS.values()])
