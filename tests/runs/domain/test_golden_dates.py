"""Dates of golden sessions move with the day of the replay, in three languages; what stays is told."""

from datetime import UTC, date, datetime

import pytest

from apps.core.errors import BadInput
from apps.runs.goldens.domain.dates import SHAPES, dates_in, write_date
from apps.runs.goldens.domain.documents import golden_document
from apps.runs.goldens.domain.gates import prove_gates
from apps.runs.goldens.domain.notes import release_notes
from apps.runs.goldens.domain.variables import filled, values_for, with_variables

DAY = date(2026, 5, 8)
CAPTURED = datetime(2026, 5, 5, tzinfo=UTC)
REPLAYED = datetime(2027, 1, 28, tzinfo=UTC)  # three days before a Sunday


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_a_date_is_read_back_in_the_shape_it_is_written_in(shape: str) -> None:
    written = write_date(DAY, shape)
    (found,) = dates_in(f"Booked: {written}, thank you.", near=DAY)
    assert (found.day, found.shape, found.span) == (DAY, shape, (8, 8 + len(written)))


@pytest.mark.parametrize(
    "text", ["8:30 May", "version 8.5", "May I book 2 seats?", "32 May", "in May 2026", "May 8:30"]
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert dates_in(text, near=DAY) == []


def replayed(*texts: tuple[str, str]) -> tuple[list[str], tuple[str, ...]]:
    """The texts on the day of the replay, and what was told of them."""
    turns = [{"role": role, "content": text} for role, text in texts]
    document, _ = with_variables({"id": "g", "turns": turns}, captured=CAPTURED)
    values = values_for(document, identity={}, now=REPLAYED)
    return [turn["content"] for turn in filled(document["turns"], values)], release_notes(document, [])


@pytest.mark.parametrize(
    "said, reply, moved",
    [
        ("8 May 2026 please", "See you on 8 May.", "See you on 31 January."),
        ("on 8 May please", "Friday 8 May, at ten", "Sunday 31 January, at ten"),
        ("Nataka tarehe 8 Mei", "Sawa, Ijumaa 8 Mei 2026", "Sawa, Jumapili 31 Januari 2027"),
        ("L'8 maggio, grazie; venerdì 8 maggio", "Confermo venerdì, 8 maggio", "Confermo domenica, 31 gennaio"),
        ("2026-05-08", "May 8 is free", "January 31 is free"),
    ],
)
def test_a_date_without_a_year_moves_with_the_dates_beside_it(said: str, reply: str, moved: str) -> None:
    texts, notes = replayed(("user", said), ("assistant", reply))
    assert (texts[1], notes) == (moved, ())


@pytest.mark.parametrize(
    "said, moved",
    [
        ("on March 2nd please", "on November 25th please"),
        ("the 2nd of March, 2026", "the 25th of November, 2026"),
        ("from May 1st to 20th", "from January 24th to February 12th"),
        ("May 1 to 5, 2026", "January 24 to 28, 2027"),
        ("May 1-5", "January 24-28"),
        ("1st to 20th May 2026", "24th January to 12th February 2027"),
        ("dal 1 al 5 maggio", "dal 24 al 28 gennaio"),
        ("March 2 2026", "November 25 2026"),
        ("Saturday, May 2, 2026", "Monday, January 25, 2027"),
        ("May 1 to 3 guests", "January 24 to 3 guests"),
        ("March 1st to 5th May", "November 24th to 28th January"),
    ],
)
def test_an_ordinal_goes_with_its_date_and_a_range_moves_whole(said: str, moved: str) -> None:
    document, _ = with_variables({"turns": [{"role": "user", "content": said}]}, captured=CAPTURED)
    text = document["turns"][0]["content"]
    assert filled(text, values_for(document, identity={}, now=CAPTURED)) == said
    assert filled(text, values_for(document, identity={}, now=REPLAYED)) == moved


def test_a_range_in_a_reply_moves_whole() -> None:
    texts, _ = replayed(("user", "May 1st to 20th, 2026"), ("assistant", "Booked May 1st to 20th."))
    assert texts[1] == "Booked January 24th to February 12th."


def test_a_yearly_fact_stays_and_what_cannot_move_is_told_with_its_turn() -> None:
    texts, notes = replayed(("user", "8 May 2026"), ("assistant", "On 8 Sept., then. Closed on 25 December."))
    assert texts[1] == "On 8 Sept., then. Closed on 25 December."
    assert [note.split(" stays")[0] for note in notes] == [
        "/turns/1/content: '8 Sept'",
        "/turns/1/content: '25 December'",
    ]


def test_without_a_date_that_moves_nothing_is_told() -> None:
    assert replayed(("user", "Hello"), ("assistant", "Closed on 25 December."))[1] == ()


def test_a_gate_that_had_to_be_another_one_is_told_with_both_patterns() -> None:
    replies = [("Please upload the brief.", "brief"), ("Audience approval: the brief is stored.", "brief")]
    turns = [{"role": "assistant", "content": text, "wait_for_pattern": pattern} for text, pattern in replies]
    gates = prove_gates(turns)
    (note,) = release_notes({"turns": turns}, gates)
    assert note.startswith("/turns/1/wait_for_pattern: “brief” does not tell")
    assert gates[1].pattern[:20] in note


def test_a_gate_that_is_slow_on_long_replies_is_told() -> None:
    turns = [{"role": "assistant", "content": "Please upload it.", "wait_for_pattern": ".*.*.*x"}]
    (note,) = release_notes({"turns": turns}, [])
    assert note.startswith("/turns/0/wait_for_pattern: the pattern “.*.*.*x” has repeats in a row")


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_placeholder_that_is_no_variable_is_refused_by_its_name(role: str) -> None:
    turns = [{"role": "user", "content": "Hi"}, {"role": role, "content": "Call {{nonsense}} or {{ customer.phone }}"}]
    with pytest.raises(BadInput, match=r"\{\{nonsense\}\} is no variable") as refused:
        golden_document({"id": "g", "turns": turns}, is_upload=lambda text: False)
    assert (refused.value.pointer, refused.value.code) == ("/turns/1/content", "unknown_variable")
