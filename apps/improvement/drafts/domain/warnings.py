"""The guards' warnings beside a draft: words that are often honest, and sometimes written for the judge. Pure.

The lists are written by hand and short: they refuse nothing. A trial on scenarios that nobody saw and the person who
reads the change decide.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator

from apps.core.dialogue.language import detect
from apps.improvement.domain.prompt_sections import protected_spans, variables
from apps.improvement.drafts.domain.guarded_text import GuardedText, new_places, reason_at, words_of
from apps.improvement.drafts.domain.states import GuardCode, GuardReason

_SCORING = re.compile(
    r"\b(?:(?:high(?:er|est)?|best|top|full|maximum) (?:scores?|marks?|points)|10/10|(?:10|ten) out of (?:10|ten)"
    r"|(?:the|an?) (?:judge|grader|evaluator)|pass[ -]marks?|hold-?out set|simulated (?:customers?|users?)"
    r"|(?:grad|scor|judg)(?:es|ed|ing) (?:you|this)|who(?:ever)? \w+ this (?:conversation|reply)"
    r"|hakimu|mwamuzi|alama (?:za juu|kamili|zote|kumi)|(?:il|al|del) giudice|punteggio|pieni voti|cliente simulato)\b"
    r"|\[(?:customer|user|system|assistant)\s*:",
    re.IGNORECASE,
)
_OVERRULING = re.compile(
    r"\b(?:(?:ignore|disregard|override|skip|forget|(?:do not|don't) follow) (?:the|all|any|every|these|those)\b"
    r"[^.\n]{0,30}\b(?:sections?|rules?|instructions?|above|below|following)"
    r"|no longer (?:valid|appl(?:y|ies)|counts?|holds?)|(?:does|do) not (?:apply|count|hold)"
    r"|none of the (?:following|above)|(?:is|are) (?:waived|lifted|void|suspended|only an? examples?)"
    r"|(?:puuza|usifuate)\b[^.\n]{0,30}\b(?:sheria|maagizo|sehemu)"
    r"|(?:ignora|non seguire)\b[^.\n]{0,30}\b(?:regol[ae]|sezion[ei]|istruzion[ei]))",
    re.IGNORECASE,
)
_SPELLED_ADDRESS = re.compile(
    r"\b[\w-]{2,63}\s?(?:\[\.\]|\(\.\)|\[dot\]|\(dot\)|\bdot\b|\bpunto\b|\bnukta\b)\s?[a-z]{2,6}\b"
    r"|(?<![\w.@])@[A-Za-z]\w{2,}",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(?:till|pay ?bill|account|akaunti|conto)\b(?: (?:number|no\.?|namba|numero))?[\s:]*\d(?:[\s.-]?\d){4,}"
    r"|(?<![\d.])\d(?:[\s.-]?\d){7,}",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(?<![\w.{$])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w}])|(?<![\w.{$])[A-Za-z]\w+(?=\()"
    r"|(?<![\w.{$])[a-z]{2,}(?:[A-Z][a-z0-9]+)+\b"
)
_MIN_WORDS = 12  # of a text whose language is asked for


def warnings_of(subject: GuardedText) -> Iterator[GuardReason]:
    """The places that a person should look at before this draft is released."""
    for code, pattern, sentence in _WORDS:
        for place in new_places(subject, pattern):
            yield reason_at(code, subject, place, sentence, stops=False)
    for guard in _WARNINGS:
        yield from guard(subject)


def _overruling(subject: GuardedText) -> Iterator[GuardReason]:
    """Words that may take a protected part back."""
    for place in new_places(subject, _OVERRULING) if protected_spans(subject.live) else ():
        yield reason_at(
            GuardCode.PROTECTED_SPAN,
            subject,
            place,
            "“{words}” may take back what other parts of the prompt say, and some of them are protected.",
            stops=False,
        )


def _first_name(subject: GuardedText) -> Iterator[GuardReason]:
    for name in sorted(subject.material.first_names):
        for place in new_places(subject, re.compile(rf"\b{re.escape(name)}\b")):
            yield reason_at(
                GuardCode.PERSONA_NAME, subject, place, "“{words}” is the name of a test's customer.", stops=False
            )


def _unknown_tool(subject: GuardedText) -> Iterator[GuardReason]:
    named = (*subject.material.tools, *subject.material.criteria, *variables(subject.draft))
    known = {name.casefold() for name in named}
    for place in new_places(subject, _IDENTIFIER):
        if subject.draft[slice(*place)].casefold() not in known:
            yield reason_at(
                GuardCode.UNKNOWN_TOOL,
                subject,
                place,
                "Neither the live prompt nor the agent has a tool “{words}”: where it is meant as one, the agent would "
                "make it up.",
                stops=False,
            )


def _language_changed(subject: GuardedText) -> Iterator[GuardReason]:
    """Warn where the words that are not protected changed their language.

    Two languages mixed count where most of the live prompt's words went.
    """
    live, draft = ([word for word, _ in words_of(_open_text(text))] for text in (subject.live, subject.draft))
    if min(len(live), len(draft)) < _MIN_WORDS:
        return
    was, now = detect(live), detect(draft)
    same = (Counter(live) & Counter(draft)).total()
    if was and now and was != now and ("mixed" not in (was, now) or same < len(live) / 2):
        sentence = f"The live prompt is written in “{was}”, this draft in “{now}”."
        yield GuardReason(code=GuardCode.LANGUAGE_CHANGED, sentence=sentence, stops=False)


def _open_text(text: str) -> str:
    """The text that may be changed: all but the protected spans."""
    for span in protected_spans(text):
        text = text.replace(span, "\n", 1)
    return text


_WORDS = (
    (GuardCode.JUDGE_WORDS, _SCORING, "“{words}” may speak of being scored: an agent does not know that it is judged."),
    (GuardCode.NEW_ADDRESS, _SPELLED_ADDRESS, "“{words}” may be an address that the live prompt does not have."),
    (
        GuardCode.PERSONAL_DATA,
        _NUMBER,
        "Customers would be given “{words}”: check that the number is the business's own.",
    ),
)
_WARNINGS: tuple[Callable[[GuardedText], Iterator[GuardReason]], ...] = (
    _overruling,
    _first_name,
    _unknown_tool,
    _language_changed,
)
