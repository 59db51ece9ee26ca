"""Guards against words that a draft may not bring along: a judge's, a test's, a person's, a tool's. Each looks at what
the live prompt does not have already. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from apps.core.dialogue.language import detect
from apps.core.redaction import normalised, redact
from apps.improvement.domain.draft_disguise_guards import (
    encoded_refusals,
    hidden_character_refusals,
    overruling_refusals,
    without_keycaps,
)
from apps.improvement.domain.drafts import DraftRefusal, RefusalCode
from apps.improvement.domain.guard_places import new_places, refused
from apps.improvement.domain.guard_readings import readings
from apps.improvement.domain.guard_words import ADDRESS, SCORING, SPOKEN_NUMBER, criterion_names
from apps.improvement.domain.guarded_text import GuardedText, Place, borrowed, new_runs, words_of
from apps.improvement.domain.prompt_sections import protected_spans, variables

MOST = 3  # reasons of one kind
_CUSTOMER_LINE = re.compile(
    r"(?<![^.!?\n])[^.!?\n]*\b(?:customers?|clients?|callers?|guests?|users?|named|called|mteja|wateja|ana(?:ye)?itwa|client[ei]"
    r"|si chiam\w+)\b[^.!?\n]*",
    re.IGNORECASE,
)
_TOOL_WORD = "tools?|functions?|zana|strument[oi]|funzion[ei]"
_NAMED_TOOL = re.compile(
    rf"\b(?:{_TOOL_WORD})\b[^\n.`\"'“]{{0,20}}[`\"'“](?P<a>[A-Za-z][\w.-]*)[`\"'”]"
    rf"|[`\"'“](?P<b>[A-Za-z][\w.-]*)[`\"'”] (?:{_TOOL_WORD})\b"
    rf"|\b(?:{_TOOL_WORD}) (?:called |named )?(?P<c>[a-z]+(?:-[a-z]+)+)|\bmcp[.:/](?P<d>\w+)"
    r"|\"(?:tool|function)(?:_name)?\"\s*:\s*\"(?P<e>[\w.-]+)\"",
    re.IGNORECASE,
)
_LEAST_WORDS = 12  # of a text whose language is asked for
_IDENTIFIER = re.compile(
    r"(?<![\w.{$])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w}])|(?<![\w.{$])[A-Za-z]\w+(?=\(\))"
    r"|(?<![\w.{$])[a-z]{2,}(?:[A-Z][a-z0-9]+)+\b|(?<![\w.{$])[a-z]\w+\.[a-z]\w+(?=\()"
)


def word_refusals(subject: GuardedText) -> list[DraftRefusal]:
    """Why these words are refused; [] where nothing speaks against them."""
    return [one for guard in _GUARDS for one in list(guard(subject))[:MOST]]


def _judge_words(subject: GuardedText) -> Iterator[DraftRefusal]:
    yield from _copies_of(
        subject, RefusalCode.JUDGE_WORDS, subject.material.criterion_texts,
        "These are a criterion's own words, “{words}”: a prompt that repeats what the judge reads helps no "
        "customer. Say what the agent shall do in other words.",
    )  # fmt: skip
    for place in new_places(subject, SCORING):
        yield refused(
            RefusalCode.JUDGE_WORDS, subject, place,
            "“{words}” speaks of being scored: an agent does not know that it is judged. Take it out.",
        )  # fmt: skip
    names = {name.casefold() for name in subject.material.criteria if _IDENTIFIER.fullmatch(name) or "-" in name}
    spelled = new_places(subject, criterion_names(subject.material.criteria))
    for place in dict.fromkeys((*_named(subject, names), *spelled)):
        yield refused(RefusalCode.JUDGE_WORDS, subject, place, "“{words}” is the name of a criterion: take it out.")


def _transcript_words(subject: GuardedText) -> Iterator[DraftRefusal]:
    yield from _copies_of(
        subject, RefusalCode.TRANSCRIPT_WORDS, subject.material.transcripts,
        "“{words}” was said in a conversation: a prompt that holds a test's words passes that test alone. Say it "
        "in general.",
    )  # fmt: skip


def _scenario_words(subject: GuardedText) -> Iterator[DraftRefusal]:
    yield from _copies_of(
        subject, RefusalCode.SCENARIO_WORDS, subject.material.scenarios,
        "“{words}” stands in a scenario or a persona: a prompt that holds a test's words passes that test alone. "
        "Say it in general.",
    )  # fmt: skip


def _copies_of(subject: GuardedText, code: RefusalCode, texts: Sequence[str], sentence: str) -> Iterator[DraftRefusal]:
    """Words in a row that stand in one of the texts: in the draft as it is, else in one of its readings."""
    place = borrowed(new_runs(subject), texts)
    if place:
        yield refused(code, subject, place, sentence)
        return
    live = dict(readings(subject.live))
    for how, draft in readings(subject.draft):
        other = replace(subject, live=live.get(how, subject.live), draft=draft)
        if place := borrowed(new_runs(other), texts):
            told = refused(code, other, place, sentence)
            yield replace(told, span=None, sentence=f"Read {how}: {told.sentence}")
            return


def _persona_name(subject: GuardedText) -> Iterator[DraftRefusal]:
    names = {name.strip().casefold() for name in subject.material.names if re.search(r"[\s_-]", name.strip())}
    names |= {re.sub(r"[\s_-]+", " ", name) for name in names}
    for place in (*_named(subject, names), *_called(subject)):
        yield refused(
            RefusalCode.PERSONA_NAME, subject, place, "“{words}” is the name of a test or its customer: take it out."
        )  # fmt: skip


def _called(subject: GuardedText) -> Iterator[Place]:
    """Where a sentence about a customer has the first name of a test's customer."""
    for line in _CUSTOMER_LINE.finditer(subject.draft):
        for name in sorted(subject.material.first_names):
            word = re.compile(rf"\b{re.escape(name)}\b")
            if (found := word.search(line.group())) and not word.search(subject.live):
                yield line.start() + found.start(), line.start() + found.end()


def _new_address(subject: GuardedText) -> Iterator[DraftRefusal]:
    for place in new_places(subject, ADDRESS):
        yield refused(
            RefusalCode.NEW_ADDRESS, subject, place,
            "The live prompt has no address “{words}”: customers would be sent there. Take it out, or have it recorded "
            "with the live prompt first.",
        )  # fmt: skip


_A_NUMBER = "A phone number, an address or another number of a person stands here: no prompt names one."


def _personal_data(subject: GuardedText) -> Iterator[DraftRefusal]:
    """What the masking floor masks, and the live prompt does not have."""
    live, at = normalised(subject.live), 0
    for line in subject.draft.splitlines(keepends=True):
        if (keys := without_keycaps(line)) != line and redact(keys) != normalised(keys) and keys not in subject.live:
            yield DraftRefusal(code=RefusalCode.PERSONAL_DATA, sentence=_A_NUMBER, span=(at, at + len(line)))
        masked = redact(line)
        hidden = [word for word in line.split() if normalised(word) not in masked and normalised(word) not in live]
        if hidden and masked != normalised(line):
            start = at + line.index(hidden[0])
            yield DraftRefusal(
                code=RefusalCode.PERSONAL_DATA,
                sentence=_A_NUMBER,
                span=(start, start + len(hidden[0])),
            )
        at += len(line)
    for place in new_places(subject, SPOKEN_NUMBER):
        yield refused(RefusalCode.PERSONAL_DATA, subject, place, _A_NUMBER)


def _unknown_tool(subject: GuardedText) -> Iterator[DraftRefusal]:
    known = {
        name.casefold() for name in (*subject.material.tools, *subject.material.criteria, *variables(subject.draft))
    }
    for place in (*new_places(subject, _IDENTIFIER), *_named_tools(subject)):
        if subject.draft[slice(*place)].casefold() not in known:
            yield refused(
                RefusalCode.UNKNOWN_TOOL, subject, place,
                "Neither the live prompt nor the agent has a tool “{words}”: the agent would make it up. Add it to the "
                "agent first, or take it out.",
            )  # fmt: skip


def _named_tools(subject: GuardedText) -> Iterator[Place]:
    """What is called a tool in so many words, and is no identifier by its look."""
    for found in _NAMED_TOOL.finditer(subject.draft):
        place = next(found.span(name) for name, words in found.groupdict().items() if words)
        name = subject.draft[slice(*place)]
        if name.casefold() not in subject.live.casefold() and not _IDENTIFIER.fullmatch(name):
            yield place


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


_GUARDS: tuple[Callable[[GuardedText], Iterator[DraftRefusal]], ...] = (
    _judge_words, _transcript_words, _scenario_words, _persona_name, _new_address, _personal_data,
    hidden_character_refusals,
    overruling_refusals, encoded_refusals, _unknown_tool, _language_changed,
)  # fmt: skip
