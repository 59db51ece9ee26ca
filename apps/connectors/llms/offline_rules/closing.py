"""Rule `closing`: ends well. What the agent does once the customer takes leave, or in its last message.

After the customer's farewell: every further question costs, a farewell in the first answer earns. Without one: the last
message should say goodbye or thank, and leave no question open; a conversation cut off in the middle (no farewell, no
booking) is not assessed.
"""

from collections.abc import Mapping
from typing import Any

from apps.connectors.llms.offline_rules.answers import RuleAnswer, bounded, quote, unique
from apps.connectors.llms.offline_rules.reasons import reason
from apps.connectors.llms.offline_rules.transcript import Transcript, Turn


def _pressing(turn: Turn) -> bool:
    """Asks on instead of letting go; "let me know if you need anything" is a courtesy, not a question."""
    return turn.asks > 0


def _said_farewell(turn: Turn) -> bool:
    return turn.has("agent.farewell")


def _after_farewell(answers: list[Turn], before: Turn | None) -> float:
    farewell = _said_farewell(answers[0])
    late = any(_said_farewell(turn) for turn in answers[1:])
    score = 10.0 if farewell else 6.5 if answers[0].has("agent.thanks") else 5.0 if late else 3.5
    pressing = [turn for turn in answers if _pressing(turn)]
    score -= 5.0 * (len(pressing) / len(answers)) + min(2.0, 1.0 * max(0, len(pressing) - 1))
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
    score = 10.0 if farewell else 6.0 if last.has("agent.thanks", "agent.confirmed") else 5.0
    insists = sum(1 for turn in transcript.agent[-3:] if _pressing(turn)) > 1
    return RuleAnswer(
        bounded(score - (4.0 if insists else 2.0 if pressing else 0.0)),
        reason("closing", "open", language, farewell=int(farewell), asking=int(pressing)),
        (quote(last),),
    )
