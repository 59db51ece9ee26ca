"""From purposes to words: picks a wording by a seeded hash, fills it in, never the same twice in a row."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from examples.booking_agent.language import Language
from examples.booking_agent.memory import Memory
from examples.booking_agent.phrase_sets import PhraseSet, phrases_of


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to say: its purpose and the words that fill it in. `repeat` says it word for word as last time."""

    purpose: str
    words: Mapping[str, str] = field(default_factory=dict)
    repeat: bool = False


def say(
    acts: list[Act],
    *,
    memory: Memory,
    language: Language,
    stiff: bool,
    seed: int,
    phrase_set: PhraseSet = PhraseSet.BASELINE,
) -> str:
    """The acts as one text. Changes `memory.used`, the count of phrases taken per purpose."""
    texts = []
    for act in acts:
        choices = phrases_for(act.purpose, language, stiff=stiff, phrase_set=phrase_set)
        texts.append(_one(act, choices, memory, seed))
    return " ".join(texts).strip()


def phrases_for(
    purpose: str, language: Language, *, stiff: bool = False, phrase_set: PhraseSet = PhraseSet.BASELINE
) -> tuple[str, ...]:
    """All phrases for a purpose; the stiff register falls back on the faults' own where it has none."""
    spoken = phrases_of(phrase_set)
    bank = spoken.stiff[language] if stiff else spoken.natural[language]
    return bank.get(purpose) or spoken.faults[language][purpose]


def _one(act: Act, choices: tuple[str, ...], memory: Memory, seed: int) -> str:
    taken = memory.used.get(act.purpose, 0)
    if not act.repeat:
        memory.used[act.purpose] = taken + 1
    elif taken:
        taken -= 1
    start = hashlib.sha256(f"{seed}|{memory.key}|{act.purpose}".encode()).digest()[0]
    text = choices[(start + taken) % len(choices)].format(**act.words)
    return text[:1].upper() + text[1:]
