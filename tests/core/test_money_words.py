"""Names of currencies and words for prices beside a number keep an amount, and never a phone or an identity."""

import pytest

from apps.core.redaction import redact

AMOUNTS = [
    "Shilingi 150000",
    "shilingi 1500000",
    "euro 150000",
    "dollari 150000",
    "lire 150000",
    "naira 150000",
    "scellini 150.000",
    "shillings: 1,500,000",
    "bei ni 150000",
    "gharama ya 250000/=",
    "price is 150000",
    "prezzo: 150000",
    "il costo è 1500000",
    "faranga 150000 - 200000",
    "150000 Kenyan shillings",
    "150000 scellini keniani",
    "150000 faranga",
    "350000 hryvnias",
]
NOT_AMOUNTS = [
    ("bei 0712345678", "bei +254 7** *** 678"),
    ("shilingi 712345678", "shilingi <number>"),
    ("shilingi 712345000", "shilingi <number>"),
    ("shilingi 712 345 678", "shilingi +254 7** *** 678"),
    ("euro 29123456", "euro <number>"),
    ("total 2507123", "total <number>"),
    ("price is 4155552671", "price is <number>"),
    ("bei ni 150000, piga 0712345678", "bei ni 150000, piga +254 7** *** 678"),
    ("euro 1000 - 712345678", "euro 1000 - <number>"),
    ("call Bob 712345", "call Bob <number>"),
    ("order 150000", "order <number>"),
    ("M-Pesa: 123456", "M-Pesa: <number>"),
    ("bei 712.345.678", "bei +254 7** *** 678"),
    ("bei ni 254700000000", "bei ni +254 7** *** 000"),
    ("euro 254700000", "euro <number>"),
    ("la bella corona 150000", "la bella corona <number>"),
]


@pytest.mark.parametrize("text", AMOUNTS)
def test_an_amount_beside_a_word_for_money_stays(text: str) -> None:
    assert redact(f"paid {text} today") == f"paid {text} today"


@pytest.mark.parametrize("text, expected", NOT_AMOUNTS)
def test_a_word_for_money_keeps_no_phone_and_no_identity(text: str, expected: str) -> None:
    assert redact(text) == expected
