"""What is told of a hold-out's groups: nobody reads a single family, nor gets one by subtraction."""

import pytest

from apps.improvement.domain.acceptance import decide
from apps.improvement.drafts.domain.decision_document import decision_document, without_small_groups


def told(*sizes: int) -> tuple[list[int], int]:
    """The sizes of the persona groups that are told, of groups of these sizes, and how many are withheld."""
    pairs = [
        {"scenario": f"{group}-{number}", "persona": f"p{group:02}", "language": "en", "live": 5.0, "draft": 6.0}
        for group, size in enumerate(sizes)
        for number in range(size)
    ]
    found = without_small_groups(decision_document(decide(pairs)))
    return [one["families"] for one in found["groups"]], found["groups_withheld"]


@pytest.mark.parametrize(
    "sizes, left, withheld",
    [
        ((5, 5, 6), [5, 5, 6], 0),
        ((6, 1, 1, 1, 5), [6, 5], 3),
        ((6, 1, 5), [6], 2),  # of one that is missing the rest could be subtracted
        ((6, 2, 4), [6], 2),
        ((1, 11), [], 2),
    ],
)
def test_small_groups_are_withheld_until_no_rest_can_be_subtracted(sizes, left, withheld) -> None:
    assert told(*sizes) == (left, withheld)
