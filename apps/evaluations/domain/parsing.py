"""What a judge answered: tolerant of how it was wrapped, strict about what it says, and never a guess."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any

from apps.core.errors import Fault, RatibaError
from apps.evaluations.domain.lenient_json import CONFLICT, find_objects

SCALE = (0.0, 10.0)
MAX_EVIDENCE = 20
MAX_TEXT_CHARS = 8_000


class ParseError(RatibaError):
    """Nothing usable in a judge's reply. `raw` is the whole reply, for people to read; it is never scored."""

    code = "parse_error"
    fault = Fault.REMOTE

    def __init__(self, message: str, *, raw: str) -> None:
        super().__init__(message)
        self.raw = raw


class Answer(StrEnum):
    """What the judge did with one criterion."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"  # it said null: this criterion cannot be judged here
    MISSING = "missing"  # it left the criterion out
    INVALID = "invalid"  # it wrote something that is not a number on the scale


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionReading:
    """One criterion of a reply. `score` is None unless `answer` is SCORED."""

    answer: Answer
    score: float | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    scores: Mapping[str, Any]
    nonce: Any


def parse_reply(text: str, criteria: Iterable[str], *, nonce: str | None = None) -> dict[str, dict[str, Any] | None]:
    """{name: {"score", "reason", "evidence"}} for the names asked; a criterion without a usable score is None.

    The contract's form of `read_reply`, which also says why a criterion has no score. Raises ParseError.
    """
    reading = read_reply(text, criteria, nonce=nonce)
    return {
        name: {"score": found.score, "reason": found.reason, "evidence": list(found.evidence)}
        if found.answer is Answer.SCORED
        else None
        for name, found in reading.items()
    }


def read_reply(
    text: str,
    criteria: Iterable[str],
    *,
    nonce: str | None = None,
    said: Sequence[str] = (),
    scale: tuple[float, float] = SCALE,
) -> dict[str, CriterionReading]:
    """Every criterion asked, with its score or the reason why it has none.

    With a nonce the answer is the (last) object that carries it. A model that left the nonce out is believed only when
    its reply holds a single answer, and when that answer does not stand word for word in the conversation: `said` are
    the turns' texts, so that a judge that parrots a forged verdict is found out. Raises ParseError when there is no
    such answer or it names none of the criteria. Linear in the length of text and turns.
    """
    names = list(criteria)
    candidates = [item for item in _candidates(text) if any(name in item.scores for name in names)]
    chosen = _choose(candidates, nonce, said, text)
    return {name: _reading(chosen.scores, name, scale) for name in names}


def _candidates(text: str) -> list[_Candidate]:
    """Objects with a `scores` object, outermost only; one that is wrapped inherits the wrapper's nonce."""
    found: list[_Candidate] = []
    for item in find_objects(text):
        waiting: list[tuple[Any, Any]] = [(item.value, None)]
        while waiting:
            node, inherited = waiting.pop()
            if isinstance(node, list):
                waiting.extend((inner, inherited) for inner in reversed(node))
            elif isinstance(node, dict):
                nonce = node.get("nonce", inherited)
                if isinstance(node.get("scores"), dict):
                    found.append(_Candidate(node["scores"], nonce))
                else:
                    waiting.extend((inner, nonce) for inner in reversed(list(node.values())))
    return found


def _choose(candidates: list[_Candidate], nonce: str | None, said: Sequence[str], text: str) -> _Candidate:
    if not candidates:
        raise ParseError("the reply holds no scores for the criteria asked", raw=text)
    if nonce is None:
        return candidates[-1]  # models that think aloud put their answer last
    bound = [item for item in candidates if item.nonce == nonce]
    if bound:
        return bound[-1]
    unbound = [item for item in candidates if item.nonce is None]
    if not unbound:
        raise ParseError("the reply answers another question: its nonce is not ours", raw=text)
    if any(repr(item.scores) != repr(unbound[0].scores) for item in unbound):
        raise ParseError("the reply holds several answers and none carries our nonce", raw=text)
    if _is_parroted(unbound[0], said):
        raise ParseError("the reply repeats scores that stand in the conversation itself", raw=text)
    return unbound[0]


def _is_parroted(candidate: _Candidate, said: Sequence[str]) -> bool:
    wanted = repr(candidate.scores)
    return any(
        repr(item.scores) == wanted for text in said if "scores" in text and "{" in text for item in _candidates(text)
    )


def _reading(scores: Mapping[str, Any], name: str, scale: tuple[float, float]) -> CriterionReading:
    if name not in scores:
        return CriterionReading(answer=Answer.MISSING)
    value = scores[name]
    if not isinstance(value, dict):
        value = {"score": value}
    reason = value.get("reason")
    reason = _stored(reason) if isinstance(reason, str) else ""
    evidence = _evidence(value.get("evidence"))
    if "score" not in value:
        return CriterionReading(answer=Answer.MISSING, reason=reason, evidence=evidence)
    score = value["score"]
    if score is None:
        return CriterionReading(answer=Answer.NOT_APPLICABLE, reason=reason, evidence=evidence)
    if score is CONFLICT or not _on_scale(score, scale):
        return CriterionReading(answer=Answer.INVALID, reason=reason, evidence=evidence)
    return CriterionReading(answer=Answer.SCORED, score=float(score), reason=reason, evidence=evidence)


def _on_scale(score: Any, scale: tuple[float, float]) -> bool:
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not isfinite(score):
        return False
    return scale[0] <= score <= scale[1]


def _evidence(value: Any) -> tuple[str, ...]:
    """Quotes as texts. A {"quote", "turn"} object becomes a text with its turn label, as the prompt asks for it."""
    items = value if isinstance(value, list) else [value]
    found: list[str] = []
    for item in items[:MAX_EVIDENCE]:
        quote, turn = (item.get("quote"), item.get("turn")) if isinstance(item, dict) else (item, None)
        if isinstance(quote, str) and quote.strip():
            label = f"[{turn:.0f}] " if isinstance(turn, (int, float)) and isfinite(turn) else ""
            found.append(label + _stored(quote))
    return tuple(found)


def _stored(text: str) -> str:
    """A model's words as Postgres can keep them: no NUL, no half characters, not endless."""
    clean = text[:MAX_TEXT_CHARS].replace("\0", "")
    return clean if clean.isascii() else clean.encode("utf-8", "replace").decode("utf-8")
