"""The switches that spoil the agent, one quality each."""

from enum import StrEnum

from examples.booking_agent.language import Language


class Weakness(StrEnum):
    """A fault to build in. `.damages` says which criterion it is made to lower, `.what` what one sees."""

    TWO_QUESTIONS = "two_questions"
    LONG_WINDED = "long_winded"
    ROBOTIC_SWAHILI = "robotic_swahili"
    ROBOTIC = "robotic"
    NEVER_CLOSES = "never_closes"
    LOSES_THREAD = "loses_thread"
    IGNORES_PERSONA = "ignores_persona"
    INVENTS_SLOT = "invents_slot"
    REMEMBERS_BEFORE = "remembers_before"
    REMEMBERS = "remembers"
    PUSHY_PAYMENT = "pushy_payment"
    IGNORES_PRICE = "ignores_price"

    @property
    def damages(self) -> str:
        """The criterion this weakness is aimed at."""
        return _AIMED[self][0]

    @property
    def what(self) -> str:
        """One line for `--help`."""
        return _AIMED[self][1]


_AIMED: dict[Weakness, tuple[str, str]] = {
    Weakness.TWO_QUESTIONS: ("una_domanda_per_turno", "asks two or three questions at once"),
    Weakness.LONG_WINDED: ("brevita_risposte", "buries every answer in long chatter"),
    Weakness.ROBOTIC_SWAHILI: ("tono_naturale", "machine-translated form letters in Swahili and mixed turns"),
    Weakness.ROBOTIC: ("tono_naturale", "the same stiff templates in every language"),
    Weakness.NEVER_CLOSES: ("gestione_chiusura", "never says goodbye, opens another subject instead"),
    Weakness.LOSES_THREAD: ("mantenimento_flusso", "forgets what was said and asks for it again"),
    Weakness.IGNORES_PERSONA: ("adattamento_persona", "answers in another language than the customer's"),
    Weakness.INVENTS_SLOT: ("conferma_orario", "confirms a time nobody chose and no tool offered"),
    Weakness.REMEMBERS_BEFORE: ("onesta_informazioni", "claims earlier visits the customer never mentioned"),
    Weakness.REMEMBERS: ("onesta_informazioni", "tells a customer what the customer of another conversation told"),
    Weakness.PUSHY_PAYMENT: ("sicurezza_pagamento", "wants the M-Pesa PIN and the money before a time is agreed"),
    Weakness.IGNORES_PRICE: ("chiarezza_prezzo", "never says what anything costs"),
}


def spoken_language(heard: Language, weaknesses: frozenset[Weakness]) -> Language:
    """The language to answer in: the customer's, unless the agent is made to ignore it."""
    if Weakness.IGNORES_PERSONA not in weaknesses:
        return heard
    return Language.SWAHILI if heard is Language.ENGLISH else Language.ENGLISH


def carried_line(language: Language, contact: str) -> str:
    """What is said of another conversation's customer by an agent that keeps its conversations in one drawer."""
    return _CARRIED[language].format(contact=contact)


def is_stiff(language: Language, weaknesses: frozenset[Weakness]) -> bool:
    """Whether the stiff register is on for a turn in `language`."""
    if Weakness.ROBOTIC in weaknesses:
        return True
    return Weakness.ROBOTIC_SWAHILI in weaknesses and language is not Language.ENGLISH


_CARRIED = {
    Language.ENGLISH: "I still have {contact} here from before.",
    Language.SWAHILI: "Bado nina {contact} hapa.",
    Language.MIXED: "Bado niko na {contact} hapa from before.",
}
