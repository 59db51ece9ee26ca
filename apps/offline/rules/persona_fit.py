"""Rule `persona_fit`: answers this customer. The language of each answer, and whether moods and worries are met.

Language (weight 7): each answer against the latest customer message whose language can be told. Needs (weight 3,
only where the customer shows one): hurry, upset, suspicion, indecision, money worries, each met when one of the two
messages after it acknowledges it. Words of acknowledgement that are listed count whole; a remark besides the business
(a statement without a time, day or amount) counts nearly so, because sympathy has more words than any list. An answer
that says it did not understand, or cannot help, meets nothing. Greeting a chatty customer as "dear customer" in several
ways costs a point. A single answer in the wrong language hardly counts: it may have been misread (corroboration.py).
"""

from collections.abc import Mapping
from typing import Any

from apps.core.dialogue import clock, grammar
from apps.core.dialogue.language import fit
from apps.core.dialogue.money import has_amount
from apps.core.dialogue.signs import STRONG, WEAK, Sign
from apps.core.dialogue.transcript import Sentence, SpokenTurn, Transcript
from apps.offline.rules.answers import Quote, RuleAnswer, bounded, quote, unique
from apps.offline.rules.corroboration import belief, quotes
from apps.offline.rules.reasons import reason

NEEDS = {
    "customer.hurry": "agent.ack_hurry",
    "customer.upset": "agent.ack_mood",
    "customer.suspicion": "agent.ack_trust",
    "customer.unsure": "agent.ack_choice",
    "customer.pricey": "agent.ack_price",
}
_ANSWERS = 2
_MISFIT = 0.7
"""Fit below which an answer is in the wrong language; one such answer alone may have been misread."""
_REMARK, _REMARK_WORDS = 0.95, 3
_BUSINESS = ("agent.lost", "agent.confirmed", "agent.farewell")


def _language_fit(transcript: Transcript) -> tuple[list[float], list[Sign]]:
    """Per answer how well its language fits, and the answers that do not."""
    fits: list[float] = []
    misses: list[Sign] = []
    spoken: list[str] = []
    habit = _habit([turn.language for turn in transcript.customer if turn.language])
    for turn in transcript.turns:
        if turn.role == "user":
            if turn.language and (len(turn.words) > 2 or not spoken):
                spoken.append(turn.language)
        elif spoken and turn.language and len(turn.words) > 2:
            value = max(fit(spoken[-1], turn.language), 0.9 * fit(habit, turn.language))
            fits.append(value)
            if value < _MISFIT:
                misses.append(Sign(turn, 0, STRONG if value == 0 else WEAK))
    return fits, misses


def _habit(spoken: list[str]) -> str:
    """The customer's language over the conversation: a good share of both English and Swahili makes it mixed."""
    if not spoken:
        return ""
    most = max(set(spoken), key=spoken.count)
    others = sum(1 for language in spoken if language != most)
    return "mixed" if set(spoken) <= {"en", "sw", "mixed"} and 3 * others >= len(spoken) else most


def _remarks(reply: SpokenTurn) -> bool:
    """Something is said besides the business: neither asked nor offered, priced, greeted or agreed."""
    return any(
        not s.asks
        and (s.words >= _REMARK_WORDS or (s.words == 2 and _personal(reply, s)))
        and not any(reply.within(tag, s) for tag in _BUSINESS)
        and not any(s.start <= time.start < s.end for time in reply.times)
        and not has_amount(reply.text[s.start : s.end])
        and not clock.speaks_of_a_day(reply.words[s.first : s.last])
        for s in reply.sentences
    )


def _personal(reply: SpokenTurn, sentence: Sentence) -> bool:
    """Swahili says "I will be quick" in two words."""
    return any(
        len(word) > 5 and grammar.speaks_to_someone(word) for word in reply.words[sentence.first : sentence.last]
    )


def _meets(reply: SpokenTurn, answer: str) -> float:
    if reply.has("agent.lost"):
        return 0.0
    return 1.0 if reply.has(answer) else _REMARK if _remarks(reply) else 0.0


def _needs(transcript: Transcript) -> tuple[list[float], list[Quote]]:
    """Rate for every kind of need how far it was met soon after its first sign. Quotes of misses are returned too."""
    met: list[float] = []
    misses: list[Quote] = []
    seen: set[str] = set()
    for turn in transcript.customer:
        for need, answer in NEEDS.items():
            if need in seen or not turn.has(need):
                continue
            after = [reply for reply in transcript.agent if reply.index > turn.index][:_ANSWERS]
            if not after:
                continue
            seen.add(need)
            met.append(max(_meets(reply, answer) for reply in after))
            if not met[-1]:
                misses.append(quote(after[0]))
    return met, misses


def _believed_fit(fits: list[float], misses: list[Sign]) -> float:
    """The mean fit of the answers, where a lone answer in the wrong language hardly counts."""
    certain = sum(1.0 if value < _MISFIT else value for value in fits) / len(fits)
    return certain - belief(misses) * (certain - sum(fits) / len(fits))


def persona_fit(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    fits, foreign = _language_fit(transcript)
    met, unmet = _needs(transcript)
    if not fits and not met:
        return RuleAnswer(None, reason("persona_fit", "none", language))
    parts = [(float(parameters.get("language_weight", 7)), _believed_fit(fits, foreign))] if fits else []
    if met:
        parts.append((float(parameters.get("needs_weight", 3)), sum(met) / len(met)))
    score = 10 * sum(weight * value for weight, value in parts) / (sum(weight for weight, _ in parts) or 1)
    chatty = any(turn.has("customer.slang") for turn in transcript.customer[:2])
    distant = [
        Sign(turn, turn.position("agent.distant"), WEAK) for turn in transcript.agent if turn.has("agent.distant")
    ]
    score -= 1.0 * belief(distant) if chatty else 0.0
    return RuleAnswer(
        bounded(score),
        reason(
            "persona_fit",
            "scored",
            language,
            fit=sum(fits) / len(fits) if fits else 1.0,
            total=len(fits),
            met=sum(1 for value in met if value),
            needs=len(met),
        ),
        unique([*unmet[:2], *quotes(foreign)[:2]] or [quote(transcript.agent[0])]),
    )
