"""The part that metrics which collect verdicts share: DeepEval asks and counts, we examine its verdicts.

DeepEval drops what it cannot read and calls nothing at all a pass. Here every verdict that is owed must be there
(judge_model refuses words that are none); where nothing was there to be judged the metric does not apply. Reasons are
the verdicts' own: no further question for them.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from apps.checks.metrics.base import Case, MetricError, turn_text
from apps.checks.metrics.deepeval_environment import PINNED, deepeval
from apps.checks.metrics.judge_model import WORDING as ANSWER_WORDING
from apps.evaluations.domain.transcript import neutralised

WORDING = (f"deepeval {PINNED}", *ANSWER_WORDING)
"""The questions themselves are DeepEval's: they change with its version and with nothing else."""


def metric(name: str, model: Any, **more: Any) -> Any:
    """Make a new DeepEval metric: each has a state, so none is used twice.

    It takes its verdicts from our model alone; it writes no reason and asks no second model.
    """
    metric_class: Any = getattr(deepeval("metrics"), name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of the direction, which hallucination.py states
        return metric_class(model=model, threshold=0.5, include_reason=False, async_mode=True, **more)


def expect_verdicts(verdicts: Sequence[Any], expected: int, what: str) -> list[Any]:
    """The verdicts, as many as were owed. Raises MetricError where one is missing or too many."""
    there = [verdict for verdict in verdicts if verdict is not None]
    if len(there) != expected:
        raise MetricError(f"the judge gave {len(there)} verdicts on {expected} {what}", code="missing_verdicts")
    return there


def why(verdict: Any) -> str:
    """A verdict's reason, or that it gave none."""
    return str(getattr(verdict, "reason", None) or "").strip() or "no reason given"


def words_of(case: Case, turn: int) -> str:
    """The words of a turn, cut for evidence."""
    return neutralised(turn_text(case.turns[turn]))[:500]
