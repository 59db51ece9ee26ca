"""The tests of a golden session, by the names that teams know them by. In your test_golden_session.py:

    from pytest_ratiba.golden_session import *

    pytest test_golden_session.py --golden golden_sessions/golden_weekend_20260301.json
    RATIBA_GOLDEN=weekend deepeval test run test_golden_session.py

The session is replayed once; each test shows the row of its own check. A name works for a golden session that the
server has already.
"""

import pytest

from pytest_ratiba.golden import GoldenCheck

__all__ = [
    "test_case_lifecycle",
    "test_conversation_completeness",
    "test_figures_match_golden",
    "test_knowledge_retention",
    "test_latency_regression",
    "test_no_hallucination_per_turn",
    "test_role_adherence",
    "test_step_agents_detected",
    "test_tool_invocations_match_golden",
]


@pytest.mark.layer3
def test_knowledge_retention(golden_check: GoldenCheck) -> None:
    """The agent kept in mind what it was told."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_conversation_completeness(golden_check: GoldenCheck) -> None:
    """The conversation reached everything that the stages of the profile's workflow expect."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_role_adherence(golden_check: GoldenCheck) -> None:
    """Every reply fits the profile's role."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_no_hallucination_per_turn(golden_check: GoldenCheck) -> None:
    """No reply contradicts what the profile knows."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_tool_invocations_match_golden(golden_check: GoldenCheck) -> None:
    """Every expected tool was called as it was."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_figures_match_golden(golden_check: GoldenCheck) -> None:
    """No amount, date or time of a golden reply became another one."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_latency_regression(golden_check: GoldenCheck) -> None:
    """No turn is much slower than its golden one."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_case_lifecycle(golden_check: GoldenCheck) -> None:
    """The case went through the golden stages."""
    golden_check.assert_passed()


@pytest.mark.layer3
def test_step_agents_detected(golden_check: GoldenCheck) -> None:
    """Every golden step agent was seen again."""
    golden_check.assert_passed()
