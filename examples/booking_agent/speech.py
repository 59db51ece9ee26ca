"""From purposes to words: picks a wording by a seeded hash, fills it in, never the same twice in a row."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from examples.booking_agent.language import Language
from examples.booking_agent.memory import Memory
from examples.booking_agent.wordings import Bank
from examples.booking_agent.wordings.english import ENGLISH
from examples.booking_agent.wordings.faults import FAULTS
from examples.booking_agent.wordings.mixed import MIXED
from examples.booking_agent.wordings.stiff import STIFF_ENGLISH, STIFF_MIXED, STIFF_SWAHILI
from examples.booking_agent.wordings.swahili import SWAHILI

NATURAL: Mapping[Language, Bank] = {Language.ENGLISH: ENGLISH, Language.SWAHILI: SWAHILI, Language.MIXED: MIXED}
STIFF: Mapping[Language, Bank] = {
    Language.ENGLISH: STIFF_ENGLISH,
    Language.SWAHILI: STIFF_SWAHILI,
    Language.MIXED: STIFF_MIXED,
}


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to say: its purpose and the words that fill it in. `repeat` says it word for word as last time."""

    purpose: str
    words: Mapping[str, str] = field(default_factory=dict)
    repeat: bool = False


def say(acts: list[Act], *, memory: Memory, language: Language, stiff: bool, seed: int) -> str:
    """The acts as one text. Changes `memory.used`, the count of wordings taken per purpose."""
    return " ".join(_one(act, memory, language, stiff, seed) for act in acts).strip()


def wordings(purpose: str, language: Language, *, stiff: bool = False) -> tuple[str, ...]:
    """All wordings for a purpose; the stiff register falls back on the faults' own where it has none."""
    bank = STIFF[language] if stiff else NATURAL[language]
    return bank.get(purpose) or FAULTS[language][purpose]


def _one(act: Act, memory: Memory, language: Language, stiff: bool, seed: int) -> str:
    choices = wordings(act.purpose, language, stiff=stiff)
    taken = memory.used.get(act.purpose, 0)
    if not act.repeat:
        memory.used[act.purpose] = taken + 1
    elif taken:
        taken -= 1
    start = hashlib.sha256(f"{seed}|{memory.key}|{act.purpose}".encode()).digest()[0]
    text = choices[(start + taken) % len(choices)].format(**act.words)
    return text[:1].upper() + text[1:]
