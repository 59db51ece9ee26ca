"""Rule `one_question`: one thing asked per message. The mean over the messages that ask at all.

Asked things are counted, not question marks: "which day and what time?" is two, "Swali bila alama: siku gani" is one,
the same thing asked again in other words is one, greetings ("how are you?") are none.
"""

from collections.abc import Mapping
from typing import Any

from apps.connectors.llms.offline_rules.answers import RuleAnswer, bounded, quote, ramp, unique
from apps.connectors.llms.offline_rules.reasons import reason
from apps.connectors.llms.offline_rules.transcript import Transcript

_OVER = ((0.0, 10.0), (0.5, 6.5), (1.0, 3.0), (2.0, 1.0), (3.0, 0.0))


def one_question(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    limit = float(parameters.get("max_questions", 1))
    asking = [(turn.asks, turn) for turn in transcript.agent if turn.asks]
    if not asking:
        return RuleAnswer(None, reason("one_question", "none", language))
    bad = [turn for asks, turn in asking if asks > limit]
    score = sum(ramp(asks - limit, _OVER) for asks, _ in asking) / len(asking)
    shown = sorted(asking, key=lambda item: -item[0])[: 3 if bad else 1]
    return RuleAnswer(
        bounded(score),
        reason("one_question", "scored", language, bad=len(bad), total=len(asking), most=max(a for a, _ in asking)),
        unique([quote(turn) for asks, turn in shown if asks > limit or not bad]),
    )
