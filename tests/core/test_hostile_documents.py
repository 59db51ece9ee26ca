"""Hostile texts in every language that people write, in a child with limits.

`COUNT=1000 make test TESTS=tests/core/test_hostile_documents.py` reads so many of each; the suite reads 80.
"""

import os

import pytest

from tests.core.hostile_child import fault, in_child
from tests.core.hostile_languages import LANGUAGES

COUNT = int(os.environ.get("COUNT", "80"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_write_takes_bounded_time_and_memory_and_ends_no_process(language: str) -> None:
    outcome = in_child(language, count=COUNT, seed=2)
    assert fault(outcome) == ""
    assert outcome["taken"] + outcome["refused"] == COUNT
    assert outcome["taken"] >= 5
