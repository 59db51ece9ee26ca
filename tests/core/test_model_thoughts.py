"""What a model thinks aloud, told apart from what it says."""

import time

import pytest

from apps.core.model_thoughts import without_thoughts


@pytest.mark.parametrize(
    "text, words",
    [
        ("Good morning", "Good morning"),
        ("<think>a</think>Good", "Good"),
        ("So <reasoning>b</reasoning>it is", "So it is"),
        ("a thought</think>Good", "Good"),
        ("<think>one<think>two</think>Good", "Good"),
        ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
        ("<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>Good<|return|>", "Good"),
        ("<think>no end", None),
        ("Good <think>", None),
        ("<|channel|>analysis<|message|>x", None),
    ],
)
def test_words_without_thoughts(text, words):
    assert without_thoughts(text) == words


def test_a_megabyte_of_openings_costs_no_more_than_a_megabyte():
    started = time.perf_counter()
    assert without_thoughts("<think>" * 150_000) is None
    assert time.perf_counter() - started < 2
