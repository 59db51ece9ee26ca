"""Rule `price_clarity`: asked for a price, say it. The mean over the customer's price questions.

An amount with its currency in the answer is 10, a bare number 7, in the message after it 5; "it depends" without a
number 1, nothing 0. Not asked: not assessed.
"""

from collections.abc import Mapping
from typing import Any

from apps.core.dialogue.money import has_amount, has_currency
from apps.core.dialogue.transcript import SpokenTurn, Transcript
from apps.offline.rules.answers import Quote, RuleAnswer, bounded, quote, unique
from apps.offline.rules.reasons import reason


def _asks_price(turn: SpokenTurn) -> bool:
    return turn.has("customer.asks_price") and (turn.asks > 0 or "?" in turn.text or len(turn.words) < 8)


def _answer(replies: list[SpokenTurn]) -> float:
    first = replies[0].text
    if has_currency(first):
        return 10.0
    if has_amount(first):
        return 7.0
    if len(replies) > 1 and has_currency(replies[1].text):
        return 5.0
    return 1.0 if replies[0].has("agent.dodge") else 0.0


def price_clarity(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    scores: list[float] = []
    shown: list[Quote] = []
    for turn in transcript.customer:
        replies = [reply for reply in transcript.agent if reply.index > turn.index][:2]
        if _asks_price(turn) and replies:
            scores.append(_answer(replies))
            shown.append(quote(replies[0]))
    if not scores:
        return RuleAnswer(None, reason("price_clarity", "none", language))
    order = sorted(range(len(scores)), key=lambda at: scores[at])
    return RuleAnswer(
        bounded(sum(scores) / len(scores)),
        reason("price_clarity", "scored", language, asked=len(scores), clear=sum(1 for s in scores if s >= 9)),
        unique([shown[at] for at in order][:3]),
    )
