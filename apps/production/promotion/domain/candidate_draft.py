"""Draft a test from a masked conversation: opening, goal and persona, by rules. No model is asked here.

Only masked text is read, and nothing of it is told as an instruction: what the customer said stands in quotes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from apps.core.dialogue.language import detect
from apps.core.dialogue.transcript import SpokenTurn
from apps.core.errors import BadInput
from apps.core.languages import is_language
from apps.core.redaction import MASKED
from apps.production.privacy.domain.masked_conversation import MaskedConversation, shortened

MAX_OPENING = 1_000
MAX_QUOTE = 220
MAX_QUOTES = 3
_LANGUAGES = {"en": "English", "sw": "Swahili", "it": "Italian", "mixed": "Swahili and English in one sentence"}
_SHORT, _LONG = 6, 25  # words of a message, at the median
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_POLITE = frozenset(
    ("please", "thanks", "thank", "kindly", "tafadhali", "asante", "ahsante", "shukrani", "naomba", "grazie", "prego")
)
_PERSON = re.compile(
    r"\b(?:human|real person|a person|manager|agent|somebody|someone|mtu|meneja|mhudumu|operatore|una persona)\b",
    re.I,
)
# What somebody writes about a fault, not about a wish: English, Swahili, Italian.
_PROTEST = re.compile(
    r"\b(?:nobody|no one|you (?:never|did(?:n['’]?t| not))) (?:asked?|told|tell|said|say|confirm\w*)\b|"
    r"\bi (?:never|did(?:n['’]?t| not)) (?:ask|agree|say|want|confirm|order|book)\w*|\bi (?:just )?(?:said|told you)\b|"
    r"\bthat(?:['’]s| is| was)(?:n['’]t| not) what\b|\b(?:is|was|are)(?:n['’]t| not) (?:right|true|correct)\b|"
    r"\bwhy (?:did|have|do|would) you\b|\byou (?:got|have) it wrong\b|\bwrong (?:day|time|service|price|name|amount)\b|"
    r"\b(?:terrible|ridiculous|unacceptable|useless|complain\w*|disappoint\w*)\b|"
    r"\bhamkuniuliza|\bhakuna aliyeniuliza|\bsikuulizwa|\bnilisema|\bnimesema|\bsikusema|\bsikutaka|\bmbona (?:m|u)me|"
    r"\bsivyo nilivyo|\bmakosa yenu|\blalamik\w*|"
    r"\bnessuno (?:me|mi)\b|\b(?:non|mai) (?:ho|avevo) (?:chiesto|detto|confermato|prenotato|voluto)|"
    r"\bho (?:già )?detto\b|"
    r"\bperch[eé] (?:ha|hai|avete)\b|\bha sbagliato|\bavete sbagliato|\bè sbagliat\w|\breclamo\b|\binaccettabile\b",
    re.I,
)
_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|habari(?: yako| zenu)?|hujambo|jambo|niaje|mambo|sasa|vipi|ciao|buongiorno|buonasera|salve|"
    r"good (?:morning|afternoon|evening))\W*",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateDraft:
    """A draft of a candidate. `by` says who wrote its goal and persona: "rules" or the model's name."""

    opening: str
    goal: str
    persona: str
    language: str
    by: str = "rules"


def draft_candidate(conversation: MaskedConversation) -> CandidateDraft:
    """The draft. Raises BadInput (`nothing_said`) where no customer said anything. Pure."""
    customer_lines = conversation.customer
    if not customer_lines:
        message = "The customer said nothing in this conversation, so there is nothing to play again."
        raise BadInput(message, code="nothing_said", pointer="/conversation_id")
    language = _language(conversation)
    return CandidateDraft(
        opening=shortened(customer_lines[0], MAX_OPENING),
        goal=goal_of(wishes(customer_lines), language=language),
        persona=persona_of(customer_lines, language=language),
        language=language,
    )


def wishes(said: Sequence[str]) -> Sequence[str]:
    """The customer's wishes before anything went wrong: their messages up to the first that protests. The first message
    stays, whatever it is: it opened the conversation. Pure."""
    protest = next((at for at, text in enumerate(said) if at and _PROTEST.search(text)), len(said))
    return said[:protest]


def goal_of(said: Sequence[str], *, language: str) -> str:
    """The goal of the customer, in their own words, which stand in quotes and are nobody's instruction."""
    wanted = [one for one in said if not _GREETING.fullmatch(one) and _WORDS.search(MASKED.sub("", one))]
    chosen = list(dict.fromkeys(wanted or said))[:MAX_QUOTES]
    quotes = " ".join(f"“{_quotable(one)}”" for one in chosen)
    tongue = _LANGUAGES.get(language)
    return (
        f"Get from the business what this customer wrote for{f', in {tongue}' if tongue else ''}. In the customer's "
        f"own words: {quotes} Content when that is settled; leaves when it clearly cannot be had."
    )


def persona_of(said: Sequence[str], *, language: str) -> str:
    """Describe how the customer writes, with no words of theirs. Nothing of the customer can be told from it."""
    lengths = [len(_WORDS.findall(one)) for one in said]
    words = {word.lower() for one in said for word in _WORDS.findall(one)}
    typical = median(lengths)
    how = "in a few words" if typical <= _SHORT else "at length" if typical >= _LONG else "in a sentence or two"
    tongue = _LANGUAGES.get(language, "the language of their first message")
    traits = [f"A customer who writes in {tongue}, {how} a message."]
    if words & _POLITE:
        traits.append("Says please and thank you.")
    if _repeats(said):
        traits.append("Says the same again where it was not answered.")
    if any(one.count("!") > 1 or (len(one) > 8 and one.isupper()) for one in said):
        traits.append("Becomes loud when it takes too long.")
    if any(_PERSON.search(one) for one in said):
        traits.append("Asks for a human being when the answers do not help.")
    return " ".join(traits)


def _repeats(said: Sequence[str]) -> bool:
    plain = [" ".join(word.lower() for word in _WORDS.findall(one)) for one in said]
    long = [one for one in plain if len(one) > 8]
    return len(set(long)) < len(long)


def _language(conversation: MaskedConversation) -> str:
    """Return the language of the customer's words; where they are too few, the one that the document states."""
    words = [word for one in conversation.customer for word in SpokenTurn(0, "user", MASKED.sub(" ", one)).words]
    language = detect(words[:600])
    stated = conversation.language.strip()[:20]
    return language or (stated if stated and is_language(stated) else "")


def _quotable(text: str) -> str:
    """Return the text as one line without the marks that would end the quote around it."""
    plain = " ".join(text.replace("“", "'").replace("”", "'").split())
    return shortened(plain, MAX_QUOTE)
