"""YAML that was written for another tool is read as that tool reads it: by YAML 1.2."""

from typing import Any

import pytest

from apps.catalog.domain.catalog_yaml import load
from apps.catalog.files.domain.test_formats.collecting import Collected, scalar_text
from apps.catalog.files.domain.test_formats.registry import FORMATS


@pytest.mark.parametrize(
    "word, value",
    [
        ("12:30", "12:30"), ("08:15:00", "08:15:00"), ("no", "no"), ("Yes", "Yes"), ("on", "on"), ("y", "y"),
        ("0712345678", "0712345678"), ("+254712345678", "+254712345678"), ("2026-11-28", "2026-11-28"),
        ("1_000", "1_000"), ("=", "="), ("true", True), ("False", False), ("", None), ("~", None), ("7", 7),
        ("-3", -3), ("7.5", 7.5), ("1e3", 1000.0), ("0x1F", 31), ('"7"', "7"), ("[10:00, 14:30]", ["10:00", "14:30"]),
    ],
)  # fmt: skip
def test_a_bare_word_is_what_yaml_1_2_makes_of_it(word: str, value: Any) -> None:
    assert load(f"a: {word}", "x.yaml", foreign=True)[0].value == {"a": value}


def test_merged_keys_are_still_read() -> None:
    (document,) = load("base: &b {x: no}\ncopy: {<<: *b, y: 2}", "x.yaml", foreign=True)
    assert document.value["copy"] == {"x": "no", "y": 2}


@pytest.mark.parametrize("value, text", [(True, "true"), (5.0, "5"), (7.5, "7.5"), (None, ""), ("x", "x")])
def test_a_value_is_said_as_a_template_writes_it(value: Any, text: str) -> None:
    assert scalar_text(value) == text


def test_times_and_a_no_of_promptfoo_are_what_was_written() -> None:
    text = (
        "tests:\n  - vars: {question: no}\n    assert:\n      - {type: icontains-any, value: [9:05, 18:45]}\n"
        "      - {type: icontains, value: 17:00}\n"
        "  - vars: {question: true}\n    assert: [{type: icontains, value: 07}]\n"
    )
    found = Collected(source="promptfoo", file="x.yaml")
    FORMATS["promptfoo"].read(text, found)
    first, second = found.sections["scenarios"].values()
    assert (first["opening"], second["opening"]) == ("no", "true")
    assert first["assertions"] == [{"said": ["9:05", "18:45"]}, {"said": ["17:00"]}]
    assert second["assertions"] == [{"said": ["07"]}]
