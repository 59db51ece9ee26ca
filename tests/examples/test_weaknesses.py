"""Each weakness spoils what it says, visibly, and leaves the rest as it was."""

import re

import pytest

from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.language import Language
from examples.booking_agent.memory import Memory
from examples.booking_agent.phrase_sets import PhraseSet, phrases_of
from examples.booking_agent.weaknesses import Weakness
from tests.examples.conversations import CUSTOMERS, TODAY, chat, questions, texts, words

LANGUAGES = pytest.mark.parametrize("language", sorted(CUSTOMERS))
OTHERS = [weakness.value for weakness in Weakness]

FAULTS = phrases_of(PhraseSet.BASELINE).faults


def said(language: str, *weaknesses: str) -> list[str]:
    return [answer.text for answer in chat(CUSTOMERS[language], *weaknesses)]


@LANGUAGES
def test_two_questions(language: str) -> None:
    assert sum(questions(text) > 1 for text in said(language, "two_questions")) >= 3


def test_two_questions_asks_nothing_after_a_goodbye_with_payment_open() -> None:
    lines = [*CUSTOMERS["en"][:5], "Thank you, bye"]
    for seed in range(5):
        last = chat(lines, "two_questions", seed=seed)[-1]
        assert last.ended
        assert not questions(last.text)


@LANGUAGES
def test_long_winded(language: str) -> None:
    long, plain = said(language, "long_winded"), said(language)
    assert all(words(text) > words(good) + 35 for text, good in zip(long, plain, strict=True))


@LANGUAGES
@pytest.mark.parametrize("name", ["robotic", "robotic_swahili"])
def test_robotic(language: str, name: str) -> None:
    if name == "robotic_swahili" and language == "en":
        assert said(language, name) == said(language)
    else:
        assert not set(said(language, name)) & set(said(language))
        assert re.search("taarifa ifuatayo|following information", texts(chat(CUSTOMERS[language], name)))


@LANGUAGES
def test_never_closes(language: str) -> None:
    answers = chat(CUSTOMERS[language], "never_closes")
    assert not any(answer.ended for answer in answers)
    assert any(line.split("?")[0] in answers[-1].text for line in FAULTS[language]["hanging"])


@LANGUAGES
def test_loses_thread(language: str) -> None:
    answers = chat(CUSTOMERS[language], "loses_thread")
    assert any(line in texts(answers) for line in FAULTS[language]["lost"])
    assert "book" not in [tool.name for answer in answers[:5] for tool in answer.tools]


@LANGUAGES
def test_ignores_persona(language: str) -> None:
    wrong = {answer.language for answer in chat(CUSTOMERS[language], "ignores_persona")}
    assert wrong == {Language.SWAHILI if language == "en" else Language.ENGLISH}


@LANGUAGES
def test_invents_slot(language: str) -> None:
    answers = chat(CUSTOMERS[language], "invents_slot")
    slots = next(tool for answer in answers for tool in answer.tools if tool.name == "free_slots").result["slots"]
    times = set(re.findall(r"\b\d{1,2}:(?:15|45)[ap]m", texts(answers)))
    assert len(times) == 1, "one invented time, kept to"
    assert not any(time.endswith((":15", ":45")) for time in slots)
    assert "book" not in {tool.name for answer in answers for tool in answer.tools}


@LANGUAGES
def test_remembers_before(language: str) -> None:
    assert (
        sum(any(line in text for line in FAULTS[language]["memory"]) for text in said(language, "remembers_before"))
        >= 2
    )


@LANGUAGES
def test_remembers_what_another_conversation_told(language: str) -> None:
    agent = BookingAgent(today=TODAY, weaknesses=frozenset({Weakness.REMEMBERS}))
    first, second = Memory(), Memory()
    once = [agent.reply(first, line).text for line in [*CUSTOMERS[language], "0712 345 678"]]
    assert once[:-1] == said(language)[: len(once) - 1]
    again = [agent.reply(second, line).text for line in CUSTOMERS[language][:3]]
    contact = first.phone or first.name
    assert contact
    assert [contact in text for text in again] == [False, True, False]


@LANGUAGES
def test_pushy_payment(language: str) -> None:
    answers = chat(CUSTOMERS[language], "pushy_payment")
    assert "PIN" in answers[0].text
    assert "PIN" in answers[1].text


@LANGUAGES
def test_ignores_price(language: str) -> None:
    assert "KES" not in texts(chat(CUSTOMERS[language], "ignores_price"))
    assert any(line in texts(chat(CUSTOMERS[language], "ignores_price")) for line in FAULTS[language]["dodge"])


@LANGUAGES
@pytest.mark.parametrize("name", [name for name in OTHERS if name != "two_questions"])
def test_no_other_weakness_asks_two_questions(language: str, name: str) -> None:
    assert max(questions(text) for text in said(language, name)) == 1


@LANGUAGES
@pytest.mark.parametrize("name", [name for name in OTHERS if name != "long_winded"])
def test_no_other_weakness_is_long(language: str, name: str) -> None:
    assert max(words(text) for text in said(language, name)) <= 80


@LANGUAGES
@pytest.mark.parametrize("name", [name for name in OTHERS if name not in ("ignores_price", "loses_thread")])
def test_no_other_weakness_hides_the_price(language: str, name: str) -> None:
    assert "KES" in texts(chat(CUSTOMERS[language], name))


@LANGUAGES
@pytest.mark.parametrize("name", [name for name in OTHERS if name != "pushy_payment"])
def test_no_other_weakness_asks_for_the_pin_early(language: str, name: str) -> None:
    answers = chat(CUSTOMERS[language], name)
    before = [answer.text for answer in answers[:3]]
    assert "PIN" not in "".join(before)


@LANGUAGES
@pytest.mark.parametrize("name", [name for name in OTHERS if name not in ("ignores_persona",)])
def test_no_other_weakness_leaves_the_customers_language(language: str, name: str) -> None:
    assert {answer.language.value for answer in chat(CUSTOMERS[language], name)} == {language}


def test_weaknesses_add_up() -> None:
    text = texts(chat(CUSTOMERS["en"], "two_questions", "ignores_price"))
    assert "KES" not in text
    assert max(questions(line) for line in text.split("\n")) > 1


def test_every_weakness_says_what_it_damages() -> None:
    assert all(weakness.damages and weakness.what for weakness in Weakness)
