"""Guards against words that a draft may not bring along: a test's, a person's, an address, what nobody can read. Each
looks at what the live prompt does not have already. Pure."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from apps.core.redaction import normalised, redact
from apps.improvement.drafts.domain.disguised_text import escaped_words, hidden_characters, two_scripts
from apps.improvement.drafts.domain.guarded_text import GuardedText, borrowed, new_places, new_runs, reason_at
from apps.improvement.drafts.domain.states import GuardCode, GuardReason

_MARKS = re.compile(r"[*`~\\]+|(?<![^\W_])_|_(?![^\W_])|</?[a-z]+>|(?<=\w)-\n\s*(?=\w)", re.IGNORECASE)
_ENDING = (
    "com|org|net|info|biz|io|co|app|dev|ai|link|ly|site|shop|online|xyz|zip|mov|top|store|tech|cloud|live|click|page"
    "|africa|co\\.ke|or\\.ke|go\\.ke|ke|tz|ug|rw|ng|za|eu|it|me|de|fr|uk|us|ch|no|se|es|nl|ru|cn|рф"
)
_ADDRESS = re.compile(
    r"\b[A-Za-z][A-Za-z+]{1,9}://[^\s<>\"'\])]+|\bwww\.[^\s<>\"'\])]+|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])"
    rf"|(?<![\w@.-])(?:[\w-]{{2,63}}\.){{1,4}}(?:{_ENDING})(?:/[^\s<>\"'\])]*|(?![\w@-]))"
    r"|(?<![:\w/])//[A-Za-z0-9][\w.-]*(?:/[^\s<>\"'\])]*)?",
    re.IGNORECASE,
)
_PERSONS_MASK = re.compile(r"<(?:email|wa_user|kra_pin)>|\*{2,3} \*{3}")  # a long number alone may be a business's


def word_refusals(subject: GuardedText) -> Iterator[GuardReason]:
    """Return why these words are refused; nothing where none of them is borrowed, a person's or hidden."""
    for guard in _GUARDS:
        yield from guard(subject)


def _judge_words(subject: GuardedText) -> Iterator[GuardReason]:
    yield from _copies_of(
        subject,
        GuardCode.JUDGE_WORDS,
        subject.material.criterion_texts,
        "These are a criterion's own words, “{words}”: a prompt that repeats what the judge reads helps no "
        "customer. Say what the agent shall do in other words.",
    )
    for place in new_places(subject, _identifiers(subject.material.criteria)):
        yield reason_at(GuardCode.JUDGE_WORDS, subject, place, "“{words}” is the name of a criterion: take it out.")


def _identifiers(names: Iterable[str]) -> re.Pattern[str]:
    """Names of criteria of several parts in spellings that are no plain English."""
    parts = [[re.escape(part) for part in re.split(r"[_\W]+", name) if part] for name in names]
    spelled = [(r"(?:\\?_|-)?" if len(words) > 2 else r"\\?_").join(words) for words in parts if len(words) > 1]
    return re.compile(rf"(?<!\w)(?:{'|'.join(spelled)})(?!\w)" if spelled else r"(?!)", re.IGNORECASE)


def _transcript_words(subject: GuardedText) -> Iterator[GuardReason]:
    yield from _copies_of(
        subject,
        GuardCode.TRANSCRIPT_WORDS,
        subject.material.transcripts,
        "“{words}” was said in a conversation: a prompt that holds a test's words passes that test alone. Say it "
        "in general.",
    )


def _scenario_words(subject: GuardedText) -> Iterator[GuardReason]:
    yield from _copies_of(
        subject,
        GuardCode.SCENARIO_WORDS,
        subject.material.scenarios,
        "“{words}” stands in a scenario or a persona: a prompt that holds a test's words passes that test alone. "
        "Say it in general.",
    )


def _copies_of(subject: GuardedText, code: GuardCode, texts: Sequence[str], sentence: str) -> Iterator[GuardReason]:
    """Words in a row that stand in one of the texts: in the draft as it is, else as a page shows it, without marks."""
    if place := borrowed(new_runs(subject), texts):
        yield reason_at(code, subject, place, sentence)
        return
    shown = replace(subject, live=_without_marks(subject.live), draft=_without_marks(subject.draft))
    if place := borrowed(new_runs(shown), texts):
        yield replace(reason_at(code, shown, place, sentence), span=None)


def _without_marks(text: str) -> str:
    return _MARKS.sub("", html.unescape(text))


def _persona_name(subject: GuardedText) -> Iterator[GuardReason]:
    """A test's or a customer's whole name; without its hyphens where a person's name is in it."""
    persons = {name.casefold() for name in subject.material.first_names}
    for name in sorted({name.strip().casefold() for name in subject.material.names}):
        parts = re.split(r"[\s_-]+", name)
        if len(parts) < 2:
            continue
        between = r"[\s_-]+" if " " in name or persons & set(parts) else "[_-]"
        pattern = re.compile(rf"(?<![\w-]){between.join(map(re.escape, parts))}(?![\w-])", re.IGNORECASE)
        for place in new_places(subject, pattern):
            yield reason_at(
                GuardCode.PERSONA_NAME, subject, place, "“{words}” is the name of a test or its customer: take it out."
            )


def _new_address(subject: GuardedText) -> Iterator[GuardReason]:
    for place in new_places(subject, _ADDRESS):
        yield reason_at(
            GuardCode.NEW_ADDRESS,
            subject,
            place,
            "The live prompt has no address “{words}”: customers would be sent there. Take it out, or have it recorded "
            "with the live prompt first.",
        )


def _personal_data(subject: GuardedText) -> Iterator[GuardReason]:
    """Phone numbers and e-mail addresses that masking finds, and the live prompt does not have."""
    live, at = normalised(subject.live), 0
    for line in subject.draft.splitlines(keepends=True):
        masked = redact(line)
        if _PERSONS_MASK.search(masked):
            hidden = [word for word in line.split() if normalised(word) not in masked and normalised(word) not in live]
            if hidden:
                start = at + line.index(hidden[0])
                yield GuardReason(
                    code=GuardCode.PERSONAL_DATA,
                    sentence="A phone number or an e-mail address stands here that masking takes for a person's: no "
                    "prompt names one. A number of the business's own has to be in the live prompt first.",
                    span=(start, start + len(hidden[0])),
                )
        at += len(line)


def _hidden(subject: GuardedText) -> Iterator[GuardReason]:
    """The first character that nobody sees, and the first word with letters of two scripts."""
    live = list(sign for _, sign in hidden_characters(subject.live))
    for at, sign in hidden_characters(subject.draft):
        if sign in live:
            live.remove(sign)
            continue
        sentence = f"A character that nobody sees (U+{ord(sign):04X}) stands here: take it out."
        yield GuardReason(code=GuardCode.HIDDEN_CHARACTERS, sentence=sentence, span=(at, at + 1))
        return
    known = {subject.live[slice(*place)] for place in two_scripts(subject.live)}
    for place in two_scripts(subject.draft):
        if subject.draft[slice(*place)] not in known:
            yield reason_at(
                GuardCode.HIDDEN_CHARACTERS,
                subject,
                place,
                "“{words}” has letters of two scripts that look alike: write it in one.",
            )
            return


def _encoded(subject: GuardedText) -> Iterator[GuardReason]:
    known = {subject.live[slice(*place)] for place in escaped_words(subject.live)}
    for place in escaped_words(subject.draft):
        if subject.draft[slice(*place)] not in known:
            yield reason_at(
                GuardCode.ENCODED_TEXT, subject, place, "“{words}” cannot be read by a person: write what it means."
            )


_GUARDS: tuple[Callable[[GuardedText], Iterator[GuardReason]], ...] = (
    _judge_words,
    _transcript_words,
    _scenario_words,
    _persona_name,
    _new_address,
    _personal_data,
    _hidden,
    _encoded,
)
