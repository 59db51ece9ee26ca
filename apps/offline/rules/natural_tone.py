"""Rule `natural_tone`: sounds like a person. The mean naturalness of the messages, less repetition, less coldness.

A message loses naturalness by how it is built: nobody speaks in it and nobody is spoken to (no "I", "you", "let's", no
Swahili verb with ni-, tu-, u-), fields with labels ("Date: …. Amount: …."), things done by nobody ("was issued",
"kitalipwa", "inayotakiwa"), verbs made nouns ("authorisation", "utekelezaji"). Stiff formulae that are listed ("your
request has been received", "mtumiaji", "si prega di") and merely formal words add to it; ALL CAPS counts as stiff.
Statements repeated word for word in other messages cost up to 4 points, a conversation that hardly ever speaks to
anybody up to 3. Repeated questions belong to `flow`, repeated farewells to `closing`, so neither is counted here.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from apps.core.dialogue import grammar
from apps.core.dialogue.transcript import Sentence, SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, quote, ramp, unique
from apps.offline.rules.reasons import reason

_STIFFNESS = ((0.0, 10.0), (0.3, 9.6), (0.6, 8.8), (1.0, 5.5), (2.0, 2.5), (3.0, 0.5), (4.0, 0.0))
_COLD = ((0.1, 3.0), (0.35, 1.0), (0.5, 0.0))
_REPEATED = ((0.08, 0.0), (0.3, 1.5), (0.7, 4.0))
_STOCK = (7, 25)
"""Words of a stock sentence: shorter ones recur in any talk, longer ones are chatter (`brevity`)."""
_STOCK_CHARS = 115
"""The same for Swahili, which says as much in fewer, longer words."""
_WORDS_A_MESSAGE = 20
_LABEL = re.compile(r"(?:^|[.;!?\n][^\S\n]*+)[^\W\d_][\w' /-]{1,30}:\s+(?=\S)")
_DONE_BY_NOBODY = re.compile(
    r"\b(?<!you are )(?<!we are )(?:is|are|was|were|been|be|being)\s+(?:now\s+|not\s+|\w+ly\s+)?\w{4,}(?:ed|en|wn)\b",
    re.I,
)
_LISTED, _FORMAL, _BUILT = 0.8, 0.2, 0.35
_SOFTENED = 0.5
"""Weights: a listed formula, a formal word, a stiff construction; an impersonal message adds one and a half."""


def _built(turn: SpokenTurn) -> float:
    """Stiffness by construction, in weights; a single construction is anybody's, so half of the first is forgiven."""
    words = turn.words
    count: float = sum(grammar.abstract(word) for word in words) + sum(
        grammar.passive(word) or grammar.relative(word) for word in words
    )
    labels = len(_LABEL.findall(turn.text))
    count += max(0, labels - 1) + (labels > 0) * 0.5 + len(_DONE_BY_NOBODY.findall(turn.text))
    impersonal = len(words) > 3 and turn.language != "it" and not any(map(grammar.speaks_to_someone, words))
    return _BUILT * max(0.0, count + (1.5 if impersonal and not turn.text.rstrip().endswith("!") else 0.0) - 0.5)


def _stiffness(turn: SpokenTurn) -> float:
    marks = turn.marks
    words = {first for first, _ in marks.get("agent.stiff", ())}
    formal = {first for first, _ in marks.get("agent.formal", ())} - words
    letters = [word for start, end in turn.spans if len(word := turn.text[start:end]) > 3]
    shouting = len(letters) > 3 and sum(word.isupper() for word in letters) > 0.6 * len(letters)
    length = max(1.0, len(turn.words) / _WORDS_A_MESSAGE)
    weight = (_LISTED * len(words) + _FORMAL * len(formal) + _built(turn)) / length
    return weight * (_SOFTENED if _softened(turn) else 1.0) + shouting


def _softened(turn: SpokenTurn) -> bool:
    """Thanks, an apology or an exclamation beside a formal word or two: said by a person all the same."""
    return turn.has("agent.thanks", "agent.sorry") or "!" in turn.text


def _warm(turn: SpokenTurn) -> bool:
    return turn.has("agent.warm") or "!" in turn.text or any(map(grammar.speaks_to_someone, turn.words))


def _is_demand(turn: SpokenTurn, sentence: Sentence) -> bool:
    """Demands for money or secrets are `payment_safety`'s business, however often they come."""
    return turn.within("agent.demand", sentence) or turn.within("agent.secret", sentence)


def _repeats(turns: list[SpokenTurn]) -> set[int]:
    """Messages of whose statements half the words or more stood in earlier messages, sentence for sentence."""
    seen: Counter[tuple[str, ...]] = Counter()
    repeated: set[int] = set()
    for turn in turns:
        own = {
            tuple(turn.words[s.first : s.last])
            for s in turn.sentences
            if not s.asks
            and _STOCK[0] <= s.words <= _STOCK[1]
            and s.end - s.start <= _STOCK_CHARS
            and not _is_demand(turn, s)
        }
        again = sum(len(key) for key in own if seen[key])
        if again and again >= sum(map(len, own)) / 2:
            repeated.add(turn.index)
        seen.update(own)
    return repeated


def natural_tone(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    turns = transcript.before_farewell() or transcript.agent
    stiffness = [(_stiffness(turn), turn) for turn in turns]
    stiff = [turn for amount, turn in stiffness if amount >= 1]
    warm = sum(1 for turn in turns if _warm(turn))
    repeated = _repeats(turns)
    base = sum(ramp(amount, _STIFFNESS) for amount, _ in stiffness) / len(turns)
    cold = ramp(warm / len(turns), _COLD) if len(turns) > 2 else 0.0
    worst = [turn for _, turn in sorted(stiffness, key=lambda item: -item[0]) if turn in stiff][:2]
    again = [turn for turn in turns if turn.index in repeated][:1]
    return RuleAnswer(
        bounded(base - cold - ramp(len(repeated) / len(turns), _REPEATED)),
        reason(
            "natural_tone", "scored", language, stiff=len(stiff), total=len(turns), repeated=len(repeated), warm=warm
        ),
        unique([quote(turn) for turn in (*worst, *again)] or [quote(turns[0])]),
    )
