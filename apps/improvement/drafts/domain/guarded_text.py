"""The texts that the guards of drafts compare: the live prompt, the words that shall replace it, and what must not be
in them. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from apps.improvement.drafts.domain.states import DraftMode, GuardCode, GuardReason

RUN = 8  # words in a row that nobody writes twice by chance
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
_DOTS = str.maketrans(dict.fromkeys("。．․·｡•", "."))
_ENDS = ".,;:!?"  # of a sentence, not of what it names
Place = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardMaterial:
    """Texts that a draft must not borrow, and the tools of the agent.

    `criteria` are names of criteria, `criterion_texts` what judges read; `scenarios` are openings, goals and personas'
    texts, `names` what scenarios and personas are called, `first_names` those of the customers; `transcripts` are
    messages; `tools` those that the agent has.
    """

    criteria: Sequence[str] = ()
    criterion_texts: Sequence[str] = ()
    scenarios: Sequence[str] = ()
    names: Sequence[str] = ()
    first_names: frozenset[str] = frozenset()
    transcripts: Sequence[str] = ()
    tools: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedText:
    """The live prompt and the words that shall replace it. `earlier` are the texts of the same lineage."""

    live: str
    draft: str
    mode: DraftMode = DraftMode.OWN
    earlier: tuple[str, ...] = ()
    material: GuardMaterial = field(default_factory=GuardMaterial)


def folded(text: str) -> str:
    """The text as an eye reads it, letter for letter: full width is narrow, and every sign that looks like one is a
    full stop. As long as before, so that places stay."""
    narrow = (unicodedata.normalize("NFKC", sign) for sign in text)
    return "".join(new if len(new) == 1 else old for old, new in zip(text, narrow, strict=True)).translate(_DOTS)


def new_places(subject: GuardedText, pattern: re.Pattern[str]) -> Iterator[Place]:
    """The places that the pattern finds in the draft and not in the live prompt, each once."""
    seen = {match.group().casefold().rstrip(_ENDS) for match in pattern.finditer(folded(subject.live))}
    for match in pattern.finditer(folded(subject.draft)):
        words = match.group().rstrip(_ENDS)
        if words.casefold() not in seen:
            seen.add(words.casefold())
            yield match.start(), match.start() + len(words)


def reason_at(code: GuardCode, subject: GuardedText, place: Place, sentence: str, *, stops: bool = True) -> GuardReason:
    """Make a guard's reason for this place; `{words}` in the sentence is replaced by the words at the place."""
    words = " ".join(subject.draft[slice(*place)].split())
    short = words if len(words) <= 80 else f"{words[:79]}…"
    return GuardReason(code=code, sentence=sentence.replace("{words}", short), span=place, stops=stops)


def words_of(text: str) -> list[tuple[str, Place]]:
    """The words, folded so that case and the width of letters do not count, and where they stand."""
    return [(_folded(match.group()), match.span()) for match in _WORD.finditer(text)]


def runs_of(words: Sequence[tuple[str, Place]]) -> Iterator[tuple[str, Place]]:
    """Each `RUN` words in a row, and where they stand."""
    for at in range(len(words) - RUN + 1):
        yield " ".join(word for word, _ in words[at : at + RUN]), (words[at][1][0], words[at + RUN - 1][1][1])


def new_runs(subject: GuardedText) -> dict[str, Place]:
    """The runs of the draft that the live prompt does not have."""
    live = {run for run, _ in runs_of(words_of(subject.live))}
    return {run: place for run, place in runs_of(words_of(subject.draft)) if run not in live}


def borrowed(new: dict[str, Place], texts: Iterable[str]) -> Place | None:
    """The first run of the draft that stands in one of the texts. Linear in the texts."""
    shared_runs = [new[run] for text in texts for run, _ in runs_of(words_of(text)) if run in new]
    return min(shared_runs, default=None)


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
