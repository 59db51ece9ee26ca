"""What approving makes of people's names in a golden session: variables for names, and nothing for words."""

from datetime import UTC, datetime

import pytest

from apps.runs.goldens.domain.variables import filled, values_for, with_variables

NOW = datetime(2026, 5, 5, tzinfo=UTC)
WHO = {"name": "Amina Test"}


def played(*said: str, role: str = "user") -> list[str]:
    document, _ = with_variables({"turns": [{"role": role, "content": text} for text in said]}, captured=NOW)
    values = values_for(document, identity=WHO, now=NOW)
    return [turn["content"] for turn in filled(document["turns"], values)]


def test_an_ordinary_word_is_no_name() -> None:
    said = ["Please find a doctor near me", "The event name is Doctor appointment"]
    assert played(*said) == said


def test_a_name_stays_a_name_beside_an_ordinary_word() -> None:
    assert played("My name is Hope Wanjiru", "wanjiru is in the hope") == [
        "My name is Hope Amina Test",
        "Amina Test is in the hope",
    ]


@pytest.mark.parametrize(
    "said, sent",
    [
        (["My first name is Wanjiru", "Last name is Kamau"], ["My first name is Amina", "Last name is Test"]),
        (["First name Wanjiru, last name Kamau"], ["First name Amina, last name Test"]),
        (["I'm Wanjiru Kamau", "Kamau", "Wanjiru, please"], ["I'm Amina Test", "Test", "Amina, please"]),
        (["I'm Wanjiru", "My name is Wanjiru Kamau"], ["I'm Amina", "My name is Amina Test"]),
        (["My name is Wanjiru"], ["My name is Amina Test"]),
    ],
)
def test_a_first_and_a_last_name_stay_what_they_are(said: list[str], sent: list[str]) -> None:
    assert played(*said) == sent


def test_a_last_name_in_a_reply_is_the_customers() -> None:
    turns = [
        {"role": "user", "content": "I'm Wanjiru Kamau"},
        {"role": "assistant", "content": "Welcome, Ms Kamau."},
    ]
    document, _ = with_variables({"turns": turns}, captured=NOW)
    assert document["turns"][1]["content"] == "Welcome, Ms {{ customer.last_name }}."
    assert document["variables"]["customer.last_name"] == {"fill": "identity", "kind": "last_name"}
