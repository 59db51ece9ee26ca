"""A battle that begins as an earlier one: which lines are said again, and what comes after them."""

import pytest

from apps.core.errors import BadInput
from apps.runs.playing.domain.battle_script import files_at, line_at
from apps.runs.playing.domain.from_turn import lines_before, spec_from_turn

TURNS = [{"role": ("user", "assistant")[n % 2], "content": f"line {n}"} for n in range(6)]
FILE = {"name": "id.png", "base64": "aGk="}


def lines_of(spec, count=6):
    """What is fixed of the customer's next turns: a text, None where the persona is free, "." for the end."""
    lines = [line_at(spec, number) for number in range(count)]
    return [None if one is None else "." if one.ends else one.text for one in lines]


@pytest.mark.parametrize("turn, said", [(1, ["line 0"]), (2, ["line 0"]), (3, ["line 0", "line 2"]), (5, 3)])
def test_what_the_customer_said_before_the_turn_is_said_again(turn, said):
    lines = lines_before(TURNS, turn)
    assert lines == said if isinstance(said, list) else len(lines) == said


@pytest.mark.parametrize("turn", [-1, 0, 6, 10**9])
def test_a_turn_that_is_not_there_or_has_nothing_before_it_is_refused(turn):
    with pytest.raises(BadInput) as refused:
        lines_before(TURNS, turn)
    assert refused.value.pointer == "/turn"


@pytest.mark.parametrize(
    "spec, after",
    [
        ({"opening": "line 0"}, ["line 0", "line 2", None, None]),
        ({"opening": ""}, ["line 0", "line 2", None, None]),
        ({"opening": "line 0", "script": {"turns": [{"say": "line 2"}, {"say": "x"}, {"end": True}]}},
         ["line 0", "line 2", "x", "."]),
        ({"opening": "line 0", "script": {"turns": [{"free": 3}, {"say": "x"}]}},
         ["line 0", "line 2", None, None, "x", None]),
        ({"script": {"turns": [{"free": 1}, {"say": "line 2"}, {"end": True}]}}, ["line 0", "line 2", ".", "."]),
    ],
)  # fmt: skip
def test_after_the_lines_the_script_goes_on_where_it_was(spec, after):
    found = spec_from_turn(spec, ["line 0", "line 2"], conversation="c", turn=4)
    assert lines_of(found, len(after)) == after
    assert found["continues"] == {"conversation": "c", "turn": 4}


def test_files_go_with_their_lines_and_the_rest_stays_as_it_was():
    script = {"turns": [{"say": "line 2", "attachments": [FILE]}, {"end": True}], "before": [{"url": "https://x.y/"}]}
    spec = {"opening": "line 0", "script": script, "goal": "a cut", "max_turns": 4}
    found = spec_from_turn(spec, ["line 0", "line 2"], conversation="c", turn=4)
    assert [one.name for one in files_at(found, 1)] == ["id.png"]
    assert (found["goal"], found["script"]["before"], found["max_turns"]) == ("a cut", script["before"], 8)
    assert spec["max_turns"] == 4
