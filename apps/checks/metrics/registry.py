"""Metrics by the names the brief's YAML uses."""

from dataclasses import replace

from apps.checks.metrics import (
    booking_slot_consistency,
    case_lifecycle,
    conversation_completeness,
    english_fluency,
    glossary_source,
    golden_facts,
    hallucination,
    italian_fluency,
    knowledge_retention,
    latency_regression,
    mpesa_payment_safety,
    role_adherence,
    scenario_end_state,
    scenario_replies,
    scenario_said,
    scenario_tools,
    step_agents,
    swahili_fluency,
    tool_invocations,
)
from apps.checks.metrics.base import Metric
from apps.core.errors import NotFound

METRICS: dict[str, Metric] = {
    module.METRIC.name: module.METRIC
    for module in (
        swahili_fluency,
        english_fluency,
        italian_fluency,
        mpesa_payment_safety,
        booking_slot_consistency,
        glossary_source,
        knowledge_retention,
        conversation_completeness,
        role_adherence,
        hallucination,
        tool_invocations,
        golden_facts,
        latency_regression,
        case_lifecycle,
        step_agents,
        scenario_tools,
        scenario_said,
        scenario_replies,
        scenario_end_state,
    )
}
# The checks of a golden session bear the names of the brief's tests (brief 004).
METRICS |= {
    name: replace(metric, name=name)
    for name, metric in (
        ("knowledge_retention", knowledge_retention.METRIC),
        ("conversation_completeness", conversation_completeness.METRIC),
        ("role_adherence", role_adherence.METRIC),
        ("no_hallucination_per_turn", hallucination.METRIC),
    )
}
FLUENCY: dict[str, Metric] = {metric.language: metric for metric in METRICS.values() if metric.language}


def metric_named(name: str) -> Metric:
    """The metric of that class name. Raises NotFound naming those there are."""
    metric = METRICS.get(name)
    if metric is None:
        raise NotFound(f"there is no metric {name!r}; there are {', '.join(METRICS)}", code="unknown_metric")
    return metric
