"""What the agent says, by register, language and purpose: one YAML file for each set of phrases.

Several phrases for each purpose; `speech.py` picks one by a seeded hash.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import yaml

from examples.booking_agent.language import Language

Bank = Mapping[str, tuple[str, ...]]


class PhraseSet(StrEnum):
    """Whose words the agent speaks: the name of a file in this folder.

    `held_out` was never used to tune a rule of the offline judge.
    """

    BASELINE = "baseline"
    ALTERNATE = "alternate"
    HELD_OUT = "held_out"


@dataclass(frozen=True, slots=True)
class Phrases:
    """One set: the natural register, the stiff one, and what the weaknesses say; purpose -> phrases."""

    natural: Mapping[Language, Bank]
    stiff: Mapping[Language, Bank]
    faults: Mapping[Language, Bank]


@cache
def phrases_of(name: PhraseSet) -> Phrases:
    """The phrases of a set. Its file is read once a process, and no other's. Raises KeyError where it is not whole."""
    text = (Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")
    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe loaders
    return Phrases(**{register: _banks(document[register]) for register in ("natural", "stiff", "faults")})


def _banks(register: Mapping[str, Mapping[str, list[str]]]) -> Mapping[Language, Bank]:
    return {
        language: {purpose: tuple(phrases) for purpose, phrases in register[language].items()} for language in Language
    }
