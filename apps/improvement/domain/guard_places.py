"""What guards of words share: where a draft has something that the live prompt has not, and a reason there. Pure."""

import re
from collections.abc import Iterator

from apps.improvement.domain.drafts import DraftRefusal, RefusalCode
from apps.improvement.domain.guard_words import folded
from apps.improvement.domain.guarded_text import GuardedText, Place

_ENDS = ".,;:!?"  # of a sentence, not of what it names


def new_places(subject: GuardedText, pattern: re.Pattern[str]) -> Iterator[Place]:
    """What the pattern finds in the draft and not in the live prompt, each once."""
    seen = {found.group().casefold().rstrip(_ENDS) for found in pattern.finditer(folded(subject.live))}
    for found in pattern.finditer(folded(subject.draft)):
        words = found.group().rstrip(_ENDS)
        if words.casefold() not in seen:
            seen.add(words.casefold())
            yield found.start(), found.start() + len(words)


def refused(code: RefusalCode, subject: GuardedText, place: Place, sentence: str) -> DraftRefusal:
    """The reason at this place; `{words}` of the sentence are those that stand there."""
    words = " ".join(subject.draft[slice(*place)].split())
    short = words if len(words) <= 80 else f"{words[:79]}…"
    return DraftRefusal(code=code, sentence=sentence.replace("{words}", short), span=place)
