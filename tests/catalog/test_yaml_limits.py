"""YAML of users is counted before it is composed, at every door; what PyYAML trips over is an error with a line."""

import re
import time
from pathlib import Path

import pytest

import apps
from apps.catalog.domain.catalog_yaml import load
from apps.catalog.domain.field_readers import json_mapping
from apps.core.errors import BadInput

TEN_ALIASES = ", ".join(["*a{}"] * 10)


@pytest.mark.parametrize(
    "text, said",
    [
        ("[" * 80_000, "line 1: nested too deeply"),
        ("{a: " * 40_000, "nested too deeply"),
        ("- " * 40_000, "nested too deeply"),
        ("? " * 40_000, "nested too deeply"),
        ("\n".join(" " * n + "a:" for n in range(1_000)), "line 101: nested too deeply"),
        ("a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 60 + "*a" + "]" * 60, "line 2: nested too deeply"),
        ("a: &a [*a]", "stands inside itself"),
        ("a: *b", "has no anchor"),
        ("a: &a " + "x" * 100_000 + "\nb: [" + ", ".join(["*a"] * 10_000) + "]", "line 2: more than 200,000"),
        ("a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{TEN_ALIASES.replace('{}', str(n - 1))}]\n" for n in range(1, 9)),
         "more than 200,000"),
        ("? &a0 [x]\n: 1\n" + "".join(f"? &a{n} [{TEN_ALIASES.replace('{}', str(n - 1))}]\n: 1\n" for n in range(1, 9)),
         "more than 200,000"),
        ("a: &a {b: 1}\n? [*a, *a]\n: 1", "line 2: a list or mapping cannot be a key"),
        ("a: 1" + ":59" * 4_000, "line 1: a number of more than 300"),
        ("a: 0x" + "f" * 5_000, "a number of more than 300"),
        ("---\n" * 200_001, "more than 200,000"),
        ("a: !!timestamp x", "its tag"),
        ("a: !!bool maybe", "its tag"),
        ("a: !!python/object:os.system x", "constructor"),
        ("a: 2001-99-99", "month"),
        ("\ud800", "surrogate"),
        ("\0", "not YAML"),
        ("x" * 10_000_001, "10,000,001 characters"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_refused_quickly_naming_its_line(text, said):
    started = time.process_time()
    with pytest.raises(BadInput, match=said) as caught:
        load(text, "tea.yaml")
    assert str(caught.value).startswith("tea.yaml")
    assert time.process_time() - started < 5


def test_aliases_and_merged_keys_are_still_read():
    text = "base: &base {weight: 1}\nlist: [*base, *base]\nmore: {<<: *base, name: x}\n"
    (document,) = load(text, "a.yaml")
    assert document.value == {
        "base": {"weight": 1}, "list": [{"weight": 1}] * 2, "more": {"weight": 1, "name": "x"},
    }  # fmt: skip
    assert document.line("/more/name") == 3


def test_there_is_one_reader_of_yaml():
    root = Path(apps.__file__).parent
    readers = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"^\s*(?:import|from) yaml\b", path.read_text(), re.MULTILINE)
    ]
    assert sorted(readers) == ["catalog/domain/catalog_yaml.py"]


def test_json_values_may_be_so_deep():
    value: object = 1
    for _ in range(900):
        value = [value]
    with pytest.raises(BadInput, match="deeper than 64"):
        json_mapping({"a": value}, "/options")
