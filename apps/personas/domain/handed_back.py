"""Detect a customer who speaks the business's lines.

Most of what it says the agent just said, or the agent's own question comes back to it.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from apps.personas.domain.role_breaks import Said
from apps.runs.playing.domain.loops import COMPARED_CHARS, normal

MIN_PAIRS, MAX_OF_THEM = 6, 0.7  # fewer words may be an option that was chosen
MIN_QUESTION, MIN_ECHO = 3, 4  # words
_QUESTION = re.compile(r"[^.!?…\n]+\?")
_YES = frozenset(
    word
    for words in (
        "yes yeah yep ok okay sure correct right no",
        "ndiyo ndio naam sawa hapana",
        "si sì certo esatto va",
    )
    for word in words.split()
)
_COURTESY = frozenset(
    word
    for words in (
        "hi hello hey please good morning day afternoon evening the a",
        "habari salama jambo mambo karibu sana sawa tafadhali naomba",
        "buongiorno buonasera ciao salve prego per favore",
    )
    for word in words.split()
)
_YOURS = frozenset(
    word
    for words in ("your yours you", "lako yako wako chako lenu yenu", "tuo tua suo sua vostro vostra")
    for word in words.split()
)


def handed_back(message: str, agent: Sequence[str], customer: Sequence[str]) -> Said | None:
    """Return the words of a customer's message that are the business's own; None where there are none.

    They are words from the agent's last messages before it, and not from the customer's before those; or a short
    message that repeats the agent's about what is the customer's ("Here's your appointment") word for word. It is
    certain where the message hands back a question about the customer and says nothing else; otherwise the caller has
    to make sure. Pure; microseconds.
    """
    words = _words(message)
    if not words or words[0] in _YES:
        return None
    for question in (one for text in agent for one in _QUESTION.findall(text[:COMPARED_CHARS])):
        theirs = _words(question)
        if len(theirs) < MIN_QUESTION or not _YOURS & set(theirs) or not message.rstrip().endswith("?"):
            continue
        if set(theirs) <= set(words) and set(words) - set(theirs) <= _COURTESY:
            return Said(message.strip(), True)
    if len(words) >= MIN_ECHO and _YOURS & set(words) and any(words == _words(text) for text in agent):
        return Said(message.strip(), False)
    own = _pairs(words)
    word_pairs = {pair for text in agent for pair in _pairs(_words(text))}
    word_pairs -= {pair for text in customer for pair in _pairs(_words(text))}
    if "?" not in message and len(own) >= MIN_PAIRS and len(own & word_pairs) >= MAX_OF_THEM * len(own):
        return Said(message.strip(), False)
    return None


def _words(text: str) -> list[str]:
    plain = text[:COMPARED_CHARS].replace("’", "'").replace("'s ", " is ")
    return normal(plain).split()


def _pairs(words: Iterable[str]) -> set[tuple[str, str]]:
    return set(pairwise(words))
