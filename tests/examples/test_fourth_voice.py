"""The voices from the fourth on are whole, use no other voice's sentences, and each of their faults shows by itself."""

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

PLAIN = tuple(voice for voice in Voice if voice not in (Voice.FIRST, Voice.SECOND, Voice.THIRD))
VOICED = pytest.mark.parametrize("voice", PLAIN)
LANGUAGES = pytest.mark.parametrize("language", list(Language))
PAIRS = [(voice, other) for voice in PLAIN for other in Voice if other is not voice]
SINGLE = {"your_phone", "number_ending"}  # fragments that stand inside other wordings
CLOSING = ("see_you", "goodbye", "goodbye_open", "door_open")
EVERYBODYS = {"have a nice day", "have a good day", "uwe na siku njema"}
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


def said(voice: Voice, language: str, *weaknesses: str, seed: int = 0) -> list[str]:
    agent = BookingAgent(today=TODAY, seed=seed, weaknesses=frozenset(map(Weakness, weaknesses)), voice=voice)
    memory = Memory()
    return [agent.reply(memory, line).text for line in CUSTOMERS[language]]


@VOICED
@LANGUAGES
def test_every_placeholder_is_filled(voice: Voice, language: Language) -> None:
    for service in SERVICES.values():
        facts = FACTS | service_words(service, language)
        for bank in (VOICES[voice].natural[language], VOICES[voice].stiff[language], VOICES[voice].faults[language]):
            for wording in chain.from_iterable(bank.values()):
                assert {name for _, name, _, _ in Formatter().parse(wording) if name} <= facts.keys()
                assert "{" not in wording.format(**facts)


@VOICED
@LANGUAGES
def test_every_purpose_has_two_wordings_or_more(voice: Voice, language: Language) -> None:
    for bank in (VOICES[voice].natural[language], VOICES[voice].faults[language]):
        for purpose, wordings in bank.items():
            assert len(wordings) == len(set(wordings))
            assert purpose in SINGLE or len(wordings) >= 2, purpose


@pytest.mark.parametrize("voice, other", PAIRS)
def test_no_sentence_is_another_voices(voice: Voice, other: Voice) -> None:
    theirs = set().union(*map(sentences, banks(VOICES[other])))
    shared = theirs & set().union(*map(sentences, banks(VOICES[voice])))
    assert shared <= EVERYBODYS


@VOICED
@LANGUAGES
def test_a_clean_wording_asks_once_or_not_at_all(voice: Voice, language: Language) -> None:
    asking = ("ask_", "suggest_")
    for register in (VOICES[voice].natural, VOICES[voice].stiff):
        for purpose, wordings in register[language].items():
            assert all(questions(text) == purpose.startswith(asking) for text in wordings), purpose


@VOICED
@LANGUAGES
def test_a_clean_wording_is_short_and_a_stiff_one_hardly_longer(voice: Voice, language: Language) -> None:
    natural, stiff = VOICES[voice].natural[language], VOICES[voice].stiff[language]
    assert all(words(text) <= 30 for text in chain.from_iterable(natural.values()))
    for purpose, (text,) in stiff.items():
        assert words(text) <= max(map(words, natural[purpose])) + 8, purpose


@VOICED
@LANGUAGES
def test_a_farewell_ends_without_a_question(voice: Voice, language: Language) -> None:
    wordings = chain.from_iterable(VOICES[voice].natural[language][purpose] for purpose in CLOSING)
    assert not any(map(questions, wordings))


@VOICED
@LANGUAGES
def test_each_addition_that_asks_is_one_question(voice: Voice, language: Language) -> None:
    faults = VOICES[voice].faults[language]
    asked = [faults[purpose] for purpose in faults if purpose.startswith("more_") or purpose == "hanging"]
    assert all(questions(text) == 1 for text in chain.from_iterable(asked))
    for purpose in ("filler", "lost", "memory", "pushy", "dodge"):
        assert not any(map(questions, faults[purpose])), purpose


@VOICED
@LANGUAGES
def test_every_filler_is_long_and_no_other_fault_is(voice: Voice, language: Language) -> None:
    faults = VOICES[voice].faults[language]
    assert all(words(text) >= 28 for text in faults["filler"])
    others = chain.from_iterable(wordings for purpose, wordings in faults.items() if purpose != "filler")
    assert all(words(text) <= 30 for text in others)


@VOICED
@LANGUAGES
def test_no_unpriced_wording_names_a_price(voice: Voice, language: Language) -> None:
    faults = VOICES[voice].faults[language]
    unpriced = chain.from_iterable(wordings for purpose, wordings in faults.items() if purpose.endswith("_unpriced"))
    assert not any("{price}" in text for text in unpriced)


@VOICED
@LANGUAGES
@pytest.mark.parametrize("seed", range(5))
def test_each_weakness_shows_in_a_conversation_and_no_other_does(voice: Voice, language: Language, seed: int) -> None:
    faults, plain = VOICES[voice].faults[language], said(voice, language, seed=seed)
    assert sum(questions(text) > 1 for text in said(voice, language, "two_questions", seed=seed)) >= 3
    long = said(voice, language, "long_winded", seed=seed)
    assert all(words(text) > words(good) + 35 for text, good in zip(long, plain, strict=True))
    assert any(text in said(voice, language, "never_closes", seed=seed)[-1] for text in faults["hanging"])
    for purpose, weakness in (("memory", "remembers_before"), ("pushy", "pushy_payment"), ("lost", "loses_thread")):
        assert any(text in reply for text in faults[purpose] for reply in said(voice, language, weakness, seed=seed))
        assert not any(text in reply for text in faults[purpose] for reply in plain)
    assert "KES" not in " ".join(said(voice, language, "ignores_price", seed=seed))
    for weakness in set(Weakness) - {Weakness.TWO_QUESTIONS, Weakness.LONG_WINDED}:
        spoilt = said(voice, language, weakness, seed=seed)
        assert max(map(questions, spoilt)) == 1, weakness
        assert max(map(words, spoilt)) <= 80, weakness
