"""The grid that a set of personas covers: language × goal × temper, and which slot stands where in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from apps.core.errors import BadInput

LANGUAGES = ("en", "sw", "mixed", "it")
TEMPERS = ("friendly", "impatient", "distrustful")  # where none are named
MAX_PERSONAS = 200  # of one set
MAX_VALUES = 20  # of one side of the grid
GOAL_CHARS, TEMPER_CHARS = 300, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaSlot:
    """One persona that is wanted."""

    language: str
    goal: str
    temper: str

    def as_json(self) -> dict[str, str]:
        """The stored form."""
        return {"language": self.language, "goal": self.goal, "temper": self.temper}


def slots_of_grid(*, languages: Any, goals: Any, tempers: Any = (), count: Any = None) -> list[PersonaSlot]:
    """The slots of a set, cell after cell and round again until there are `count` (one a cell where it is None).

    Raises BadInput naming the field: a side that is empty or not a list of texts, an unknown language, a count that
    leaves a cell without a persona or is above MAX_PERSONAS. Pure.
    """
    sides = (
        _side(languages, "languages", limit=20),
        _side(goals, "goals", limit=GOAL_CHARS),
        _side(tempers or TEMPERS, "tempers", limit=TEMPER_CHARS),
    )
    unknown = [side for side in sides[0] if side not in LANGUAGES]
    if unknown:
        raise BadInput(
            f"/languages: {unknown[0]!r} is not spoken here: choose from {', '.join(LANGUAGES)}", pointer="/languages"
        )
    cells = [PersonaSlot(language=lang, goal=goal, temper=temper) for lang, goal, temper in product(*sides)]
    wanted = len(cells) if count is None else _count(count, len(cells))
    if wanted > MAX_PERSONAS:
        raise BadInput(f"/count: {wanted} personas are more than a set may have ({MAX_PERSONAS})", pointer="/count")
    return [cells[at % len(cells)] for at in range(wanted)]


def _count(count: Any, cells: int) -> int:
    if isinstance(count, bool) or not isinstance(count, int):
        raise BadInput("/count: must be a whole number", pointer="/count")
    if count < cells:
        raise BadInput(
            f"/count: {count} personas cannot cover a grid of {cells} cells: ask for at least {cells}, or for fewer "
            "languages, goals or tempers",
            pointer="/count",
        )
    return count


def _side(raw: Any, name: str, *, limit: int) -> tuple[str, ...]:
    pointer = f"/{name}"
    if isinstance(raw, str) or not isinstance(raw, Sequence) or not raw:
        raise BadInput(f"{pointer}: must be a list with at least one entry", pointer=pointer)
    if len(raw) > MAX_VALUES:
        raise BadInput(f"{pointer}: has {len(raw)} entries; {MAX_VALUES} are the most", pointer=pointer)
    values = []
    for at, one in enumerate(raw):
        text = " ".join(one.split()) if isinstance(one, str) else ""
        if not text or len(text) > limit:
            raise BadInput(f"{pointer}/{at}: must be a text of 1 to {limit} characters", pointer=f"{pointer}/{at}")
        if text in values:
            raise BadInput(f"{pointer}/{at}: {text!r} stands twice", pointer=f"{pointer}/{at}")
        values.append(text)
    return tuple(values)
