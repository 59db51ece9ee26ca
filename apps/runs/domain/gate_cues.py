"""The words of a reply that will be there again in the next run, as small regular expressions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

MAX_TEXT = 20_000
MIN_SINGLE = 6  # letters of a word that may stand as a cue alone
MIN_LAST_RESORT = 4  # the same, where a reply has nothing better
MAX_PHRASE = 4  # words of a phrase
MAX_CUES = 24
MAX_PHRASES = 2 * MAX_CUES  # some are headings or choices already

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TOKEN = re.compile(
    r"(?P<word>[^\W\d_]+(?:['’-][^\W\d_]+)*)|(?P<figure>[^\W\d]{0,40}+\d\w*)|(?P<end>[.!?:;\n]+)|(?P<quote>[\"“”'‘’«»])"
)
_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<hash>[^\n]{3,80})|\*\*(?P<bold>[^*\n]{3,80})\*\*:?[ \t]*)$", re.MULTILINE
)
_INTRODUCED = re.compile(
    r"\b(?:name is|name's|i am|i'm|this is|naitwa|jina langu ni|mi chiamo|sono)\s+(\w+)", re.IGNORECASE
)
# Who is greeted in a heading, or did it: in title case a name looks like any other word.
_GREETED = re.compile(
    r"(?:^|\b)(?:[Hh]ello|[Hh]i|[Hh]ey|[Ww]elcome|[Dd]ear|[Hh]abari|[Kk]aribu|[Cc]iao|[Bb]envenut[oa]|[Bb]y|[Tt]hanks?,?)"
    r"(?:\s+[Bb]ack)?,?((?:\s+[^\W\d_a-z][\w'’-]{1,40}){1,3})"
)
_CHOICE = re.compile(r"\b([^\W\d_]{2,14})\s?/\s?([^\W\d_]{2,14})\b")
_GAP = r"[\W_]{1,6}"
_STOP_WORDS = """
    a an and are as at be been but by can could did do does for from had has have he her here him his how i if in is
    it its just let like may me more my no not of on one or our please she should so some that the their them then there
    these they this to too up us past very was we were what when where which who will with would yes you your
    na ya wa kwa ni la za cha vya katika hii hiyo hizi huyo yako yangu yake wewe mimi sisi je ndiyo hapana kama au pia
    tu sana kwamba ili bado sasa tafadhali asante
    il lo la i gli le un una uno di da del della dei per con su che chi non si sono sei è e o ma anche come più tuo tua
    suo sua mi ti ci vi questo questa quello sì grazie
"""
_TIME_WORDS = """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december today tomorrow tonight yesterday morning afternoon evening am pm
    jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili leo kesho jana asubuhi mchana jioni usiku saa
    lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio marzo aprile maggio giugno luglio agosto
    settembre ottobre novembre dicembre oggi domani ieri mattina pomeriggio sera hello hi hey habari ciao
    hours hour minutes minute dollars credits kes ksh shillings bob
    half quarter noon midnight nusu mezzogiorno mezzanotte
    two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand
    moja mbili tatu nne tano sita saba nane tisa kumi tre quattro cinque sette otto nove dieci
"""
_STOP, _TIMES = frozenset(_STOP_WORDS.split()), frozenset(_TIME_WORDS.split())


@dataclass(frozen=True, slots=True)
class Cue:
    """A piece of pattern and the words it holds on to, in small letters."""

    pattern: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    sentence: int
    stable: bool  # it will be there again
    telling: bool  # stable, and no word that is in every reply


def varying_words(turns: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Words that belong to this one run: names (capitals within a sentence) and what tools were given or gave back."""
    names: set[str] = set()
    plain: set[str] = set()
    introduced: set[str] = set()
    for turn in turns:
        content = str(turn.get("content") or "")[:MAX_TEXT]
        if turn.get("role") == "tool":
            names.update(word.casefold() for word in _values(content))
            continue
        for call in turn.get("tool_calls") or ():
            names.update(word.casefold() for word in _strings(call.get("arguments")))
        if turn.get("role") == "user":
            introduced.update(word.casefold() for word in _INTRODUCED.findall(content))
        for heading in _HEADING.finditer(content):
            for people in _GREETED.findall(heading["hash"] or heading["bold"]):
                introduced.update(word.casefold() for word in _WORD.findall(people))
        body = _HEADING.sub("\n", content)
        for start, word in _words(body):
            if word[0].isupper() and not start and word != "I":
                names.add(word.casefold())
            elif word[0].islower():
                plain.add(word.casefold())
    # "Book" in a title and "book" in a sentence are the same word; "Amina" is never written small.
    return frozenset(names - (plain - _tool_words(turns))) | (introduced - _STOP)


def _tool_words(turns: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    calls = (call for turn in turns for call in turn.get("tool_calls") or ())
    return frozenset(word.casefold() for call in calls for word in _strings(call.get("arguments")))


@lru_cache(maxsize=256)
def cues(text: str, varying: frozenset[str]) -> tuple[Cue, ...]:
    """Return pieces of pattern for a reply, the best first.

    They are headings, choice prompts, phrases of questions, other phrases, single telling words. Cached: a session is
    sensed for each gate that must be narrowed.
    """
    text = text[:MAX_TEXT]
    candidates = dict.fromkeys([*_headings(text, varying), *_choices(text), *_phrases(text, varying, MIN_SINGLE)])
    return tuple(candidates or dict.fromkeys(_phrases(text, varying, MIN_LAST_RESORT)))[:MAX_CUES]


def has_heading(text: str) -> bool:
    """Tell whether a Markdown heading stands in it: what an agent heads its replies with is a fixed text of its own."""
    return _HEADING.search(text[:MAX_TEXT]) is not None


@lru_cache(maxsize=256)
def telling_words(text: str, varying: frozenset[str]) -> tuple[Cue, ...]:
    """The reply's single telling words of MIN_LAST_RESORT letters and more, the longest first, MAX_CUES at most. Cached
    as `cues` is."""
    tokens = _tokens(text[:MAX_TEXT], varying)
    words = dict.fromkeys(
        word.text.casefold() for word in tokens if word and word.telling and len(word.text) >= MIN_LAST_RESORT
    )
    return tuple(_cue([word]) for word in sorted(words, key=len, reverse=True)[:MAX_CUES])


def _headings(text: str, varying: frozenset[str]) -> Iterator[Cue]:
    for match in _HEADING.finditer(text):
        words = _tokens(match["hash"] or match["bold"], varying, titled=True)
        for run in _runs(words):
            if any(word.telling for word in run):
                yield _cue([word.text for word in run[:MAX_PHRASE]])


def _choices(text: str) -> Iterator[Cue]:
    for match in _CHOICE.finditer(text):
        first, second = match.groups()
        if first.casefold() not in _TIMES and second.casefold() not in _TIMES:
            words = frozenset({first.casefold(), second.casefold()})
            yield Cue(rf"\b{re.escape(first)}\s?/\s?{re.escape(second)}\b", words)


def _phrases(text: str, varying: frozenset[str], min_single: int) -> Iterator[Cue]:
    """The best MAX_PHRASES different ones."""
    words = _tokens(text, varying)
    question_numbers = {number for number, sentence in enumerate(_sentences(text)) if sentence.rstrip().endswith("?")}
    ranked: list[tuple[tuple[int, int], int, tuple[str, ...]]] = []
    for run in _runs(words):
        for start in range(len(run)):
            for length in range(1, MAX_PHRASE + 1):
                piece = run[start : start + length]
                if len(piece) < length or not piece[0].telling or not piece[-1].telling:
                    continue
                telling_words = sum(word.telling for word in piece)
                if length == 1 and len(piece[0].text) < min_single:
                    continue
                # two or three telling words hold best; a question is what the next turn answers
                rank = (0 if telling_words in (2, 3) else 1, 0 if piece[0].sentence in question_numbers else 1)
                ranked.append((rank, -sum(len(word.text) for word in piece), tuple(word.text for word in piece)))
    best = dict.fromkeys(words for _, _, words in sorted(ranked, key=lambda item: item[:2]))
    return (_cue(words) for words in islice(best, MAX_PHRASES))


def _cue(words: Sequence[str]) -> Cue:
    escaped = (re.sub(r"['’]", "['’]", re.escape(word).replace(r"\-", "-")) for word in words)
    telling = frozenset(word.casefold() for word in words if word.casefold() not in _STOP)
    return Cue(rf"\b{_GAP.join(escaped)}\b", telling or frozenset(word.casefold() for word in words))


def _runs(words: Sequence[_Word | None]) -> Iterator[list[_Word]]:
    """Stretches of stable words within one sentence."""
    run: list[_Word] = []
    for word in [*words, None]:
        if word is not None and word.stable and (not run or run[-1].sentence == word.sentence):
            run.append(word)
            continue
        if run:
            yield run
        run = [word] if word is not None and word.stable else []


def _tokens(text: str, varying: frozenset[str], *, titled: bool = False) -> list[_Word | None]:
    """The words in order; None where a figure, a quotation mark or the end of a sentence parts them."""
    tokens: list[_Word | None] = []
    sentence, first = 0, True
    shouted = text.isupper()  # all in capitals: they say nothing about names
    for match in _TOKEN.finditer(text):
        if match["word"] is None:
            tokens.append(None)
            if match["end"]:
                sentence, first = sentence + 1, True
            continue
        word = match["word"]
        folded = word.casefold()
        name = word[0].isupper() and not first and not (titled or shouted) and word != "I"
        greeted = word[0].isupper() and first and text[match.end() : match.end() + 1] == ","
        stable = not (name or greeted or folded in varying or folded in _TIMES)
        telling = stable and folded not in _STOP and len(folded) > 2
        tokens.append(_Word(word, sentence, stable, telling))
        first = False
    return tokens


def _words(text: str) -> Iterator[tuple[bool, str]]:
    """(whether it begins a sentence, word)."""
    first = True
    for match in _TOKEN.finditer(text):
        if match["word"]:
            yield first, match["word"]
            first = False
        elif match["end"]:
            first = True


def _sentences(text: str) -> list[str]:
    """Pieces numbered as `_tokens` numbers them, each with the signs that end it."""
    ends = [match.end() for match in _TOKEN.finditer(text) if match["end"]]
    starts = [0, *ends]
    return [text[start:end] for start, end in zip(starts, [*ends, len(text)], strict=True)]


def _values(content: str) -> Iterator[str]:
    try:
        yield from _strings(json.loads(content))
    except (ValueError, RecursionError):
        yield from _WORD.findall(content) if len(content) < 200 else ()


def _strings(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            if len(node) < 80:  # a name, a place, a label; longer texts are sentences
                yield from _WORD.findall(node)
        elif isinstance(node, Mapping):
            stack.extend(node.values())
        elif isinstance(node, (list, tuple)):
            stack.extend(node)
