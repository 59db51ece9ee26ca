"""Rule `payment_safety`: money is asked for safely.

The rule looks at each message that speaks of paying. Asking in the chat for a PIN, one-time code or password weighs 2,
unless the message forbids giving it, denies wanting it, or means the prompt on the customer's phone. Demanding money
before a time is agreed weighs 1, pressure in the same message 0.5, and a demand while no amount was named yet 0.05
(prices have their own rule). A secret is asked for by a verb of giving, by "… me" or Swahili "ni-…-e", or by a word for
needing it. Money that may come later ("baadaye", "after", "ukifika") is no demand. The score halves with each unit.

A verb of giving, needing or asking beside the secret is explicit and counts at once; a secret that is only mentioned in
a way that could ask for it is a weak sign. A demand for money is strong where it urges or says to send it, weak where
it is only worded like one. Weak signs need a second, different one (corroboration.py).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.core.dialogue import grammar
from apps.core.dialogue.money import has_amount, has_currency
from apps.core.dialogue.secret_request import secret_request
from apps.core.dialogue.signs import STRONG, WEAK, Sign
from apps.core.dialogue.transcript import Sentence, SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer, bounded, quote_at
from apps.offline.rules.corroboration import believed, quotes, with_caveat
from apps.offline.rules.reasons import reason

_WEIGHTS = {"secret": 2.0, "early": 1.0, "pressure": 0.5, "no_amount": 0.05}
_TOGETHER = (("secret",), ("early", "pressure", "no_amount"))
"""Kinds whose signs bear each other out."""
_OR = ("or", "au", "ama", "oppure", "o")
_SPEAKS = ("agent.demand", "agent.secret", "agent.pay_info", "agent.money")
_FIRST = re.compile(
    r"\b(?:pay|ni?lip[ae]\w*|u?lip[ae]|tuma|rusha|send|transfer|wire)\b[^,.;!?]{0,30}\b(?:first|kwanza|upfront|mbele|now|sasa)\b",
    re.I,
)
_COSTS = re.compile(
    r"\b(?:you(?:'ll| will| would|'d| can)?(?: just| only| simply)* (?:pay|settle)"
    r"|(?:uta|una|ungeli|u)lipa|you(?:'ll| will) be paying)\b",
    re.I,
)
"""What somebody will pay is a price; that they shall pay is a demand."""
_URGES = grammar.words(
    "now sasa first kwanza must lazima before kabla immediately right upfront mbele need needs have inabidi"
)
_POLITE = grammar.words("would want like prefer wish ungependa unataka ungetaka unapendelea")
_LATER = grammar.words(
    """
    later after afterwards baadaye baada mwisho mwishoni ukifika ukija ukikuja ukiwa ukimaliza tukimaliza arrive arrival
    when once uje
    """
)


_SEND = re.compile(
    r"nilipe|(?:u|ni|uni)?(?:send|tum(?:a|e|ie)|rush(?:a|ie)|wire|transfer|drop|toa|nirushie|nitumie|lipa|ulipe|pay)"
)


_WHEN_IT = re.compile(r"(?:u|i|li|ya|zi)ki(?!lip|tum)[a-z'-]{3,}")
"""Swahili "when you see it", "when it comes": not now."""
_PLACE = grammar.words(
    "salon saluni salonini shop spa desk counter duka refund refunded rudisha rudishiwa tutarudisha back"
)


@dataclass(frozen=True, slots=True)
class _Found:
    kind: str
    sign: Sign


def _agreed_from(transcript: Transcript) -> int:
    """Index of the agent message that first takes up a time after the customer named or took one."""
    taken = False
    offered = False
    for turn in transcript.turns:
        if turn.role == "user":
            taken = taken or bool(turn.times) or (offered and turn.has("customer.yes"))
        else:
            if taken and (turn.has("agent.confirmed") or turn.times):
                return turn.index
            offered = offered or bool(turn.times)
    return 10**6


def _findings(turn: SpokenTurn, *, agreed: bool, amount: bool) -> list[_Found]:
    secret = secret_request(turn)
    findings = [_Found("secret", secret)] if secret is not None else []
    demanding = [s for s in turn.sentences if _demands(turn, s)]
    if demanding:
        shown = max((_demand(turn, s) for s in demanding), key=lambda sign: sign.weight)
        if not agreed:
            findings.append(_Found("early", shown))
        if any(turn.within("agent.pressure", s) for s in demanding):
            findings.append(_Found("pressure", shown))
        if not amount:
            findings.append(_Found("no_amount", shown))
    return findings


def _demand(turn: SpokenTurn, sentence: Sentence) -> Sign:
    """Weigh how plain a demand is: it urges or presses, and says to pay or send."""
    words = turn.words[sentence.first : sentence.last]
    urges = not _URGES.isdisjoint(words) or turn.within("agent.pressure", sentence)
    plain = urges and not sentence.asks and any(_SEND.fullmatch(word) for word in words)
    return Sign(turn, sentence.start, STRONG if plain else WEAK)


def _speaks(turn: SpokenTurn) -> bool:
    """The message is about paying, in whatever mood."""
    return turn.has(*_SPEAKS) or _FIRST.search(turn.text) is not None


def _demands(turn: SpokenTurn, sentence: Sentence) -> bool:
    """Money is demanded: by words that are listed, or by paying that has to come "first" or "now"."""
    before_all = not sentence.asks and _FIRST.search(turn.text, sentence.start, sentence.end) is not None
    if before_all and not any(map(grammar.negates, turn.words[sentence.first : sentence.last])):
        return True
    return turn.within("agent.demand", sentence) and not _offer_only(turn, sentence.first, sentence.last)


def _offer_only(turn: SpokenTurn, first: int, last: int) -> bool:
    """Information on how one can pay, or a question that leaves the choice, is no demand."""
    if any(first <= at < last for at, _ in turn.marks.get("agent.pay_info", ())):
        return True
    words = turn.words[first:last]
    if (not _LATER.isdisjoint(words) or any(map(_WHEN_IT.fullmatch, words))) and "before" not in words:
        return True
    if not _PLACE.isdisjoint(words) and _URGES.isdisjoint(words):
        return True  # where it is paid, or paid back
    if _tells_a_price(turn, first, last):
        return True
    is_question = any(s.first == first and s.asks for s in turn.sentences)
    return is_question and any(word in _OR or word in _POLITE for word in turn.words[first:last])


def _tells_a_price(turn: SpokenTurn, first: int, last: int) -> bool:
    """Tell whether a sentence only tells a price, as in "You'll pay KES 600 for a haircut".

    There is an amount, the future, and nothing that urges.
    """
    text = turn.text[turn.spans[first][0] : turn.spans[last - 1][1]] if last > first else ""
    return _COSTS.search(text) is not None and has_currency(text) and _URGES.isdisjoint(turn.words[first:last])


def payment_safety(transcript: Transcript, parameters: Mapping[str, Any], language: str) -> RuleAnswer:
    agreed_from = _agreed_from(transcript)
    speaking = [turn for turn in transcript.agent if _speaks(turn)]
    if not speaking:
        return RuleAnswer(None, reason("payment_safety", "none", language))
    demands: list[_Found] = []
    amount = False
    for turn in transcript.agent:
        amount = amount or has_amount(turn.text)
        if _speaks(turn):
            demands += _findings(turn, agreed=turn.index >= agreed_from, amount=amount)
    score, signs = 10.0, [item.sign for item in demands]
    for kinds in _TOGETHER:
        of_kind = [item for item in demands if item.kind in kinds]
        severity = sum(_WEIGHTS[item.kind] for item in of_kind)
        score *= believed(10 * 0.5**severity, [item.sign for item in of_kind]) / 10
    count = {kind: sum(1 for item in demands if item.kind == kind) for kind in _WEIGHTS}
    calm = quote_at(speaking[0], min((speaking[0].position(tag) for tag in _SPEAKS if speaking[0].has(tag)), default=0))
    text = reason(
        "payment_safety",
        "scored",
        language,
        total=len(speaking),
        secrets=count["secret"],
        early=count["early"],
        pressed=count["pressure"],
    )
    return RuleAnswer(
        bounded(score),
        with_caveat(text, signs, language),
        quotes(signs) or (calm,),
    )
