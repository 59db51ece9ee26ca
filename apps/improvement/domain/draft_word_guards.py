"""Guards against words that a draft may not bring along: a judge's, a test's, a person's, or ones that hide. Each looks
at what the live prompt does not have already. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from apps.core.dialogue.language import detect
from apps.core.redaction import normalised, redact
from apps.improvement.domain.drafts import DraftRefusal, RefusalCode
from apps.improvement.domain.guard_words import ADDRESS, OVERRULING, SCORING, folded, hidden_characters, two_scripts
from apps.improvement.domain.guarded_text import GuardedText, Place, borrowed, new_runs, words_of
from apps.improvement.domain.prompt_sections import protected_spans, variables

_ENDS = ".,;:!?"  # of a sentence, not of what it names
MOST = 3  # reasons of one kind
_LEAST_WORDS = 12  # of a text whose language is asked for
_IDENTIFIER = re.compile(
    r"(?<![\w.{$])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w}])|(?<![\w.{$])[A-Za-z]\w+(?=\(\))"
    r"|(?<![\w.{$])[a-z]{2,}(?:[A-Z][a-z0-9]+)+\b|(?<![\w.{$])[a-z]\w+\.[a-z]\w+(?=\()"
)
_ENCODED = re.compile(
    r"[A-Za-z0-9+/_-]{40,}={0,2}|(?:\\x[0-9a-fA-F]{2}){4,}|(?:\\u[0-9a-fA-F]{4}){4,}|(?:&#x?[0-9a-fA-F]+;){4,}"
    r"|(?:%[0-9a-fA-F]{2}){6,}|(?:\b[01]{8}\b\s*){4,}"
)


def word_refusals(subject: GuardedText) -> list[DraftRefusal]:
    """Why these words are refused; [] where nothing speaks against them."""
    return [one for guard in _GUARDS for one in list(guard(subject))[:MOST]]


def _judge_words(subject: GuardedText) -> Iterator[DraftRefusal]:
    place = borrowed(new_runs(subject), subject.material.criterion_texts)
    if place:
        yield _of(
            RefusalCode.JUDGE_WORDS, subject, place,
            "These are a criterion's own words, “{words}”: a prompt that repeats what the judge reads helps no "
            "customer. Say what the agent shall do in other words.",
        )  # fmt: skip
    for place in _new(subject, SCORING):
        yield _of(
            RefusalCode.JUDGE_WORDS, subject, place,
            "“{words}” speaks of being scored: an agent does not know that it is judged. Take it out.",
        )  # fmt: skip
    names = {name.casefold() for name in subject.material.criteria if _IDENTIFIER.fullmatch(name) or "-" in name}
    for place in _named(subject, names):
        yield _of(RefusalCode.JUDGE_WORDS, subject, place, "“{words}” is the name of a criterion: take it out.")


def _transcript_words(subject: GuardedText) -> Iterator[DraftRefusal]:
    place = borrowed(new_runs(subject), subject.material.transcripts)
    if place:
        yield _of(
            RefusalCode.TRANSCRIPT_WORDS, subject, place,
            "“{words}” was said in a conversation: a prompt that holds a test's words passes that test alone. Say it "
            "in general.",
        )  # fmt: skip


def _scenario_words(subject: GuardedText) -> Iterator[DraftRefusal]:
    place = borrowed(new_runs(subject), subject.material.scenarios)
    if place:
        yield _of(
            RefusalCode.SCENARIO_WORDS, subject, place,
            "“{words}” stands in a scenario or a persona: a prompt that holds a test's words passes that test alone. "
            "Say it in general.",
        )  # fmt: skip


def _persona_name(subject: GuardedText) -> Iterator[DraftRefusal]:
    names = {name.casefold() for name in subject.material.names if re.search(r"[\s_-]", name.strip())}
    for place in _named(subject, names):
        yield _of(
            RefusalCode.PERSONA_NAME, subject, place, "“{words}” is the name of a test or its customer: take it out."
        )  # fmt: skip


def _new_address(subject: GuardedText) -> Iterator[DraftRefusal]:
    for place in _new(subject, ADDRESS):
        yield _of(
            RefusalCode.NEW_ADDRESS, subject, place,
            "The live prompt has no address “{words}”: customers would be sent there. Take it out, or have it recorded "
            "with the live prompt first.",
        )  # fmt: skip


def _personal_data(subject: GuardedText) -> Iterator[DraftRefusal]:
    """What the masking floor masks, and the live prompt does not have."""
    live, at = normalised(subject.live), 0
    for line in subject.draft.splitlines(keepends=True):
        masked = redact(line)
        hidden = [word for word in line.split() if normalised(word) not in masked and normalised(word) not in live]
        if hidden and masked != normalised(line):
            start = at + line.index(hidden[0])
            yield DraftRefusal(
                code=RefusalCode.PERSONAL_DATA,
                sentence="A phone number, an address or another number of a person stands here: no prompt names one.",
                span=(start, start + len(hidden[0])),
            )
        at += len(line)


def _hidden_characters(subject: GuardedText) -> Iterator[DraftRefusal]:
    live = Counter(sign for _, sign in hidden_characters(subject.live))
    for at, sign in hidden_characters(subject.draft):
        if live[sign]:
            live[sign] -= 1
            continue
        sentence = f"A character that nobody sees (U+{ord(sign):04X}) stands here: take it out."
        yield DraftRefusal(code=RefusalCode.HIDDEN_CHARACTERS, sentence=sentence, span=(at, at + 1))
        return
    known = {subject.live[slice(*place)] for place in two_scripts(subject.live)}
    for place in two_scripts(subject.draft):
        if subject.draft[slice(*place)] not in known:
            yield _of(
                RefusalCode.HIDDEN_CHARACTERS, subject, place,
                "“{words}” has letters of two scripts that look alike: write it in one.",
            )  # fmt: skip
            return


def _overruling(subject: GuardedText) -> Iterator[DraftRefusal]:
    """Words beside a protected section that take it back."""
    if not protected_spans(subject.live):
        return
    for place in _new(subject, OVERRULING):
        yield _of(
            RefusalCode.PROTECTED_SPAN, subject, place,
            "“{words}” takes back what other parts of the prompt say, and some of them are protected: say what holds, "
            "and leave them as they are.",
        )  # fmt: skip


def _encoded_text(subject: GuardedText) -> Iterator[DraftRefusal]:
    for place in _new(subject, _ENCODED):
        text = subject.draft[slice(*place)]
        if "\\" in text or "&" in text or "%" in text or (re.search(r"\d", text) and re.search(r"[A-Za-z]", text)):
            yield _of(
                RefusalCode.ENCODED_TEXT, subject, place, "“{words}” cannot be read by a person: write what it means."
            )  # fmt: skip


def _unknown_tool(subject: GuardedText) -> Iterator[DraftRefusal]:
    known = {
        name.casefold() for name in (*subject.material.tools, *subject.material.criteria, *variables(subject.draft))
    }
    for place in _new(subject, _IDENTIFIER):
        if subject.draft[slice(*place)].casefold() not in known:
            yield _of(
                RefusalCode.UNKNOWN_TOOL, subject, place,
                "Neither the live prompt nor the agent has a tool “{words}”: the agent would make it up. Add it to the "
                "agent first, or take it out.",
            )  # fmt: skip


def _language_changed(subject: GuardedText) -> Iterator[DraftRefusal]:
    """Of what is not protected. Two languages mixed count where most of the live prompt's words went."""
    live, draft = ([word for word, _ in words_of(_open_text(text))] for text in (subject.live, subject.draft))
    if min(len(live), len(draft)) < _LEAST_WORDS:
        return
    was, now = detect(live), detect(draft)
    kept = (Counter(live) & Counter(draft)).total()
    if was and now and was != now and ("mixed" not in (was, now) or kept < len(live) / 2):
        sentence = f"The live prompt is written in “{was}”, this draft in “{now}”: keep the language of the prompt."
        yield DraftRefusal(code=RefusalCode.LANGUAGE_CHANGED, sentence=sentence)


def _open_text(text: str) -> str:
    """What may be changed."""
    for span in protected_spans(text):
        text = text.replace(span, "\n", 1)
    return text


def _new(subject: GuardedText, pattern: re.Pattern[str]) -> Iterator[Place]:
    """What the pattern finds in the draft and not in the live prompt, each once."""
    seen = {found.group().casefold().rstrip(_ENDS) for found in pattern.finditer(folded(subject.live))}
    for found in pattern.finditer(folded(subject.draft)):
        words = found.group().rstrip(_ENDS)
        if words.casefold() not in seen:
            seen.add(words.casefold())
            yield found.start(), found.start() + len(words)


def _named(subject: GuardedText, names: set[str]) -> Iterator[Place]:
    """Where one of these names stands as a whole, and the live prompt does not have it."""
    live, draft = subject.live.casefold(), subject.draft.casefold()
    if len(draft) != len(subject.draft):
        draft = subject.draft.lower() if len(subject.draft.lower()) == len(subject.draft) else subject.draft
    for name in sorted(names):
        if name in draft and name not in live:
            found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", draft)
            if found:
                yield found.span()


def _of(code: RefusalCode, subject: GuardedText, place: Place, sentence: str) -> DraftRefusal:
    words = " ".join(subject.draft[slice(*place)].split())
    short = words if len(words) <= 80 else f"{words[:79]}…"
    return DraftRefusal(code=code, sentence=sentence.replace("{words}", short), span=place)


_GUARDS: tuple[Callable[[GuardedText], Iterator[DraftRefusal]], ...] = (
    _judge_words, _transcript_words, _scenario_words, _persona_name, _new_address, _personal_data, _hidden_characters,
    _overruling, _encoded_text, _unknown_tool, _language_changed,
)  # fmt: skip
