"""Rule `persona_fit`: answers this customer. The language of each answer, and whether moods and worries are met.

Language (weight 7): each answer against the latest customer message whose language can be told. Needs (weight 3,
only where the customer shows one): hurry, upset, suspicion, indecision, money worries, each met when one of the two
messages after it acknowledges it. Words of acknowledgement that are listed count whole; a remark besides the business
(a statement without a time, day or amount) counts nearly so, because sympathy has more words than any list. An answer
that says it did not understand, or cannot help, meets nothing. Greeting a chatty customer as "dear customer" costs a
point.
"""

from collections.abc import Mapping
from typing import Any

from apps.connectors.llms.offline_rules import clock, grammar
from apps.connectors.llms.offline_rules.answers import Quote, RuleAnswer, bounded, quote, unique
from apps.connectors.llms.offline_rules.language import fit
from apps.connectors.llms.offline_rules.money import has_amount
from apps.connectors.llms.offline_rules.reasons import reason
from apps.connectors.llms.offline_rules.transcript import Sentence, Transcript, Turn

NEEDS = {
    "customer.hurry": "agent.ack_hurry",
    "customer.upset": "agent.ack_mood",
    "customer.suspicion": "agent.ack_trust",
    "customer.unsure": "agent.ack_choice",
    "customer.pricey": "agent.ack_price",
}
_ANSWERS = 2
_REMARK, _REMARK_WORDS = 0.95, 3
_BUSINESS = ("agent.lost", "agent.confirmed", "agent.farewell")


def _language_fit(transcript: Transcript) -> tuple[list[float], list[Quote]]:
    """Per answer how well its language fits, and quotes of the answers that do not."""
    fits: list[float] = []
    misses: list[Quote] = []
    spoken: list[str] = []
    for turn in transcript.turns:
        if turn.role == "user":
            if turn.language and (len(turn.words) > 2 or not spoken):
                spoken.append(turn.language)
        elif spoken and turn.language and len(turn.words) > 2:
            value = max(fit(spoken[-1], turn.language), 0.9 * fit(_habit(spoken), turn.language))
            fits.append(value)
            if value < 0.5:
                misses.append(quote(turn))
    return fits, misses


def _habit(spoken: list[str]) -> str:
    """The customer's language over the conversation: both of English and Swahili make it mixed."""
    kinds = set(spoken)
    return spoken[-1] if len(kinds) == 1 else "mixed" if kinds <= {"en", "sw", "mixed"} else spoken[0]


def _remarks(reply: Turn) -> bool:
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


def _personal(reply: Turn, sentence: Sentence) -> bool:
    """Swahili says "I will be quick" in two words."""
    return any(
        len(word) > 5 and grammar.speaks_to_someone(word) for word in reply.words[sentence.first : sentence.last]
    )


def _meets(reply: Turn, answer: str) -> float:
    if reply.has("agent.lost"):
        return 0.0
    return 1.0 if reply.has(answer) else _REMARK if _remarks(reply) else 0.0


def _needs(transcript: Transcript) -> tuple[list[float], list[Quote]]:
    """For every kind of need shown: how far was it met soon after its first sign? And quotes of answers that missed."""
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


def persona_fit(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    fits, foreign = _language_fit(transcript)
    met, unmet = _needs(transcript)
    if not fits and not met:
        return RuleAnswer(None, reason("persona_fit", "none", language))
    parts = [(float(parameters.get("language_weight", 7)), sum(fits) / len(fits))] if fits else []
    if met:
        parts.append((float(parameters.get("needs_weight", 3)), sum(met) / len(met)))
    score = 10 * sum(weight * value for weight, value in parts) / (sum(weight for weight, _ in parts) or 1)
    chatty = any(turn.has("customer.slang") for turn in transcript.customer[:2])
    score -= 1.0 if chatty and any(turn.has("agent.distant") for turn in transcript.agent) else 0.0
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
        unique([*unmet[:2], *foreign[:2]] or [quote(transcript.agent[0])]),
    )
