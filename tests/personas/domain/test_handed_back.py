"""A simulated customer that speaks the business's lines is found without a model; one that answers it is left alone."""

import pytest

from apps.personas.domain.simulator_rules import rule_findings


def found(*said: str):
    roles = ("user", "assistant")
    turns = [{"role": roles[at % 2], "content": text} for at, text in enumerate(said)]
    return [one for one in rule_findings(turns, {"language": "en", "opening": said[0]}) if one.rule == "agent_lines"]


@pytest.mark.parametrize(
    "asked, answer",
    [
        ("What is your name?", "Hi! What's your name, please?"),
        ("Sawa. Jina lako nani?", "Jina lako nani?"),
        ("Buongiorno. Qual è il tuo nome?", "Buongiorno, qual è il tuo nome?"),
    ],
)
def test_a_question_that_is_handed_back_is_certain(asked: str, answer: str) -> None:
    (one,) = found("Hello, a haircut.", asked, answer)
    assert one.decides
    assert one.quote == answer


def test_the_agents_own_greeting_twice_is_certain_and_once_is_told() -> None:
    greeting = "Salama! Karibu sana kwetu Salon Amani leo. Tukuwekee siku gani na saa ngapi?"
    echo = "Salama karibu sana kwetu Salon Amani. Tukuwekee siku gani na saa ngapi"
    (once,) = found("Habari", greeting, echo)
    assert not once.decides
    (twice,) = found("Habari", greeting, echo, greeting, echo)
    assert twice.decides


@pytest.mark.parametrize(
    "asked, answer",
    [
        ("What is your name?", "Wanjiru. And what is your name?"),
        ("Friday at ten or Saturday at eleven?", "Friday at ten please."),
        ("So a haircut on Friday at ten for Wanjiru in Westlands?",
         "Yes, a haircut on Friday at ten for Wanjiru in Westlands."),
        ("What city do you want to see a doctor in?", "I want to see a doctor in American Canyon."),
        ("Please run a speed test now to check the speed.", "Let me run the speed test now."),
    ],
)  # fmt: skip
def test_who_answers_or_confirms_is_not_accused(asked: str, answer: str) -> None:
    assert not found("Hello, a haircut.", asked, answer, asked, answer)


@pytest.mark.parametrize("said", [
    "Perfect! Here's your haircut appointment.",  # a model of 1.5 billion parameters, word for word
    "Ecco il tuo appuntamento di sabato.",
    "Miadi yako ni Jumamosi saa nne.",
])  # fmt: skip
def test_a_short_line_about_the_customers_own_said_back_is_told_and_twice_certain(said: str) -> None:
    (once,) = found("Hello, a haircut.", said, said)
    assert not once.decides
    (twice,) = found("Hello, a haircut.", said, said, said, said)
    assert twice.decides
    assert not found(
        "Hello, a haircut.", f"{said} 10:00?", said.replace("your", "my").replace("tuo", "mio").replace("yako", "yangu")
    )


def test_thanks_that_are_said_back_accuse_nobody() -> None:
    assert not found("Hello, a haircut.", "Thank you!", "Thank you!")
