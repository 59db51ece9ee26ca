"""What surprised, either way, is told from what is as usual."""

from typing import Any

import pytest

from apps.production.sampling.domain.surprise import RatedConversation, surprise_of

USUAL = {"mean": 7.5, "spread": 1.0, "scores": 30}


@pytest.mark.parametrize(
    "known, kind",
    [
        ({"up": True}, None),
        ({"up": True, "transferred": True}, "surprisingly_good"),
        ({"up": True, "others_discontent": True}, "surprisingly_good"),
        ({"up": True, "score": 9.5, **USUAL}, "surprisingly_good"),
        ({"up": True, "score": 9.4, **USUAL}, None),
        ({"score": 9.9, **USUAL}, None),  # the judge alone is no happy customer
        ({"score": 5.5, **USUAL}, "surprisingly_bad"),
        ({"up": True, "transferred": True, "score": 5.5, **USUAL}, "surprisingly_bad"),
        ({"score": 5.5, **USUAL, "scores": 29}, None),  # too few to say what is usual
        ({"score": 7.3, "mean": 7.5, "spread": 0.0, "scores": 30}, None),
        ({"down": True, "up": True, "transferred": True}, None),  # it comes back as a thumbs-down
        ({"transferred": True}, None),
    ],
)
def test_a_surprise_is_far_from_what_is_usual(known: dict[str, Any], kind: str | None) -> None:
    surprise = surprise_of(RatedConversation(**known))
    assert (surprise.kind.value if surprise else None) == kind


def test_it_says_why_in_a_sentence() -> None:
    surprise = surprise_of(RatedConversation(score=3.0, **USUAL))
    assert surprise is not None
    assert surprise.sentence == "the judge gave 3.0 where it usually gives 7.5"
