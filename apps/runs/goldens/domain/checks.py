"""The checks of every replay of a golden session (brief 004)."""

JUDGED_CHECKS = (
    "knowledge_retention",
    "conversation_completeness",
    "role_adherence",
    "no_hallucination_per_turn",
)
"""What a conversation is held against that pursues the goal of a golden session in its own way."""

GOLDEN_CHECKS = (
    *JUDGED_CHECKS,
    "tool_invocations_match_golden",
    "latency_regression",
    "case_lifecycle",
    "step_agents_detected",
    "figures_match_golden",
)
"""Names of checks (apps.checks.metrics.registry): the brief's eight in its order, four judged and four by rule; then
money, dates and clock times, by rule too."""
