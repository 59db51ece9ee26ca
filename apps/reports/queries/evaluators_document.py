"""Evaluators compared, as plain JSON: what the API and the command answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.reports.domain.evaluators import PairAgreement
from apps.reports.queries.evaluators import Evaluator, EvaluatorComparison, Opinion, ShownContradiction


def evaluators_document(found: EvaluatorComparison) -> dict[str, Any]:
    """`agreement` has every two evaluators, over all shared criteria first (`criterion` null). `consistency.deviation`
    is in points of 0-10 over the shared criteria; `most_consistent` is null where it cannot be told."""
    labels = [evaluator.label for evaluator in found.evaluators]
    return {
        "test_run_id": str(found.run.pk),
        "sentence": found.sentence,
        "most_consistent": None if found.best is None else labels[found.best],
        "shared_criteria": list(found.shared),
        "reworded_criteria": list(found.reworded),
        "evaluators": [_evaluator(one, only) for one, (_, only) in zip(found.evaluators, found.only, strict=True)],
        "agreement": [_agreement(pair, labels) for pair in found.pairs],
        "contradictions": [_contradiction(contradiction) for contradiction in found.contradictions],
        "contradictions_in_all": found.total,
    }


def _evaluator(one: Evaluator, only: Sequence[str]) -> dict[str, Any]:
    return {
        "label": one.label,
        "evaluation_id": str(one.evaluation.pk),
        "evaluator_config": one.evaluation.config_ref,
        "criteria": one.criteria,
        "only_here": list(only),
        "scored": one.scored,
        "mean": one.mean,
        "consistency": {
            "conversations": one.consistency.conversations,
            "answers": one.consistency.answers,
            "deviation": one.consistency.deviation,
            "interval": list(one.consistency.interval) if one.consistency.interval else None,
        },
    }


def _agreement(one: PairAgreement, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "a": labels[one.first],
        "b": labels[one.second],
        "criterion": one.criterion or None,
        "verdicts": one.ratings,
        "alike": one.alike,
        "contradictions": one.contradictions,
        "difference": one.difference,
        "ac1": one.ac1,
        "interval": list(one.interval) if one.interval else None,
    }


def _contradiction(one: ShownContradiction) -> dict[str, Any]:
    return {
        "conversation_id": str(one.conversation),
        "conversation": one.name,
        "criterion": one.criterion,
        "apart": one.apart,
        "turns": list(one.turns),
        "low": _opinion(one.low),
        "high": _opinion(one.high),
    }


def _opinion(one: Opinion) -> Mapping[str, Any]:
    return {
        "label": one.label,
        "evaluation_id": str(one.evaluation),
        "score": one.score,
        "pass_mark": one.mark,
        "reason": one.reason,
        "evidence": list(one.evidence),
    }
