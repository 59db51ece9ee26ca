"""Work out all figures of one evaluation from its rows.

Its pages, its document, lists and callbacks show them, and services.figures stores them when it has ended.

Certificates, agreement with a second judge and costs come later, or change without the evaluation: they are not here.
"""

from dataclasses import asdict
from typing import Any

from apps.evaluations.figures.queries.aggregates import compute_aggregates
from apps.evaluations.figures.queries.decisions import count_decisions
from apps.evaluations.figures.queries.moments import moments_of
from apps.evaluations.figures.queries.own_means import own_means_of_each
from apps.evaluations.figures.queries.results import count_states
from apps.evaluations.figures.queries.second_opinions import read_panel_effect
from apps.evaluations.figures.queries.stopped import read_stopped
from apps.evaluations.figures.queries.stored_figures import SHAPE
from apps.evaluations.figures.queries.uncertainty import Uncertainties, noise_json, noise_of_judge
from apps.evaluations.models import Evaluation


def compute_figures(evaluation: Evaluation, doubts: Uncertainties) -> dict[str, Any]:
    """Plain JSON; `doubts` are the evaluation's, read just before. Thirteen queries at most; some 30 µs for each
    criterion score."""
    counts = count_states(evaluation.pk)
    sums = compute_aggregates(evaluation)
    decided = asdict(count_decisions(evaluation, noise_of_judge(doubts))) if doubts.known else sums.decisions
    return {
        "shape": SHAPE,
        "scored": counts["scored"],
        "counts": counts,
        **asdict(sums),
        "noise": noise_json(doubts),
        "decided": decided,
        "stopped": read_stopped(evaluation),
        "own": own_means_of_each([evaluation.pk])[evaluation.pk].as_json(),
        "panel": asdict(read_panel_effect(evaluation)),
        "moments": moments_of(evaluation.pk),
    }
