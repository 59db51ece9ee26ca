"""What every replay of a golden session is held against (seeds 004, ADR-012)."""

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
)
"""Names of checks (apps.checks.metrics.registry), in the seed's order: four are judged, four go by rule."""
