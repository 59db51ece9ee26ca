"""Rule `closing`: ends well. What the agent does once the customer takes leave, or in its last message.

After the customer's farewell: every further question, offer or demand costs. An answer that lets the customer go has
nearly all; words of farewell that are listed add the last 0.1, because there are more ways to say goodbye than any
list holds. Without the customer's farewell: the last message should end it and leave no question open; a conversation
cut off in the middle (no farewell, no booking) is not assessed.
"""

from collections.abc import Mapping
from typing import Any

from apps.core.dialogue.transcript import SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, quote, unique
from apps.offline.rules.reasons import reason

_LETS_GO, _CURT, _NEW_OFFER = 9.9, 8.0, 5.0
_OFFER_WORDS = ("agent.new_business", "agent.demand")


def _pressing(turn: SpokenTurn) -> bool:
    """Asks on instead of letting go; "let me know if you need anything" is a courtesy, not a question."""
    return turn.asks > 0


def _said_farewell(turn: SpokenTurn) -> bool:
    return turn.has("agent.farewell")


def _parting(turn: SpokenTurn) -> float:
    """Rate how well one message, taken alone, ends the talk; the caller counts questions."""
    if _said_farewell(turn):
        return 10.0
    if turn.has(*_OFFER_WORDS) and not turn.has("agent.thanks") and not turn.names_a_day:
        return _NEW_OFFER
    return _LETS_GO if len(turn.words) > 2 or turn.has("agent.thanks") else _CURT


def _after_farewell(answers: list[SpokenTurn], before: SpokenTurn | None) -> float:
    score = max(_parting(answers[0]), *(_parting(turn) - 1.0 for turn in answers[1:]), 0.0)
    pressing = [turn for turn in answers if _pressing(turn)]
    score -= 6.0 * (len(pressing) / len(answers)) + min(2.0, 1.0 * max(0, len(pressing) - 1))
    if before is not None and _said_farewell(before) and not pressing:
        score = max(score, 8.0)
    return score


def closing(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    leave = transcript.farewell_at
    last = transcript.agent[-1]
    if leave is not None:
        answers = [turn for turn in transcript.agent if turn.index > leave]
        earlier = transcript.before_farewell()
        if answers:
            return RuleAnswer(
                bounded(_after_farewell(answers, earlier[-1] if earlier else None)),
                reason(
                    "closing",
                    "answered",
                    language,
                    farewell=sum(map(_said_farewell, answers)),
                    asking=sum(map(_pressing, answers)),
                ),
                unique([quote(turn) for turn in answers if _pressing(turn)][:3] or [quote(answers[0])]),
            )
    farewell, pressing = _said_farewell(last), _pressing(last)
    ended = farewell or leave is not None or any(turn.has("agent.confirmed") for turn in transcript.agent[-3:])
    if len(transcript.agent) < int(parameters.get("min_messages", 3)) or not ended:
        return RuleAnswer(None, reason("closing", "none", language))
    score = 10.0 if farewell else 7.0 if last.has("agent.thanks", "agent.confirmed") else 5.0
    insists = sum(1 for turn in transcript.agent[-3:] if _pressing(turn)) > 1
    return RuleAnswer(
        bounded(score - (4.0 if insists else 2.0 if pressing else 0.0)),
        reason("closing", "open", language, farewell=int(farewell), asking=int(pressing)),
        (quote(last),),
    )
