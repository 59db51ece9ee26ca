"""Asked things are counted, with and without question marks."""

import pytest

from apps.core.dialogue.transcript import SpokenTurn


@pytest.mark.parametrize(
    "text, asks",
    [
        ("Which day suits you?", 1),
        ("Siku gani itakufaa", 1),
        ("Which day suits you? And may I have your name?", 2),
        ("Ungependa siku gani na saa ngapi?", 2),
        ("Which day would you like, and what time?", 2),
        ("Which day? Friday or Saturday?", 1),
        ("Hi! How are you? Which service would you like?", 1),
        ("Tafadhali niambie jina lako.", 1),
        ("Please tell me your name and your phone number.", 1.5),
        ("Your appointment is on Friday at 10 am. See you!", 0),
        ("Let me know if you need anything else.", 0),
        ("If you have any questions, feel free to call.", 0),
        ("Quale giorno preferisce?", 1),
        ("How many guests are you, how many nights will you stay and do you want breakfast?", 3),
        ("Quante persone siete, quante notti restate e desidera la colazione?", 3),
        ("Je, ungependa chumba gani na utakaa siku ngapi?", 2),
        ("What time would you like to come, or do you prefer the morning?", 1),
        ("What about the salon on the square, which is in the old town?", 1),
        ("Would you like a double room with breakfast and parking?", 1),
    ],
)
def test_things_asked(text: str, asks: float) -> None:
    assert SpokenTurn(0, "assistant", text).asks == asks


def test_a_demand_for_money_is_not_a_question() -> None:
    assert SpokenTurn(0, "assistant", "I need the full payment before I can look at times.").asks == 0
