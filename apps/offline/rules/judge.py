"""The offline judge: every criterion by the rule its snapshot names, all from one reading of the conversation."""

from collections.abc import Callable, Mapping
from typing import Any

from apps.core.dialogue.transcript import Transcript
from apps.offline.rules.answers import RuleAnswer, quote
from apps.offline.rules.brevity import brevity
from apps.offline.rules.closing import closing
from apps.offline.rules.flow import flow
from apps.offline.rules.grounds import (
    BY_TRADE,
    FAULTLESS,
    says_nothing_of_its_own,
    speaks_of_the_trade,
)
from apps.offline.rules.invented_facts import invented_facts
from apps.offline.rules.natural_tone import natural_tone
from apps.offline.rules.one_question import one_question
from apps.offline.rules.payment_safety import payment_safety
from apps.offline.rules.persona_fit import persona_fit
from apps.offline.rules.price_clarity import price_clarity
from apps.offline.rules.reasons import reason
from apps.offline.rules.slot_confirmation import slot_confirmation

Rule = Callable[[Transcript, Mapping[str, Any], str], RuleAnswer]

RULES: dict[str, Rule] = {
    "brevity": brevity,
    "one_question": one_question,
    "flow": flow,
    "natural_tone": natural_tone,
    "closing": closing,
    "persona_fit": persona_fit,
    "slot_confirmation": slot_confirmation,
    "invented_facts": invented_facts,
    "payment_safety": payment_safety,
    "price_clarity": price_clarity,
}
"""Rule id (a criterion's `offline_rule`) -> rule. The criterion's own name is never looked at."""


def apply_rule(rule: str, transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    """One rule's answer; an unknown or empty rule id answers no score and says so, and so does a rule that has nothing
    to go by."""
    if rule not in RULES:
        return RuleAnswer(None, reason("none", "no_rule", language))
    if not transcript.agent:
        return RuleAnswer(None, reason("none", "no_agent", language))
    if says_nothing_of_its_own(transcript):  # it leads nowhere; of all else there is nothing to judge
        if rule != "flow":
            return RuleAnswer(None, reason("none", "echo", language))
        return RuleAnswer(0.0, reason("flow", "echo", language), (quote(transcript.agent[-1]),))
    answer = RULES[rule](transcript, parameters, language)
    if rule in BY_TRADE and answer.score == FAULTLESS and not speaks_of_the_trade(transcript):
        return RuleAnswer(None, reason("none", "other_trade", language))
    return answer


def judge(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the judge's question in the reply shape (a dict, ready for JSON). Pure; about 4 ms for 30 turns."""
    transcript = Transcript(facts.get("turns") or ())
    language = str(facts.get("reason_language") or facts.get("language") or "en")
    key = f"score_{facts['salt']}" if facts.get("salt") else "score"
    scores: dict[str, Any] = {}
    for criterion in facts.get("criteria") or ():
        answer = apply_rule(
            str(criterion.get("offline_rule") or ""), transcript, criterion.get("offline_parameters") or {}, language
        )
        scores[criterion["name"]] = {
            "reason": answer.reason,
            "evidence": [item.text for item in answer.evidence],
            key: answer.score,
        }
    reply: dict[str, Any] = {"scores": scores}
    if facts.get("nonce"):
        reply = {"nonce": facts["nonce"], **reply}
    return reply
