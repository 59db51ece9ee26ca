"""Faults of a simulated customer that need no model: it gives itself away, goes round, or changes its language.

Every rule accuses by the customer's own messages. How often each is wrong about real simulated users is measured by
benchmarks/simulator_rules.py; the figures stand in docs/battles.md.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from apps.core.dialogue.language import detect
from apps.personas.domain.simulator_findings import FaultKind, FaultRule, SimulatorFinding
from apps.runs.domain.loops import normal, repeated_by_customer
from apps.runs.domain.simulator import RULES

SWITCH_WORDS = 6  # a message of fewer words says too little about its language
SWITCH_MESSAGES = 2  # one may be a quotation, a name, a courtesy
VERBATIM_WORDS = 8  # of our own instructions in a row
QUOTE_CHARS = 300

_AN_AI = (
    r"(?:an? )?(?:ai|a\.i\.|artificial intelligence|(?:large |ai )*language model|llm|chat ?bot|bot|virtual assistant|"
    r"(?:ai|simulated|test) (?:customer|user|persona|assistant)|simulation|computer program)"
)
# Said of themselves, in the present: "are you a bot?" and "I am tired of bots" are what people say to an agent.
_LEAKS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:i am|i'm|im) (?:just |only |actually |really |in fact )?{_AN_AI}\b",
        r"\bas an? (?:ai|artificial intelligence|(?:large |ai )*language model|llm|chat ?bot|simulated (?:customer|"
        r"user))\b",
        r"\bmy (?:system prompt|prompt|persona|training data)\b",
        r"\b(?:my|according to (?:my|the)) instructions (?:say|tell|are to|were to|state|require|don't|do not)\b",
        r"\b(?:i was|i've been|i have been|i am|i'm) (?:told|instructed|asked|prompted|programmed|designed|trained) to "
        r"(?:play|act as|pretend|role ?-?play|simulate)\b",
        r"\b(?:stay|staying|remain|break|breaking) (?:in|out of) character\b|\b(?:break|breaking) character\b",
        r"\brole ?-?play(?:ing)? (?:a|the|as)\b|\bi(?:'m| am) (?:only |just )?(?:simulating|role ?-?playing)\b",
        r"\bmimi ni (?:ai|akili bandia|roboti|bot|programu|modeli ya lugha|mteja wa majaribio)\b",
        r"\bkama (?:ai|akili bandia|modeli ya lugha)\b|\bmaagizo yangu (?:yanasema|ni)\b|\bnimeambiwa niigize\b",
        r"\bsono (?:solo |soltanto )?(?:un'|una |un )?(?:ia|intelligenza artificiale|modello linguistico|chatbot|bot|"
        r"simulazione|cliente simulato)\b",
        r"\bin quanto (?:ia|intelligenza artificiale|modello linguistico)\b|\ble mie istruzioni (?:dicono|sono)\b|"
        r"\bmi è stato (?:detto|chiesto) di (?:recitare|fingere|interpretare|simulare)\b",
        r'"(?:done|reason)"\s*:\s*(?:true|false|")|</?(?:persona|goal|conversation)>',
    )
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MIXED = frozenset({"en", "sw", "mixed"})


def rule_findings(turns: Sequence[Mapping[str, Any]], spec: Mapping[str, Any]) -> list[SimulatorFinding]:
    """What the rules find in one battle. `turns` are those of the conversation document, numbered from 0; `spec` is the
    battle's. The scenario's opening is nobody's fault. Pure; some 0.2 ms a turn of the customer."""
    own = [
        (at, str(turn.get("content") or ""))
        for at, turn in enumerate(turns)
        if turn.get("role") == "user" and turn.get("content")
    ]
    opening = str(spec.get("opening") or "")
    played = own[1:] if own and opening and own[0][1] == opening else own
    found = (_leak(played), _loop(turns), _language_switch(played, spec))
    return [one for one in found if one is not None]


def _leak(own: Sequence[tuple[int, str]]) -> SimulatorFinding | None:
    for at, text in own:
        said = next((match[0] for pattern in _LEAKS if (match := pattern.search(text))), "") or _instruction_in(text)
        if said:
            why = "The customer gives away that it is a program, or what it was told."
            return SimulatorFinding(kind=FaultKind.LEAKED, rule=FaultRule.LEAK, turn=at, quote=said, why=why)
    return None


def _instruction_in(text: str) -> str:
    """Words of our own instructions that stand in the message, "" for none."""
    words = normal(text).split()
    for at in range(len(words) - VERBATIM_WORDS + 1):
        run = " ".join(words[at : at + VERBATIM_WORDS])
        if run in _INSTRUCTIONS:
            return run
    return ""


def _loop(turns: Sequence[Mapping[str, Any]]) -> SimulatorFinding | None:
    numbers = [at for at, turn in enumerate(turns) if turn.get("role") in ("user", "assistant") and turn.get("content")]
    third = repeated_by_customer([(str(turns[at]["role"]), str(turns[at]["content"])) for at in numbers])
    if third is None:
        return None
    at = numbers[third]
    why = "The customer says the same three times in a row, and the agent had not asked the same again."
    quote = str(turns[at]["content"])[:QUOTE_CHARS]
    return SimulatorFinding(kind=FaultKind.BROKE, rule=FaultRule.LOOP, turn=at, quote=quote, why=why)


def _language_switch(own: Sequence[tuple[int, str]], spec: Mapping[str, Any]) -> SimulatorFinding | None:
    """The first of two messages in a language the persona does not write in. Swahili and English together are nobody's
    switch: who writes one in Kenya writes some of the other."""
    language = str(spec.get("language") or "en")
    allowed = {language, "mixed"} if language in ("en", "sw") else {language}
    if language == "mixed" or (spec.get("persona_spec") or {}).get("code_mixing"):
        allowed |= _MIXED
    if language not in ("en", "sw", "it", "mixed"):
        return None  # the detector knows no other
    others = []
    for at, text in own:
        words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
        if len(words) >= SWITCH_WORDS and (detect(words) or language) not in allowed:
            others.append((at, text))
    if len(others) < SWITCH_MESSAGES:
        return None
    at, text = others[0]
    why = f"{len(others)} messages are not in the persona's language ({language})."
    return SimulatorFinding(
        kind=FaultKind.BROKE, rule=FaultRule.LANGUAGE_SWITCH, turn=at, quote=text[:QUOTE_CHARS], why=why
    )


_INSTRUCTIONS = normal(RULES)
