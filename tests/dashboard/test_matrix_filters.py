"""A matrix's view is its address: what is written is read again, defaults stay out, and what is wrong is named."""

from datetime import date
from urllib.parse import parse_qsl

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.reports.tables.domain.matrix_filters import (
    LONGEST,
    MatrixFilter,
    chips_of,
    parse_matrix_filter,
    parse_matrix_query,
    unused_fields,
)

words = st.text(st.characters(exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=12)
views = st.builds(
    MatrixFilter,
    verdict=st.sampled_from(["", "fail", "pass", "undecided"]),
    state=st.sampled_from(["", "scored", "parse_error"]),
    criterion=words,
    having=st.sampled_from(["", "fail", "unscored"]),
    evidence=st.sampled_from(["", "exact", "unverified"]),
    at=st.none() | st.integers(0, 10),
    low=st.none() | st.floats(0, 10),
    high=st.none() | st.floats(0, 10),
    persona=st.just("") | words,
    scenario=st.just("") | words,
    language=st.just("") | words,
    label=st.just("") | words,
    since=st.none() | st.dates(),
    until=st.none() | st.dates(),
    sort=st.sampled_from(["score", "-score", "date", "-persona", "criterion:tono naturale", "-criterion:a&b"]),
    columns=st.lists(words.filter(lambda one: "," not in one), max_size=3, unique=True).map(tuple),
)


@given(views)
@settings(max_examples=150, deadline=None)
def test_a_view_is_its_address(view):
    found, wrong = parse_matrix_filter(dict(parse_qsl(view.query)))
    assert (found, wrong) == (view, {})


@given(views)
@settings(max_examples=100, deadline=None)
def test_every_chip_takes_its_own_filter_away_and_nothing_else_comes(view):
    for chip in chips_of(view):
        without = parse_matrix_query(chip.query)
        assert without != view
        assert set(without.fields) < set(view.fields)


def test_defaults_stay_out():
    assert MatrixFilter().query == ""
    assert MatrixFilter(verdict="fail").query == "verdict=fail"
    assert MatrixFilter(verdict="fail", after='["x"]').without().query == "verdict=fail"


@pytest.mark.parametrize(
    "given, field",
    [
        ({"verdict": "bad"}, "verdict"),
        ({"low": "eleven"}, "low"),
        ({"high": "11"}, "high"),
        ({"low": "nan"}, "low"),
        ({"since": "22.11.2026"}, "since"),
        ({"sort": "colour"}, "sort"),
        ({"sort": "criterion:"}, "sort"),
        ({"having": "fail"}, "criterion"),
        ({"criterion": "a", "at": "11"}, "at"),
        ({"persona": "a\x00b"}, "persona"),
        ({"columns": ",".join(f"criterion_{n}" for n in range(LONGEST // 8))}, "columns"),
    ],
)
def test_what_is_wrong_is_named(given, field):
    _, wrong = parse_matrix_filter(given)
    assert list(wrong) == [field]


def test_without_its_criterion_nothing_of_it_is_left():
    view = MatrixFilter(criterion="tone", having="fail", at=3, evidence="exact", since=date(2026, 11, 1))
    assert view.without("criterion") == MatrixFilter(since=date(2026, 11, 1))


def test_what_an_address_says_beside_its_view_is_named_and_criteria_are_told_by_title() -> None:
    assert unused_fields({"verdct": "fail", "verdict": "fail", "column": "tone", "x" * 4_000: "1"}) == [
        "verdct",
        "x" * 60,
    ]
    view, _ = parse_matrix_filter({"criterion": "tone", "having": "fail", "sort": "-criterion:pay"})
    words = [chip.text for chip in chips_of(view, {"tone": "Natural tone", "pay": "Safe payment"})]
    assert words == ["Natural tone: below its mark", "Safe payment, best first"]
