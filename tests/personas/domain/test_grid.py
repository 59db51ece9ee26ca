"""The grid of a set: every cell is covered, and what cannot be is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.core.errors import BadInput
from apps.personas.domain.grid import LANGUAGES, TEMPERS, slots_of_grid

sides = st.integers(1, 4).map(lambda n: list("abcd"[:n]))


@settings(max_examples=60)
@given(
    languages=st.integers(1, 4).map(lambda n: list(LANGUAGES[:n])),
    goals=sides,
    tempers=sides,
    more=st.integers(0, 30),
)
def test_every_cell_is_covered_and_no_cell_twice_more_than_another(languages, goals, tempers, more):
    cells = len(languages) * len(goals) * len(tempers)
    slots = slots_of_grid(languages=languages, goals=goals, tempers=tempers, count=cells + more)
    times = {slot: slots.count(slot) for slot in slots}
    assert (len(slots), len(times)) == (cells + more, cells)
    assert max(times.values()) - min(times.values()) <= 1


def test_one_persona_a_cell_and_the_usual_tempers_where_nothing_else_is_said():
    slots = slots_of_grid(languages=["en", "sw"], goals=["book a haircut"])
    assert [slot.temper for slot in slots] == [*TEMPERS, *TEMPERS]


@pytest.mark.parametrize(
    "grid, pointer",
    [
        ({"languages": [], "goals": ["a"]}, "/languages"),
        ({"languages": "en", "goals": ["a"]}, "/languages"),
        ({"languages": ["de"], "goals": ["a"]}, "/languages"),
        ({"languages": ["en", "en"], "goals": ["a"]}, "/languages/1"),
        ({"languages": ["en"], "goals": [" "]}, "/goals/0"),
        ({"languages": ["en"], "goals": ["a" * 301]}, "/goals/0"),
        ({"languages": ["en"], "goals": [7]}, "/goals/0"),
        ({"languages": ["en"], "goals": ["a"], "tempers": ["t"] * 21}, "/tempers"),
        ({"languages": ["en", "sw"], "goals": ["a"], "count": 5}, "/count"),
        ({"languages": ["en"], "goals": ["a"], "count": 201}, "/count"),
        ({"languages": ["en"], "goals": ["a"], "count": True}, "/count"),
    ],
)
def test_a_grid_that_cannot_be_is_refused_by_its_field(grid, pointer):
    with pytest.raises(BadInput) as refused:
        slots_of_grid(**grid)
    assert refused.value.pointer == pointer
    assert pointer in str(refused.value)
