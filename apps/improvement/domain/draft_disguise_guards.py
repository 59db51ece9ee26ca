"""Guards against words that hide what they say from a person, and against ones that loosen what is protected. Each
looks at what the live prompt does not have already. Pure."""

import re
import unicodedata
from collections.abc import Iterator

from apps.improvement.domain.drafts import DraftRefusal, RefusalCode
from apps.improvement.domain.guard_places import new_places, refused
from apps.improvement.domain.guard_readings import decoded_tokens, readings
from apps.improvement.domain.guard_words import (
    MAY,
    NEGATION,
    OVERRULING,
    SCORING,
    folded,
    hidden_characters,
    two_scripts,
)
from apps.improvement.domain.guarded_text import GuardedText, words_of
from apps.improvement.domain.prompt_sections import protected_spans

_ENCODED = re.compile(
    r"(?:\\x[0-9a-fA-F]{2}){4,}|(?:\\u[0-9a-fA-F]{4}){4,}|&#x?[0-9a-fA-F]+;|(?:%[0-9a-fA-F]{2}){6,}"
    r"|(?:\b0x[0-9a-fA-F]{2}\b[\s,]*){4,}|(?<!\w)(?:[0-9a-f]{2}[\s,]+){7,}[0-9a-f]{2}(?!\w)"
    r"|(?:\b[01]{8}\b\s*){4,}|[\u0250-\u02af]\S*"  # phonetic letters are others, upside down
    r"|(?<![A-Za-z0-9+/_-])(?=[A-Za-z+/_-]*\d)(?=[\d+/_-]*[A-Za-z])[A-Za-z0-9+/_-]{40,}={0,2}"
    r"|(?<!\S)(?=[./ ]*-)(?=[-/ ]*\.)(?:[.-]{1,5}[ /]+){5,}[.-]{1,5}(?!\S)"  # Morse
)
_SENTENCE = re.compile(r"[^.!?;\n]+")
_RARE_LETTERS = 3


def hidden_character_refusals(subject: GuardedText) -> Iterator[DraftRefusal]:
    """Characters that nobody sees, and letters of two scripts in one word."""
    live = list(sign for _, sign in hidden_characters(subject.live))
    for at, sign in hidden_characters(subject.draft):
        if sign in live:
            live.remove(sign)
            continue
        sentence = f"A character that nobody sees (U+{ord(sign):04X}) stands here: take it out."
        yield DraftRefusal(code=RefusalCode.HIDDEN_CHARACTERS, sentence=sentence, span=(at, at + 1))
        return
    known = {subject.live[slice(*place)] for place in two_scripts(subject.live)}
    for place in two_scripts(subject.draft):
        if subject.draft[slice(*place)] not in known:
            yield refused(
                RefusalCode.HIDDEN_CHARACTERS, subject, place,
                "“{words}” has letters of two scripts that look alike: write it in one.",
            )  # fmt: skip
            return


def encoded_refusals(subject: GuardedText) -> Iterator[DraftRefusal]:
    """What a person cannot read as it stands, and what speaks of the judge or against other parts once it is read."""
    known = {subject.live[slice(*place)] for place in decoded_tokens(subject.live)}
    hidden = [place for place in decoded_tokens(subject.draft) if subject.draft[slice(*place)] not in known]
    found = sorted({*new_places(subject, _ENCODED), *hidden})
    for place in found:
        yield refused(
            RefusalCode.ENCODED_TEXT, subject, place, "“{words}” cannot be read by a person: write what it means."
        )  # fmt: skip
    if not found:
        yield from _read_otherwise(subject)


def _read_otherwise(subject: GuardedText) -> Iterator[DraftRefusal]:
    live = dict(readings(folded(subject.live)))
    for name, text in readings(folded(subject.draft)):
        known = {one.casefold() for one in _telling(live.get(name, subject.live))} | {
            one.casefold() for one in _telling(folded(subject.draft))
        }
        for words in _telling(text):
            if words.casefold() not in known:
                sentence = f"Read {name}, this draft says “{words}”: write what it means, where a person can read it."
                yield DraftRefusal(code=RefusalCode.ENCODED_TEXT, sentence=sentence)
                return


def _telling(text: str) -> Iterator[str]:
    """Words that no honest draft hides."""
    for pattern in (SCORING, OVERRULING):
        yield from (found.group() for found in pattern.finditer(text))


def overruling_refusals(subject: GuardedText) -> Iterator[DraftRefusal]:
    """Words beside a protected section that take it back, in general or by allowing what it speaks of."""
    protected = protected_spans(subject.live)
    if not protected:
        return
    for place in new_places(subject, OVERRULING):
        yield refused(
            RefusalCode.PROTECTED_SPAN, subject, place,
            "“{words}” takes back what other parts of the prompt say, and some of them are protected: say what holds, "
            "and leave them as they are.",
        )  # fmt: skip
    yield from _loosened(subject, protected)


def _loosened(subject: GuardedText, protected: tuple[str, ...]) -> Iterator[DraftRefusal]:
    """A new sentence that allows something with a word which the live prompt has in a protected section alone."""
    elsewhere = subject.live
    for span in protected:
        elsewhere = elsewhere.replace(span, "\n", 1)
    rare = {word for span in protected for word, _ in words_of(span) if len(word) >= _RARE_LETTERS}
    rare -= {word for word, _ in words_of(elsewhere)}
    known = {" ".join(found.group().split()) for found in _SENTENCE.finditer(subject.live)}
    kept = protected_spans(subject.draft)
    for found in _SENTENCE.finditer(subject.draft):
        sentence = found.group()
        if any(sentence in span for span in kept):
            continue
        if " ".join(sentence.split()) in known or not MAY.search(sentence) or NEGATION.search(sentence):
            continue
        if rare & {word for word, _ in words_of(sentence)} - _SMALL_WORDS:
            yield refused(
                RefusalCode.PROTECTED_SPAN, subject, found.span(),
                "“{words}” allows something that a protected part of the live prompt speaks of: leave it to that part.",
            )  # fmt: skip


_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "and are for from has have her his its not our she than that the them then they this what when where which who "
        "will with you your all any ask give say tell never always customer customers kwa kama hii yake wake mteja "
        "wateja che con del dei per una non mai cliente clienti",
    )
)


def without_keycaps(text: str) -> str:
    """The digits of an emoji's keys, as they are read."""
    return "".join(sign for sign in text if sign not in "\ufe0f\u20e3" and unicodedata.category(sign) != "Me")
