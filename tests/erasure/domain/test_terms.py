"""A person's words are found in every spelling, and nobody else's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.erasure.domain.blanking import without_quotes_of, without_texts
from apps.erasure.domain.subject import DataSubject, read_request, subject_of
from apps.erasure.domain.terms import rewritten, terms_of

PERSON = DataSubject(
    phone="0712 345 678", email="Wanjiku@Example.org", customer_id="crm-77123", names=["Wanjiku Kamau"]
)
TERMS = terms_of(PERSON)


@pytest.mark.parametrize(
    "text",
    [
        "+254712345678", "254 712 345 678", "0712-345-678", "0712.345.678", "(0712) 345678", "07 12 34 56 78",
        "https://wa.me/254712345678?text=hi", "call0712345678now", "wanjiku@example.ORG", "ref crm-77123.",
        "WANJIKU   kamau", "wanjiku_kamau.pdf", "Wanjiku-Kamau", "Kamau Wanjiku", "KAMAU, Wanjiku",
    ],
)  # fmt: skip
def test_every_spelling_is_found_once(text) -> None:
    assert TERMS.count(text) == 1
    left, hits = TERMS.erased(text)
    assert (hits, TERMS.count(left)) == (1, 0)


@pytest.mark.parametrize("text", ["Grace Wanjiku Otieno", "Otieno Grace Wanjiku", "Otieno Wanjiku Grace"])
def test_a_name_of_three_parts_is_found_with_its_last_one_first(text) -> None:
    terms = terms_of(DataSubject(phone="0712 345 678", names=["Grace Wanjiku Otieno"]))
    assert (terms.count(text), terms.count("Grace Otieno"), terms.count("Wanjiku Otieno")) == (1, 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Wanjiku Njeri", "Kamau", "0712 345 679", "10712345678901", "crm-771234", "xwanjiku kamau",
        "01a5b0f0-0712-7000-8000-0712345678ab", "a0712345678" * 6, "mwanjiku@example.org",
    ],
)  # fmt: skip
def test_nobody_else_is_found(text) -> None:
    assert TERMS.count(text) == 0


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just("of Wanjiku Kamau"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    )
)
def test_of_a_json_value_nothing_but_the_words_is_changed(value) -> None:
    once, _ = rewritten(value, TERMS.erased)
    twice, hits = rewritten(once, TERMS.erased)
    assert (twice, hits) == (once, 0)
    assert rewritten(value, lambda text: (text, 0))[0] == value


def test_a_number_in_json_is_a_number_too() -> None:
    assert rewritten({"phone": 254712345678, "n": 3}, TERMS.erased) == ({"phone": "<erased>", "n": 3}, 1)


def test_of_quotes_codes_and_scores_stay() -> None:
    evidence = [{"quote": "I am Wanjiku", "turn": 2, "kind": "exact", "score": 3.5, "phone": 254712345678}]
    assert without_texts(evidence) == [{"quote": "", "turn": 2, "kind": "exact", "score": 3.5, "phone": 0}]
    named = {
        "title": "late",
        "evidence": [{"conversation": "c1", "quote": "mine"}, {"conversation": "c2", "quote": "hers"}],
    }
    assert without_quotes_of(named, frozenset({"c1"})) == {
        "title": "late",
        "evidence": [{"conversation": "c1", "quote": ""}, {"conversation": "c2", "quote": "hers"}],
    }


@pytest.mark.parametrize(
    "body, pointer",
    [
        ({}, "/phone"), ({"names": ["Wanjiku"]}, "/phone"), ({"phone": "12"}, "/phone"),
        ({"email": "wanjiku"}, "/email"),
        ({"phone": "0712345678", "names": ["W."]}, "/names/0"), ({"telephone": "0712345678"}, "/telephone"),
    ],
)  # fmt: skip
def test_what_names_nobody_is_refused_at_its_field(body, pointer) -> None:
    with pytest.raises(BadInput) as refused:
        read_request(body)
    assert refused.value.pointer == pointer


def test_a_subject_is_kept_as_text_and_read_again() -> None:
    assert subject_of(PERSON.as_text()) == PERSON
