"""The masking of a vertical beyond the floor. The floor is all that spa, salon and barbershop need; for health and law
nobody has decided yet what has to go, so nothing of theirs leaves (brief 000 §4)."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType

from apps.core.errors import BadInput

FLOOR_IS_ENOUGH = frozenset({"spa", "salon", "barbershop"})
NEEDS_A_DECISION = frozenset({"dental", "physio", "medical", "legal"})

VerticalMasking = Callable[[str], Awaitable[str]]
# Masking of a vertical's own, once somebody has decided what it is: its word, and what it does to a blob.
EXTRAS: Mapping[str, VerticalMasking] = MappingProxyType({})


async def apply(blob: str, vertical: str) -> str:
    """The blob, masked by the floor already, with the vertical's own masking. Pure, may be repeated.

    Raises NotImplementedError for dental, physio, medical and legal; BadInput (`unknown_vertical`) for a word that is
    on no list, since nobody can say whether the floor is enough for it.
    """
    if vertical in EXTRAS:
        return await EXTRAS[vertical](blob)
    if vertical in NEEDS_A_DECISION:
        raise NotImplementedError(
            f"Vertical '{vertical}' requires the future privacy ADR's masking rules. "
            "Promotion blocked until those are defined."
        )
    if vertical not in FLOOR_IS_ENOUGH:
        known = ", ".join(sorted(FLOOR_IS_ENOUGH))
        raise BadInput(
            f"{vertical!r} is no vertical whose masking is known, so nothing of it may leave: it is one of {known}, "
            "or its masking has to be decided first.",
            code="unknown_vertical",
            pointer="/vertical",
        )
    return blob
