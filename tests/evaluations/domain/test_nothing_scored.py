"""What an evaluation without one score says of itself."""

import pytest

from apps.evaluations.judging.services.completion import nothing_scored_sentence


@pytest.mark.parametrize(
    "answered, error, words",
    [
        (0, "the model is down", "No conversation could be judged. The first error: the model is down"),
        (3, None, "in any of the 3 conversations it answered for: no criterion applied"),
        (
            2,
            "no JSON",
            "any of the 2 conversations it answered for, and could not judge the others. The first error: no",
        ),
    ],
)
def test_a_judge_that_answered_without_a_score_is_not_called_one_that_failed(answered, error, words):
    assert words in nothing_scored_sentence(answered, error)
