"""Versions of a prompt beside each other as plain JSON: what the API and the command answer."""

from typing import Any

from apps.improvement.drafts.domain.version_matrix import LEVEL, DifferenceCell
from apps.improvement.drafts.queries.version_comparison import ComparedVersion, VersionComparison


def version_document(found: VersionComparison) -> dict[str, Any]:
    """`difference` is the version minus the first one, in points of 0-10 or the measure's own unit; null where
    `missing` says why. Conversations of a hold-out are counted and never named."""
    judge = found.judge
    return {
        "prompt": found.first.prompt.name,
        "first": _standing(found.first),
        "decision": found.sentence,
        "scenarios": None if found.question.scenarios is None else list(found.question.scenarios),
        "judge": None
        if judge is None
        else {
            "evaluator_config": judge.config,
            "fingerprint": judge.fingerprint,
            "others": judge.others,
        },
        "criteria": list(found.criteria),
        "confidence": 1 - 2 * LEVEL,
        "versions": [_row(row, found) for row in found.rows],
    }


def _standing(row: ComparedVersion) -> dict[str, Any]:
    return {
        "prompt_version": row.prompt.version,
        "standing": row.standing.value,
        "draft": None if row.draft is None else str(row.draft.pk),
        "draft_status": None if row.draft is None else row.draft.status,
    }


def _row(row: ComparedVersion, found: VersionComparison) -> dict[str, Any]:
    figures = row.figures
    return {
        **_standing(row),
        "missing": None if row.missing is None else {"code": row.missing.value, "sentence": row.why},
        "sentence": row.sentence,
        "pairs": row.pairs,
        "hold_out_pairs": row.hold_out,
        "got_worse": row.worse,
        "got_better": row.better,
        "overall": None if figures is None else _scored(figures.overall),
        "criteria": [] if figures is None else [_scored(row.cells[name]) for name in found.criteria],
        "measures": [] if figures is None else [_cell(measure) for measure in figures.measures],
    }


def _cell(cell: DifferenceCell) -> dict[str, Any]:
    one = cell.difference
    return {
        "name": one.name,
        "missing": None if cell.missing is None else cell.missing.value,
        "pairs": one.pairs,
        "families": one.clusters,
        "mean_first": one.mean_a,
        "mean": one.mean_b,
        "difference": one.mean,
        "interval": None if one.interval is None else list(one.interval),
    }


def _scored(cell: DifferenceCell) -> dict[str, Any]:
    one = cell.difference
    return {
        **_cell(cell),
        "p": one.chance,
        "p_adjusted": one.adjusted,
        "outcome": one.outcome.value,
        "needs_about": one.needed,
    }
