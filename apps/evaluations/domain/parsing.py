"""What a judge answered: tolerant of how it was wrapped, strict about what it says, and never a guess."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any

from apps.connectors.llms.base import Finish, LLMResponse
from apps.core.errors import Fault, RatibaError
from apps.evaluations.domain.borrowed import PromptTexts, is_exact_form
from apps.evaluations.domain.lenient_json import CONFLICT, read_objects
from apps.evaluations.domain.placeholders import is_form

SCALE = (0.0, 10.0)
MAX_EVIDENCE = 20
MAX_TEXT_CHARS = 8_000
NO_ANSWER_CODES = ("refusal", "content_filter")


class ParseError(RatibaError):
    """Nothing usable in a judge's reply. `raw` is the whole reply, for people to read; it is never scored."""

    code = "parse_error"
    fault = Fault.REMOTE

    def __init__(self, message: str, *, raw: str) -> None:
        super().__init__(message)
        self.raw = raw


class NoAnswer(ParseError):
    """The model refused, or a content filter held its answer back. `code` says which; asking again would not help."""

    def __init__(self, *, refused: bool, raw: str) -> None:
        filtered = "a content filter of the model's provider held the answer back"
        super().__init__("the model refused to answer" if refused else filtered, raw=raw)
        self.code = NO_ANSWER_CODES[0] if refused else NO_ANSWER_CODES[1]


class ParsedAnswer(StrEnum):
    """What the judge did with one criterion."""

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


@dataclass(frozen=True, slots=True)
class _Candidate:
    holder: Mapping[str, Any]  # the object whose `scores` these are
    is_last: bool  # nothing that could be an answer stands behind it

    @property
    def scores(self) -> Mapping[str, Any]:
        scores: Mapping[str, Any] = self.holder["scores"]
        return scores


def parse_reply(text: str, criteria: Iterable[str], *, nonce: str | None = None) -> dict[str, dict[str, Any] | None]:
    """{name: {"score", "reason", "evidence"}} for the names asked; a criterion without a usable score is None.

    The contract's form of `read_reply`, which also says why a criterion has no score. Raises ParseError.
    """
    reading = read_reply(text, criteria, nonce=nonce)
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
    prompt_texts: Sequence[str] = (),
    scale: tuple[float, float] = SCALE,
) -> dict[str, CriterionReading]:
    """Every criterion asked, with its score or the reason why it has none.

    With a nonce the answer is the object that carries it beside its scores; an answer without it is no answer. Answers
    that differ from each other are none, and nothing counts in a reply of which a part is broken. `prompt_texts` is
    what the model was shown of the conversation, as it was shown: where that could pass for an answer, the reply must
    have exactly the form asked for and reasons of its own. Raises ParseError when there is no such answer, it names
    none of the criteria, or it only repeats the answer form. Linear in the length of text and `prompt_texts`.
    """
    names = list(criteria)
    candidates = [item for item in _candidates(text) if any(name in item.scores for name in names)]
    bound = candidates if nonce is None else [item for item in candidates if item.holder.get("nonce") == nonce]
    if not bound:
        raise ParseError(_why_none(candidates), raw=text)
    readings = [{name: _reading(item.scores, name, scale) for name in names} for item in bound]
    reading = readings[-1]
    if any(_gist(other) != _gist(reading) for other in readings):
        raise ParseError("the reply holds answers that differ", raw=text)
    if nonce is not None:
        _refuse_borrowed(bound[-1], reading, prompt_texts, text)
    answers = {criterion.answer for criterion in reading.values()}
    if ParsedAnswer.FORM in answers and ParsedAnswer.SCORED not in answers:
        raise ParseError("the reply repeats the answer form instead of filling it in", raw=text)
    return reading


def answer_text(response: LLMResponse) -> str:
    """The text of a model's answer. Raises NoAnswer."""
    if response.is_answer:
        return response.text
    raise NoAnswer(refused=response.finish is Finish.REFUSAL, raw=response.text)


def bound_objects(text: str, *, nonce: str) -> list[dict[str, Any]]:
    """The objects of a reply that carry the nonce of its question, in their order. Raises ParseError where a part of
    the reply is broken: nobody knows what belongs to it."""
    objects = read_objects(text)
    if objects.broken_at is not None:
        raise ParseError("a part of the reply is broken JSON", raw=text)
    return [item.value for item in objects.objects if item.value.get("nonce") == nonce]


def _candidates(text: str) -> list[_Candidate]:
    """Objects with a `scores` object, outermost only. Raises ParseError where a part of the reply is broken."""
    objects = read_objects(text)
    if objects.broken_at is not None:
        raise ParseError("a part of the reply is broken JSON", raw=text)
    candidates: list[_Candidate] = []
    for number, item in enumerate(objects.objects, start=1):
        waiting: list[Any] = [item.value]
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting.extend(reversed(node))
            elif isinstance(node, dict):
                if isinstance(node.get("scores"), dict):
                    candidates.append(_Candidate(node, number == len(objects.objects)))
                else:
                    waiting.extend(reversed(list(node.values())))
    return candidates


def _why_none(candidates: Sequence[_Candidate]) -> str:
    if not candidates:
        return "the reply holds no scores for the criteria asked"
    if all("nonce" not in item.holder for item in candidates):
        return "the reply does not carry the nonce of its question"
    return "the reply answers another question: its nonce is not ours"


def _gist(reading: Mapping[str, CriterionReading]) -> list[tuple[ParsedAnswer, float | None]]:
    return [(criterion.answer, criterion.score) for criterion in reading.values()]


def _refuse_borrowed(
    chosen: _Candidate, reading: Mapping[str, CriterionReading], prompt_texts: Sequence[str], text: str
) -> None:
    shown = PromptTexts(prompt_texts, list(reading))
    if not shown.is_answer_like:
        return
    if not chosen.is_last or not is_exact_form(chosen.holder, list(reading)):
        raise ParseError("the conversation holds scores, and the reply is more than the answer asked for", raw=text)
    for name, criterion in reading.items():
        if criterion.score is not None and shown.holds(name, criterion.score, criterion.reason):
            raise ParseError("the reply repeats scores that stand in the conversation itself", raw=text)


def _reading(scores: Mapping[str, Any], name: str, scale: tuple[float, float]) -> CriterionReading:
    if name not in scores:
        return CriterionReading(answer=ParsedAnswer.MISSING)
    value = scores[name]
    if not isinstance(value, dict):
        value = {"score": value}
    reason = value.get("reason")
    reason = _stored(reason) if isinstance(reason, str) else ""
    evidence = _evidence(value.get("evidence"))
    if "score" not in value:
        return CriterionReading(answer=ParsedAnswer.MISSING, reason=reason, evidence=evidence)
    score = value["score"]
    if is_form(reason, evidence):
        return CriterionReading(answer=ParsedAnswer.FORM, reason=reason, evidence=evidence)
    if score is None:
        return CriterionReading(answer=ParsedAnswer.NOT_APPLICABLE, reason=reason, evidence=evidence)
    if score is CONFLICT or not _on_scale(score, scale):
        return CriterionReading(answer=ParsedAnswer.INVALID, reason=reason, evidence=evidence)
    return CriterionReading(answer=ParsedAnswer.SCORED, score=float(score), reason=reason, evidence=evidence)


def _on_scale(score: Any, scale: tuple[float, float]) -> bool:
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not isfinite(score):
        return False
    return scale[0] <= score <= scale[1]


def _evidence(value: Any) -> tuple[str, ...]:
    """Quotes as texts. A {"quote", "turn"} object becomes a text with its turn label, as the prompt asks for it."""
    items = value if isinstance(value, list) else [value]
    quotes: list[str] = []
    for item in items[:MAX_EVIDENCE]:
        quote, turn = (item.get("quote"), item.get("turn")) if isinstance(item, dict) else (item, None)
        if isinstance(quote, str) and quote.strip():
            label = f"[{turn:.0f}] " if isinstance(turn, (int, float)) and isfinite(turn) else ""
            quotes.append(label + _stored(quote))
    return tuple(quotes)


def _stored(text: str) -> str:
    """A model's words as Postgres can keep them: no NUL, no half characters, not endless."""
    clean = text[:MAX_TEXT_CHARS].replace("\0", "")
    return clean if clean.isascii() else clean.encode("utf-8", "replace").decode("utf-8")
