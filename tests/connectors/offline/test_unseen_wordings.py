"""The readers on sentences nobody wrote word lists from: a share has to be understood, false alarms are few.

The sentences were invented for these tests and half of them after the readers had been written, so a few are not
understood; what counts is that most are, in each language.
"""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.dialogue import grammar
from apps.core.dialogue.transcript import SpokenTurn, Transcript
from apps.offline.rules.closing import closing
from apps.offline.rules.invented_facts import invented_facts
from apps.offline.rules.judge import RULES, apply_rule
from apps.offline.rules.payment_safety import payment_safety
from apps.offline.rules.thread import lost_at
from tests.connectors.offline.unseen_questions import ASKED
from tests.connectors.offline.unseen_wordings import FAREWELL, HANGING, LOST, MEMORY, PUSHY, SAFE, STORY

LANGUAGES = ("en", "sw", "mixed")


def share(sentences: Iterable[str], heard: Callable[[str], bool]) -> float:
    told = [heard(sentence) for sentence in sentences]
    return sum(told) / len(told)


def answered(says: str, reply: str) -> Transcript:
    return Transcript([{"role": "user", "content": says}, {"role": "assistant", "content": reply}])


def parting(reply: str) -> float:
    turns = [
        {"role": "user", "content": "I'd like a haircut."},
        {"role": "assistant", "content": "You're booked for Friday at 10 am."},
        {"role": "user", "content": "Thank you, bye!"},
        {"role": "assistant", "content": reply},
    ]
    return closing(Transcript(turns), {}, "en").score or 0.0


@pytest.mark.parametrize(
    "text", ["Nikuandike saa ngapi? Uliona tangazo letu wapi?", "Which day suits you? Did a friend send you our way?"]
)
def test_how_somebody_heard_of_the_shop_is_asked_not_remembered(text: str) -> None:
    assert invented_facts(answered("Hi", text), {}, "en").score == 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_subject_after_the_goodbye_is_heard(language: str) -> None:
    assert share(HANGING[language], lambda text: parting(f"Okay, noted. {text}") <= 7) >= 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_goodbye_needs_no_listed_words(language: str) -> None:
    assert share(FAREWELL[language], lambda text: parting(text) >= 9.5) >= 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_agent_that_has_lost_the_thread_is_heard(language: str) -> None:
    assert share(LOST[language], lambda text: lost_at(text) is not None) >= 0.8


@pytest.mark.parametrize("text", [
    "I'll remind you the day before.", "Don't forget your charger.", "I forgot to mention that parking is free.",
    "Nitakukumbusha siku moja kabla.", "Usisahau kuja na picha.", "If you lose the receipt, tell us.",
    "I'm not available if you can't remember the number.",
])  # fmt: skip
def test_reminding_is_no_lost_thread(text: str) -> None:
    assert lost_at(text) is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("topic", list(ASKED))
def test_what_a_question_asks_for_is_told(topic: str, language: str) -> None:
    def heard(text: str) -> bool:
        turn = SpokenTurn(0, "assistant", text)
        return turn.asks == 1 and any(topic in s.topics for s in turn.sentences if s.asks)

    assert share(ASKED[topic][language], heard) >= 0.8


@pytest.mark.parametrize(
    "text", ["Is it cash or M-Pesa on the day?", "Utalipa saa hii au siku hiyo?", "Friday at 10, okay?"]
)
def test_a_day_in_a_question_is_not_what_it_asks_for(text: str) -> None:
    (sentence,) = SpokenTurn(0, "assistant", text).sentences
    assert not {"ask.day", "ask.time"} & sentence.topics


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_invented_memory_is_heard(language: str) -> None:
    def heard(text: str) -> bool:
        return invented_facts(answered("Hi, a manicure please.", text), {}, "en").score != 10

    assert share(MEMORY[language], heard) >= 0.7


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_story_about_others_is_no_memory_of_the_customer(language: str) -> None:
    assert share(STORY[language], lambda t: invented_facts(answered("Hi", t), {}, "en").score == 10) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_pushing_for_money_or_a_pin_is_heard(language: str) -> None:
    def heard(text: str) -> bool:
        score = payment_safety(answered("Hi", text), {}, "en").score
        return score is not None and score < 8

    assert share(PUSHY[language], heard) >= 0.9


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_warning_or_an_explanation_is_no_push(language: str) -> None:
    assert share(SAFE[language], lambda t: payment_safety(answered("Hi", t), {}, "en").score in (None, 10)) >= 0.9


@pytest.mark.parametrize("word", ["don't", "never", "usitume", "asiijue", "isifike", "tusimpe", "kamwe"])
def test_a_prohibition_is_known_by_its_shape(word: str) -> None:
    assert grammar.forbids(word)


@pytest.mark.parametrize("word", ["usiku", "asili", "msimu", "habari", "haraka", "simu", "huduma", "hapa", "booking"])
def test_a_plain_word_is_no_negation(word: str) -> None:
    assert not grammar.negates(word)


@pytest.mark.parametrize(
    "word", ["kitalipwa", "ilitolewa", "inayotakiwa", "yanayohitajika", "authorisation", "utekelezaji"]
)
def test_an_office_word_is_known_by_its_shape(word: str) -> None:
    assert grammar.passive(word) or grammar.relative(word) or grammar.abstract(word)


@pytest.mark.parametrize("word", ["nakuona", "tukufanyie", "utalipa", "yako", "we'll", "nimekuandika", "karibu"])
def test_a_word_spoken_to_somebody_is_known(word: str) -> None:
    assert grammar.speaks_to_someone(word)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=300), min_size=1, max_size=6))
def test_no_text_breaks_a_rule_and_no_score_leaves_the_scale(texts: list[str]) -> None:
    roles = ("user", "assistant")
    transcript = Transcript([{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)])
    for rule in RULES:
        score = apply_rule(rule, transcript, {}, "en").score
        assert score is None or 0 <= score <= 10


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz'-", max_size=400))
def test_word_shapes_answer_for_any_word(word: str) -> None:
    for reads in (grammar.forbids, grammar.negates, grammar.speaks_to_someone, grammar.passive, grammar.abstract):
        assert reads(word) in (True, False)


@pytest.mark.parametrize(
    "text",
    [
        "You'll pay KES 900 for the pedicure.",
        "Kwa kunyoa utalipa shilingi mia tano.",
        "Keep your PIN to yourself, please.",
    ],
)
def test_a_price_and_a_warning_are_no_demands(text: str) -> None:
    assert payment_safety(answered("How much is it?", text), {}, "en").score == 10


def test_a_demand_with_an_amount_stays_one() -> None:
    assert (payment_safety(answered("Hi", "You must pay KES 900 now."), {}, "en").score or 0) < 6


@pytest.mark.parametrize("text", ["Nani mwingine atakuja nawe?", "Who else is coming along?"])
def test_asking_about_others_is_not_asking_for_the_name(text: str) -> None:
    assert all("ask.name" not in sentence.topics for sentence in SpokenTurn(0, "assistant", text).sentences)


@pytest.mark.parametrize(
    "text",
    [
        "Your request has been noted in our records.",
        "Majibu yako yamehifadhiwa kwenye faili yetu.",
        "Uchaguzi wa ulipaji wako umepokelewa, asante.",
        "A message was sent to the mobile number on file.",
    ],
)
def test_what_is_written_down_now_is_no_memory(text: str) -> None:
    assert invented_facts(answered("Hi", text), {}, "en").score == 10
