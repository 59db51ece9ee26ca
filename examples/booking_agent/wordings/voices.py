"""The agent's voices, one package each with the same modules and constants; the first is the default."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import Any

from examples.booking_agent.language import Language
from examples.booking_agent.wordings import Bank


class Voice(StrEnum):
    """Whose words the agent speaks: the name of the package they are in.

    The later ones were written without knowing
    the offline judge's word lists.
    """

    FIRST = "first"
    SECOND = "second"
    THIRD = "third"
    FOURTH = "fourth"
    FIFTH = "fifth"
    SIXTH = "sixth"
    SEVENTH = "seventh"
    EIGHTH = "eighth"
    NINTH = "ninth"
    TENTH = "tenth"
    ELEVENTH = "eleventh"


@dataclass(frozen=True, slots=True)
class Wordings:
    """One voice: its natural register, its stiff one, and what its weaknesses say; purpose -> wordings."""

    natural: Mapping[Language, Bank]
    stiff: Mapping[Language, Bank]
    faults: Mapping[str, Bank]


class _Voices(Mapping[Voice, Wordings]):
    """Every voice by name. A voice's modules are imported when it is first asked for, and no others'."""

    def __getitem__(self, voice: Voice) -> Wordings:
        return _loaded(voice)

    def __iter__(self) -> Iterator[Voice]:
        return iter(Voice)

    def __len__(self) -> int:
        return len(Voice)


@cache
def _loaded(voice: Voice) -> Wordings:
    """The banks of one voice's package. Raises ModuleNotFoundError or AttributeError where it is not whole."""

    def bank(module: str, constant: str) -> Any:  # a bank or, for the faults, one for each language
        return getattr(import_module(f"{__package__}.{voice}.{module}"), constant)

    return Wordings(
        natural={
            Language.ENGLISH: bank("english", "ENGLISH"),
            Language.SWAHILI: bank("swahili", "SWAHILI"),
            Language.MIXED: bank("mixed", "MIXED"),
        },
        stiff={
            Language.ENGLISH: bank("stiff", "STIFF_ENGLISH"),
            Language.SWAHILI: bank("stiff", "STIFF_SWAHILI"),
            Language.MIXED: bank("stiff", "STIFF_MIXED"),
        },
        faults=bank("faults", "FAULTS"),
    )


VOICES: Mapping[Voice, Wordings] = _Voices()
