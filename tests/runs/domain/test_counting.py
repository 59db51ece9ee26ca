"""One rule says whether a conversation counts, and why."""

import pytest

from apps.runs.domain.counting import counting_of


@pytest.mark.parametrize(
    "status, blame, verdict, counts, word",
    [
        ("ended", None, "kept", True, "played"),
        ("ended", None, "unmeasured", True, "played"),
        ("ended", None, "pending", False, "reviewed"),
        ("failed", "simulator", "broke", False, "simulated customer"),
        ("failed", "agent_quality", "", True, "agent failed"),
        ("ended", "golden", "", False, "golden"),
        ("failed", "agent_transport", "", False, "no fault"),
        ("timeout", "platform", "", False, "timed out"),
        ("cancelled", None, "", False, "cancelled"),
        ("running", None, "", False, "not over"),
    ],
)
def test_a_conversation_counts_or_says_why_not(status, blame, verdict, counts, word):
    found = counting_of(status=status, blame=blame, simulator_verdict=verdict)
    assert found.counts is counts
    assert word in found.why
