"""Metrics by the names the seed's YAML uses."""

from apps.checks.metrics import (
    booking_slot_consistency,
    conversation_completeness,
    english_fluency,
    glossary_source,
    hallucination,
    italian_fluency,
    knowledge_retention,
    mpesa_payment_safety,
    role_adherence,
    swahili_fluency,
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
    )
}
FLUENCY: dict[str, Metric] = {metric.language: metric for metric in METRICS.values() if metric.language}


def metric_named(name: str) -> Metric:
    """The metric of that class name. Raises NotFound naming those there are."""
    metric = METRICS.get(name)
    if metric is None:
        raise NotFound(f"there is no metric {name!r}; there are {', '.join(METRICS)}", code="unknown_metric")
    return metric
