"""Money, dates, times, phones and ids are the same value however they are written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.extracted_values import ValueKind, same, values


def only(text, kind):
    (found,) = [one for one in values(text) if one.kind is kind]
    return found


@pytest.mark.parametrize(
    "text", ["KES 1,500", "1500/=", "Ksh 1.5k", "KSh1,500.00", "1,500 shillings", "bei ni 1500 bob", "KES 1\u202f500"]
)
def test_one_amount_in_shillings(text):
    assert only(text, ValueKind.MONEY).key == "KES 1500"


@pytest.mark.parametrize(
    "text, key",
    [
        ("€ 1.234,50", "EUR 1234.5"),
        ("1.500,00 €", "EUR 1500"),
        ("$12.50", "USD 12.5"),
        ("2m KES", "KES 2000000"),
        ("0,99 euro", "EUR 0.99"),
    ],
)
def test_marks_of_thousands_and_decimals(text, key):
    assert only(text, ValueKind.MONEY).key == key


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-03",
        "3 May 2026",
        "May 3rd, 2026",
        "3rd of May 2026",
        "3 Mei 2026",
        "3 maggio 2026",
        "2026-05-03T10:00:00Z",
    ],
)
def test_one_date(text):
    assert only(text, ValueKind.DATE).key == "2026-05-03"


def test_a_date_without_a_year_fits_any_year_and_an_impossible_one_is_none():
    bare, full, other = (only(text, ValueKind.DATE) for text in ("3 May", "2026-05-03", "4 May 2026"))
    assert same(bare, full)
    assert same(full, bare)
    assert not same(bare, other)
    assert not [one for one in values("2026-13-45") if one.kind is ValueKind.DATE]


@pytest.mark.parametrize("text", ["at 14:30.", "2:30 pm", "2.30pm", "14:30:00"])
def test_one_clock_time(text):
    assert only(text, ValueKind.TIME).key == "14:30"


def test_spoken_times_are_not_read():
    assert values("saa 8:30 mchana") == values("half past two tomorrow") == ()


@pytest.mark.parametrize("text", ["+254 712 345 678", "0712345678", "00254712345678", "0712-345-678"])
def test_one_phone(text):
    assert only(text, ValueKind.PHONE).key == "712345678"


def test_ids_are_no_numbers_and_list_marks_are_no_values():
    assert [(one.kind, one.key) for one in values("1. Case S-1041\n2) PXCONV-4081")] == [
        (ValueKind.IDENTIFIER, "S-1041"),
        (ValueKind.IDENTIFIER, "PXCONV-4081"),
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9_999_999))
def test_any_whole_amount_is_read_the_same_in_every_form(amount):
    forms = [f"KES {amount}", f"KES {amount:,}", f"{amount}/=", f"Ksh{amount:,}.00"]
    assert {only(text, ValueKind.MONEY).key for text in forms} == {f"KES {amount}"}


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_read_in_the_end(text):
    assert all(one.text for one in values(text))


def test_a_sign_is_part_of_an_amount():
    assert only("KES -500", ValueKind.MONEY).key == "KES -500"


def test_a_masked_phone_is_compared_by_the_digits_that_are_left():
    masked, open_one, other = (only(text, ValueKind.PHONE) for text in ("+254 7** *** 678", "0712345678", "0712345679"))
    assert same(masked, open_one)
    assert not same(masked, other)
