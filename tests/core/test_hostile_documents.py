"""Hostile texts in every language that people write, in a child with limits: the small version of the benchmark."""

import pytest

from benchmarks.hostile_documents import fault, in_child
from benchmarks.hostile_languages import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_write_takes_bounded_time_and_memory_and_ends_no_process(language: str) -> None:
    outcome = in_child(language, count=80, seed=2)
    assert fault(outcome) == ""
    assert outcome["taken"] + outcome["refused"] == 80
    assert outcome["taken"] >= 5
