"""What a file says, and the line where it says it, are the same with and without the C parser of YAML."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_ratiba.documents import documents_of
from pytest_ratiba.errors import ProjectError

FILE = Path("case.yaml")
MERGED = "base: &base\n  a: 1\n  b: 2\nown:\n  <<: *base\n  b: 3\n"
TEXTS = {
    "several": "a: 1\n---\n---\nb: [x, {y: z}]\n",
    "merged": MERGED,
    "words": "when: 2026-11-28\nno: no\ntime: 12:30\nzero: 0712\n",
    "signs": "a: \U0001f600 karibu sana, è così\nb: |\n  \U0001f600\n  c\n",
    "half a sign": 'a: "\\ud83d\\ude00"\nb: 1\n',
    "deep": "[" * 60 + "]" * 60,
    "open": "a: [1\nb: 2\n",
    "twice": "a: 1\nb: 2\na: 3\n",
    "nothing": "# a comment\n",
    "an object": "a: !!python/object:os.system x\n",
    "a control sign": "a: \x01\n",
}


def parts(node: Any) -> Any:
    below = node.value if isinstance(node.value, list) else ()
    return (
        node.tag,
        node.start_mark.line,
        [[parts(x) for x in (one if isinstance(one, tuple) else (one,))] for one in below],
    )


def read(text: str) -> Any:
    try:
        return [(one.value, parts(one.node)) for one in documents_of(text, FILE)]
    except ProjectError as error:
        return str(error)


@pytest.mark.parametrize("name", TEXTS)
def test_a_wheel_without_the_c_parser_reads_the_same_lines_and_refuses_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = read(TEXTS[name])
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert read(TEXTS[name]) == fast


def test_a_part_that_takes_the_place_of_a_merged_one_has_its_own_line() -> None:
    (document,) = documents_of(MERGED, FILE)
    assert document.value["own"] == {"a": 1, "b": 3}
    assert document.line("/own/b") == 6


def test_an_open_bracket_and_a_key_that_stands_twice_are_named_with_their_line() -> None:
    assert read(TEXTS["open"]).startswith("case.yaml:2: is not YAML")
    assert read(TEXTS["twice"]) == "case.yaml:3: 'a' stands twice here"
