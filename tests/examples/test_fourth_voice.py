"""The fourth voice is whole, says nothing in another voice's words, and each of its faults shows by itself."""

import re
from itertools import chain
from string import Formatter

import pytest

from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.language import Language
from examples.booking_agent.memory import Memory
from examples.booking_agent.phrases import service_words
from examples.booking_agent.salon import SERVICES
from examples.booking_agent.weaknesses import Weakness
from examples.booking_agent.wordings import Bank
from examples.booking_agent.wordings.voices import VOICES, Voice, Wordings
from tests.examples.conversations import CUSTOMERS, TODAY, questions, words

FOURTH = VOICES[Voice.FOURTH]
LANGUAGES = pytest.mark.parametrize("language", list(Language))
OTHERS = pytest.mark.parametrize("voice", [voice for voice in Voice if voice is not Voice.FOURTH])
SINGLE = {"your_phone", "number_ending"}  # fragments that stand inside other wordings
CLOSING = ("see_you", "goodbye", "goodbye_open", "door_open")
EVERYBODYS = {"have a nice day"}
FACTS = {
    "vocative": ", Wanjiru",
    "day": "Saturday 21 November",
    "weekday": "Saturday",
    "time": "10:30am",
    "slots": "9:00am or 10:30am",
    "options": "box braids or knotless braids",
    "phone": "your phone",
    "digits": "678",
    "receipt": "UKLA2B3C4D",
    "place": "Kilimani",
}


def banks(voice: Wordings) -> list[Bank]:
    return [bank for group in (voice.natural, voice.stiff, voice.faults) for bank in group.values()]


def sentences(bank: Bank) -> set[str]:
    """What stands between full stops, three words or more, without case and signs; a placeholder is a word."""
    wordings = chain.from_iterable(bank[purpose] for purpose in bank.keys() - {"ack"})
    parts = chain.from_iterable(re.split(r"(?<=[.!?])\s", wording) for wording in wordings)
    plain = {" ".join(re.findall(r"[{}\w'-]+", part.lower())) for part in parts}
    return {part for part in plain if len(part.split()) > 2}


def said(language: str, *weaknesses: str, seed: int = 0) -> list[str]:
    agent = BookingAgent(today=TODAY, seed=seed, weaknesses=frozenset(map(Weakness, weaknesses)), voice=Voice.FOURTH)
    memory = Memory()
    return [agent.reply(memory, line).text for line in CUSTOMERS[language]]


@LANGUAGES
def test_every_placeholder_is_filled(language: Language) -> None:
    for service in SERVICES.values():
        facts = FACTS | service_words(service, language)
        for bank in (FOURTH.natural[language], FOURTH.stiff[language], FOURTH.faults[language]):
            for wording in chain.from_iterable(bank.values()):
                assert {name for _, name, _, _ in Formatter().parse(wording) if name} <= facts.keys()
                assert "{" not in wording.format(**facts)


@LANGUAGES
def test_every_purpose_has_two_wordings_or_more(language: Language) -> None:
    for bank in (FOURTH.natural[language], FOURTH.faults[language]):
        for purpose, wordings in bank.items():
            assert len(wordings) == len(set(wordings))
            assert purpose in SINGLE or len(wordings) >= 2, purpose


@OTHERS
def test_no_sentence_is_another_voices(voice: Voice) -> None:
    theirs = set().union(*map(sentences, banks(VOICES[voice])))
    shared = theirs & set().union(*map(sentences, banks(FOURTH)))
    assert shared <= EVERYBODYS


@LANGUAGES
def test_a_clean_wording_asks_once_or_not_at_all(language: Language) -> None:
    asking = ("ask_", "suggest_")
    for register in (FOURTH.natural, FOURTH.stiff):
        for purpose, wordings in register[language].items():
            assert all(questions(text) == purpose.startswith(asking) for text in wordings), purpose


@LANGUAGES
def test_a_clean_wording_is_short_and_a_stiff_one_hardly_longer(language: Language) -> None:
    natural, stiff = FOURTH.natural[language], FOURTH.stiff[language]
    assert all(words(text) <= 30 for text in chain.from_iterable(natural.values()))
    for purpose, (text,) in stiff.items():
        assert words(text) <= max(map(words, natural[purpose])) + 8, purpose


@LANGUAGES
def test_a_farewell_ends_without_a_question(language: Language) -> None:
    wordings = chain.from_iterable(FOURTH.natural[language][purpose] for purpose in CLOSING)
    assert not any(map(questions, wordings))


@LANGUAGES
def test_each_addition_that_asks_is_one_question(language: Language) -> None:
    faults = FOURTH.faults[language]
    asked = [faults[purpose] for purpose in faults if purpose.startswith("more_") or purpose == "hanging"]
    assert all(questions(text) == 1 for text in chain.from_iterable(asked))
    for purpose in ("filler", "lost", "memory", "pushy", "dodge"):
        assert not any(map(questions, faults[purpose])), purpose


@LANGUAGES
def test_every_filler_is_long_and_no_other_fault_is(language: Language) -> None:
    faults = FOURTH.faults[language]
    assert all(words(text) >= 28 for text in faults["filler"])
    others = chain.from_iterable(wordings for purpose, wordings in faults.items() if purpose != "filler")
    assert all(words(text) <= 30 for text in others)


@LANGUAGES
def test_no_unpriced_wording_names_a_price(language: Language) -> None:
    faults = FOURTH.faults[language]
    unpriced = chain.from_iterable(wordings for purpose, wordings in faults.items() if purpose.endswith("_unpriced"))
    assert not any("{price}" in text for text in unpriced)


@LANGUAGES
@pytest.mark.parametrize("seed", range(5))
def test_each_weakness_shows_in_a_conversation_and_no_other_does(language: Language, seed: int) -> None:
    faults, plain = FOURTH.faults[language], said(language, seed=seed)
    assert sum(questions(text) > 1 for text in said(language, "two_questions", seed=seed)) >= 3
    long = said(language, "long_winded", seed=seed)
    assert all(words(text) > words(good) + 35 for text, good in zip(long, plain, strict=True))
    assert any(text in said(language, "never_closes", seed=seed)[-1] for text in faults["hanging"])
    for purpose, weakness in (("memory", "remembers_before"), ("pushy", "pushy_payment"), ("lost", "loses_thread")):
        assert any(text in reply for text in faults[purpose] for reply in said(language, weakness, seed=seed))
        assert not any(text in reply for text in faults[purpose] for reply in plain)
    assert "KES" not in " ".join(said(language, "ignores_price", seed=seed))
    for weakness in set(Weakness) - {Weakness.TWO_QUESTIONS, Weakness.LONG_WINDED}:
        spoilt = said(language, weakness, seed=seed)
        assert max(map(questions, spoilt)) == 1, weakness
        assert max(map(words, spoilt)) <= 80, weakness
