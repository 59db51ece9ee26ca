"""Read a judge's answer: tolerant of its wrapping, strict about its content, and never a guess."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isfinite
from typing import Any

from apps.connectors.llms.answers import NO_ANSWER_CODES as NO_ANSWER_CODES
from apps.connectors.llms.answers import NoAnswer as NoAnswer
from apps.connectors.llms.answers import ParseError as ParseError
from apps.connectors.llms.answers import read_answer as read_answer
from apps.core.lenient_json import read_objects
from apps.evaluations.domain.placeholders import is_form_quote, is_form_reason
from apps.evaluations.domain.qualified_numbers import corrected_behind, named_twice, qualifies_all, qualifies_itself
from apps.evaluations.domain.reply_objects import all_objects, carries
from apps.evaluations.domain.reply_objects import bound_objects as bound_objects
from apps.evaluations.domain.secret_keys import SALT_SHOWN, secret_key

SCALE = (0.0, 10.0)
MAX_EVIDENCE = 20
MAX_TEXT_CHARS = 8_000
# The nonce, in words that people know: it tells the reply to this question from a text that the model read.
NOT_REPEATED = "The model left out the question's number: it does not follow instructions. Check the judge."
OTHER_NUMBER = "The model did not repeat the question's number: it does not follow instructions. Check the judge."


class ParsedAnswer(StrEnum):
    """The judge's answer to one criterion."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"  # it said null: this criterion cannot be judged here
    MISSING = "missing"  # it left the criterion out
    INVALID = "invalid"  # it wrote something that is not a number on the scale
    FORM = "form"  # it repeated the answer form instead of filling it in


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionReading:
    """One criterion of a reply. `score` is None unless `answer` is SCORED."""

    answer: ParsedAnswer
    score: float | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()


_MISSING = CriterionReading(answer=ParsedAnswer.MISSING)
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class _Candidate:
    holder: Mapping[str, Any]  # the object whose `scores` these are
    end: int  # where the outermost object that it stands in ends

    @property
    def scores(self) -> Mapping[str, Any]:
        scores: Mapping[str, Any] = self.holder["scores"]
        return scores


def score_key(salt: str | None) -> str:
    """Return the key of an entry's number; nobody can write it without the salt."""
    return secret_key("score", salt)


def without_salt(text: str, salt: str | None) -> str:
    """The reply as it may be stored and shown: it does not tell under which key this evaluation reads numbers."""
    return re.sub(re.escape(salt), SALT_SHOWN, text, flags=re.IGNORECASE) if salt else text


def parse_reply(
    text: str, criteria: Iterable[str], *, nonce: str | None = None, salt: str | None = None
) -> dict[str, dict[str, Any] | None]:
    """{name: {"score", "reason", "evidence"}} for the names asked; a criterion without a usable score is None.

    The contract's form of `read_reply`, which also says why a criterion has no score. Raises ParseError.
    """
    reading = read_reply(text, criteria, nonce=nonce, salt=salt)
    return {
        name: {"score": criterion.score, "reason": criterion.reason, "evidence": list(criterion.evidence)}
        if criterion.answer is ParsedAnswer.SCORED
        else None
        for name, criterion in reading.items()
    }


def read_reply(
    text: str,
    criteria: Iterable[str],
    *,
    nonce: str | None = None,
    salt: str | None = None,
    scale: tuple[float, float] = SCALE,
) -> dict[str, CriterionReading]:
    """Return every criterion asked, with its score or the reason why it has none. Linear in the text.

    With a nonce, only an object that carries it beside its scores is an answer. With a salt, a number counts only under
    `score_<salt>`: text quoted from the conversation may end a reason early and go on as an answer, but it cannot know
    this key. An entry without it may have been cut in two, with its number under another name, so the whole reply is
    broken. Answers that differ, or a broken part, void the reply. Raises ParseError for all these, where no criterion
    has a number or null, and for a reply that repeats the answer form.
    """
    names = list(criteria)
    candidates = [item for item in _candidates(text) if any(name in item.scores for name in names)]
    bound = candidates if nonce is None else [item for item in candidates if carries(item.holder, nonce)]
    if not bound:
        raise ParseError(_why_none(candidates), raw=text)
    key = score_key(salt)
    if salt and nonce is not None:
        _refuse_cut(candidates, bound, key, text)
    readings = [_entries(item.holder, names, key, scale, text, salted=bool(salt)) for item in bound]
    reading = readings[-1]
    if any(_gist(other) != _gist(reading) for other in readings):
        raise ParseError("the reply holds answers that differ", raw=text)
    answers = {criterion.answer for criterion in reading.values()}
    if ParsedAnswer.FORM in answers and ParsedAnswer.SCORED not in answers:
        raise ParseError("the reply repeats the answer form instead of filling it in", raw=text)
    if not any(_has_number(item.scores.get(name, _ABSENT), key, bool(salt)) for item in bound for name in names):
        raise ParseError(f"no criterion has the number that was asked for under {key_shown(salt)}", raw=text)
    scores = {name: one.score for name, one in reading.items() if one.score is not None}
    reading |= {name: _invalid(reading[name]) for name in corrected_behind(_prose_behind(bound[-1], text), scores)}
    return {name: _cleared(one, salt) for name, one in reading.items()} if salt else reading


def _prose_behind(answer: _Candidate, text: str) -> str:
    """The text behind an answer, without other objects: those are somebody else's, or the same answer once more."""
    behind = [item for item in read_objects(text).objects if item.start >= answer.end]
    starts, ends = [item.start for item in behind], [item.end for item in behind]
    return "\n".join(text[end:start] for end, start in zip([answer.end, *ends], [*starts, len(text)], strict=True))


def key_shown(salt: str | None) -> str:
    """The key of the number in a message: without the salt."""
    return score_key(SALT_SHOWN if salt else None)


def _candidates(text: str) -> list[_Candidate]:
    """Objects with a `scores` object, outermost only. Raises ParseError where a part of the reply is broken."""
    candidates: list[_Candidate] = []
    for item in all_objects(text):
        waiting: list[Any] = [item.value]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting.extend(reversed(node))
            elif isinstance(node, dict):
                if isinstance(node.get("scores"), dict):
                    candidates.append(_Candidate(node, item.end))
                else:
                    waiting.extend(reversed(list(node.values())))
    return candidates


def _refuse_cut(candidates: Sequence[_Candidate], bound: Sequence[_Candidate], key: str, text: str) -> None:
    """Refuse a cut answer.

    A quoted text can end the object and begin another one: numbers are left in the second half then, and the nonce too,
    where the model writes it last.
    """
    if key in text[bound[-1].end :]:
        raise ParseError("numbers stand behind the answer they belong to", raw=text)
    if candidates[0] is bound[0]:
        return
    for item in bound:
        keys = list(item.holder)
        if keys.index("nonce") > keys.index("scores"):
            raise ParseError("an answer without the nonce stands before the one that ends with it", raw=text)


def _why_none(candidates: Sequence[_Candidate]) -> str:
    if not candidates:
        return "the reply holds no scores for the criteria asked"
    if all("nonce" not in item.holder for item in candidates):
        return NOT_REPEATED
    return OTHER_NUMBER


def _gist(reading: Mapping[str, CriterionReading]) -> list[tuple[ParsedAnswer, float | None]]:
    return [(criterion.answer, criterion.score) for criterion in reading.values()]


def _entries(
    holder: Mapping[str, Any], names: Sequence[str], key: str, scale: tuple[float, float], text: str, *, salted: bool
) -> dict[str, CriterionReading]:
    scores: Mapping[str, Any] = holder["scores"]
    reading = {name: _reading(scores[name], key, scale, salted) if name in scores else _MISSING for name in names}
    if salted and any(name in scores and not _has_number(scores[name], key, salted) for name in names):
        raise ParseError(f"an entry lacks its number under {key_shown(SALT_SHOWN)}", raw=text)
    doubtful = frozenset(names) if qualifies_all(holder) else named_twice(scores, names)
    return reading | {name: _invalid(reading[name]) for name in doubtful if name in scores}


def _has_number(entry: Any, key: str, salted: bool) -> bool:
    """Tell whether there is a value where the number was asked for. A bare one is none where its key is a secret."""
    return key in entry if isinstance(entry, dict) else not salted and entry is not _ABSENT


def _reading(value: Any, key: str, scale: tuple[float, float], salted: bool) -> CriterionReading:
    if not isinstance(value, dict):
        value = {} if salted else {key: value}
    reason = value.get("reason")
    reason = _stored(reason) if isinstance(reason, str) else ""
    evidence = _evidence(value.get("evidence"))

    def answered(answer: ParsedAnswer, score: float | None = None) -> CriterionReading:
        return CriterionReading(answer=answer, score=score, reason=reason, evidence=evidence)

    if key not in value:
        return answered(ParsedAnswer.MISSING)
    if is_form_reason(reason):
        return answered(ParsedAnswer.FORM)
    if qualifies_itself(value, key):
        return answered(ParsedAnswer.INVALID)
    score = value[key]
    if score is None:
        return answered(ParsedAnswer.NOT_APPLICABLE)
    return answered(ParsedAnswer.SCORED, float(score)) if _on_scale(score, scale) else answered(ParsedAnswer.INVALID)


def _invalid(reading: CriterionReading) -> CriterionReading:
    return replace(reading, answer=ParsedAnswer.INVALID, score=None)


def _cleared(reading: CriterionReading, salt: str) -> CriterionReading:
    quotes = tuple(without_salt(quote, salt) for quote in reading.evidence)
    return replace(reading, reason=without_salt(reading.reason, salt), evidence=quotes)


def _on_scale(score: Any, scale: tuple[float, float]) -> bool:
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not isfinite(score):
        return False
    return scale[0] <= score <= scale[1]


def _evidence(value: Any) -> tuple[str, ...]:
    """Quotes as texts, without those that quote nothing. A {"quote", "turn"} object becomes a text with its turn label,
    as the prompt asks for it."""
    items = value if isinstance(value, list) else [value]
    quotes: list[str] = []
    for item in items[:MAX_EVIDENCE]:
        quote, turn = (item.get("quote"), item.get("turn")) if isinstance(item, dict) else (item, None)
        if isinstance(quote, str) and quote.strip() and not is_form_quote(quote):
            label = f"[{turn:.0f}] " if isinstance(turn, (int, float)) and isfinite(turn) else ""
            quotes.append(label + _stored(quote))
    return tuple(quotes)


def _stored(text: str) -> str:
    """A model's words as Postgres can keep them: no NUL, no half characters, not endless."""
    clean = text[:MAX_TEXT_CHARS].replace("\0", "")
    return clean if clean.isascii() else clean.encode("utf-8", "replace").decode("utf-8")
