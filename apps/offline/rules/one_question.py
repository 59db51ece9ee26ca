"""Rule `one_question`: one thing asked per message. The mean over the messages that ask at all.

Asked things are counted, not question marks: "which day and what time?" is two, "Swali bila alama: siku gani" is one,
the same thing asked again in other words is one, greetings ("how are you?") are none. A question without its mark
beside one with it is a weak sign: it counts once there are several different ones (corroboration.py).
"""

from collections.abc import Mapping
from typing import Any

from apps.core.dialogue.signs import WEAK, Sign
from apps.core.dialogue.transcript import SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, quote, ramp, unique
from apps.offline.rules.corroboration import belief, with_caveat
from apps.offline.rules.reasons import reason

_CLEAN = 9.99
_OVER = ((0.0, 10.0), (0.5, 6.5), (1.0, 3.0), (2.0, 1.0), (3.0, 0.0))


def one_question(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    limit = float(parameters.get("max_questions", 1))
    asking = [(turn.asks, turn) for turn in transcript.agent if turn.asks]
    if not asking:
        return RuleAnswer(None, reason("one_question", "none", language))
    bad = [turn for asks, turn in asking if asks > limit]
    plain = [max(turn.asks_plainly, 1.0) for _, turn in asking]
    doubtful = [
        Sign(turn, at, WEAK)
        for (asks, turn), sure in zip(asking, plain, strict=True)
        if sure < asks and asks > limit and (at := _unmarked(turn)) is not None
    ]
    certain = _mean(plain, limit)
    score = certain - belief(doubtful) * (certain - _mean([asks for asks, _ in asking], limit))
    shown = sorted(asking, key=lambda item: -item[0])[: 3 if bad else 1]
    text = reason("one_question", "scored", language, bad=len(bad), total=len(asking), most=max(a for a, _ in asking))
    return RuleAnswer(
        bounded(score),
        with_caveat(text, doubtful, language) if certain >= _CLEAN else text,
        unique([quote(turn) for asks, turn in shown if asks > limit or not bad]),
    )


def _mean(counts: list[float], limit: float) -> float:
    return sum(ramp(asks - limit, _OVER) for asks in counts) / len(counts)


def _unmarked(turn: SpokenTurn) -> int | None:
    """Return the start of the first question without a mark, in a message that has one with it."""
    starts = [s.start for s in turn.sentences if s.asks and "?" not in turn.text[s.start : s.end]]
    return starts[0] if starts and turn.asks_plainly else None
