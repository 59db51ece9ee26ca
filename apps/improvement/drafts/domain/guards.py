"""May these words be tried as a prompt? Every reason against it, then what a person should look at. Pure."""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator

from apps.improvement.domain.prompt_sections import (
    parse,
    protected_spans,
    protected_surroundings,
    variables,
    without_comments,
)
from apps.improvement.drafts.domain.guarded_text import GuardedText
from apps.improvement.drafts.domain.states import DraftMode, GuardCode, GuardReason
from apps.improvement.drafts.domain.warnings import warnings_of
from apps.improvement.drafts.domain.word_guards import word_refusals

LENGTH_FACTOR, LENGTH_EXTRA = 1.5, 400
MOST = 3  # reasons of one kind


def guard_reasons(subject: GuardedText) -> list[GuardReason]:
    """The guards' reasons about this draft: first the refusals, then the warnings; [] where there are none."""
    same_variables = variables(subject.draft) == variables(subject.live)
    if same_variables and _plain(subject.draft) == _plain(subject.live):
        sentence = "This is the live prompt, word for word: change something."
        return [GuardReason(code=GuardCode.NOTHING_CHANGED, sentence=sentence)]
    reasons = [*_revert(subject), *_protected(subject), *_variables(subject), *_length(subject)]
    reasons += _surgical(subject) if subject.mode == DraftMode.SURGICAL else []
    return [*reasons, *_few(word_refusals(subject)), *_few(warnings_of(subject))]


def _few(reasons: Iterable[GuardReason]) -> Iterator[GuardReason]:
    """The first ones of each kind."""
    counts = Counter[GuardCode]()
    for reason in reasons:
        counts[reason.code] += 1
        if counts[reason.code] <= MOST:
            yield reason


def _revert(subject: GuardedText) -> list[GuardReason]:
    if _plain(subject.draft) not in map(_plain, subject.earlier):
        return []
    sentence = "This is an earlier prompt of the same line, word for word: going back is not a new draft."
    return [GuardReason(code=GuardCode.REVERT, sentence=sentence)]


def _protected(subject: GuardedText) -> list[GuardReason]:
    live, draft = _protected_spans(subject.live), _protected_spans(subject.draft)
    if live == draft:
        return _taken_back(subject, draft)
    reasons = []
    for operation, a, b, c, d in difflib.SequenceMatcher(None, live, draft, autojunk=False).get_opcodes():
        if operation == "equal":
            continue
        start = _place(draft, c, subject.draft)
        for words in live[a:b]:
            sentence = (
                f"Protected words were changed, moved or taken out: “{_short(words)}”. Put them back as they were."
            )
            reasons.append(GuardReason(code=GuardCode.PROTECTED_SPAN, sentence=sentence, span=start if d > c else None))
        if a == b:
            words = "; ".join(_short(one) for one in draft[c:d])
            sentence = f"The live prompt does not protect these words in this place: “{words}”. Take the marks out."
            reasons.append(GuardReason(code=GuardCode.PROTECTED_SPAN, sentence=sentence, span=start))
    return reasons


def _taken_back(subject: GuardedText, spans: tuple[str, ...]) -> list[GuardReason]:
    """Return a reason for each protected text whose words are unchanged while its surroundings are not.

    It may now be a comment, an example, or struck out.
    """
    reasons, was, now = [], protected_surroundings(subject.live), protected_surroundings(subject.draft)
    for number, (before, after) in enumerate(zip(was, now, strict=False)):
        if before != after:
            sentence = (
                f"Protected words stand in other surroundings: “{_short(spans[number])}”. Let what stands around them "
                "say what it said: no comment, no code, no example, nothing struck out."
            )
            place = _place(spans, number, subject.draft)
            reasons.append(GuardReason(code=GuardCode.PROTECTED_SPAN, sentence=sentence, span=place))
    return reasons


def _protected_spans(text: str) -> tuple[str, ...]:
    """The spans that must not change, without the empty lines behind them: a section may follow one that was the
    last."""
    return tuple(span.rstrip() for span in protected_spans(text))


def _place(spans: tuple[str, ...], number: int, text: str) -> tuple[int, int] | None:
    """Return the place of the protected text with this number; None where there is none."""
    at = 0
    for index, words in enumerate(spans):
        at = text.index(words, at)
        if index == number:
            return at, at + len(words)
        at += len(words)
    return None


def _variables(subject: GuardedText) -> list[GuardReason]:
    live, draft = (Counter(variables(without_comments(text))) for text in (subject.live, subject.draft))
    lost = sorted(name for name in live if name not in draft)
    new = sorted(name for name in draft if name not in live)
    sentences = [f"The variable {name} of the live prompt is missing: put it back." for name in lost]
    sentences += [f"The live prompt has no variable {name}: nothing would fill it." for name in new]
    return [GuardReason(code=GuardCode.VARIABLE, sentence=sentence) for sentence in sentences]


def _length(subject: GuardedText) -> list[GuardReason]:
    most = int(LENGTH_FACTOR * len(subject.live)) + LENGTH_EXTRA
    if len(subject.draft) <= most:
        return []
    sentence = f"It has {len(subject.draft):,} characters; a draft of this prompt may have {most:,}."
    return [GuardReason(code=GuardCode.TOO_LONG, sentence=sentence, span=(most, len(subject.draft)))]


def _surgical(subject: GuardedText) -> list[GuardReason]:
    live = [section.text for section in parse(subject.live)]
    draft = [section.text for section in parse(subject.draft)]
    changed = [at for at, (a, b) in enumerate(zip(live, draft, strict=False)) if a != b]
    if len(live) == len(draft) and len(changed) == 1:
        return []
    sentence = "A surgical fix changes exactly one section; this one " + (
        f"changes {len(changed)}." if len(live) == len(draft) else f"makes {len(draft)} sections of {len(live)}."
    )
    return [GuardReason(code=GuardCode.NOT_SURGICAL, sentence=sentence)]


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= 80 else f"{line[:79]}…"


def _plain(text: str) -> str:
    """The words in their lines, without what nobody reads: blank lines, spaces more than one, capitals."""
    lines = (" ".join(line.split()).casefold() for line in text.splitlines())
    return "\n".join(line for line in lines if line)
