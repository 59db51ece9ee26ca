"""Decide whether answers that the judge failed to give stand in the way of a pass.

A conversation of which a criterion's answer could not be used (left out, off the scale, without the quote that the
version demands) does not pass by its other criteria. An evaluation of which an eighth or more of the conversations has
no verdict does not pass by the rest (apps.statistics.decision). The rule is frozen with the evaluation when it is
requested; an evaluation from before that keeps the verdicts it was shown with. Scores that were imported hold what
somebody else measured, so what is absent there was never asked for.
"""

from collections.abc import Mapping
from typing import Any

from apps.evaluations.domain.states import UnscoredReason

OPTION = "missing_counts"
LOST = (UnscoredReason.MISSING, UnscoredReason.NO_EVIDENCE)
"""Why a criterion has no score though it was to have one: the judge's answer could not be used."""


def frozen_missing_rule() -> dict[str, bool]:
    """Return the option that freezes this rule in an evaluation requested now. Pure."""
    return {OPTION: True}


def missing_counts(options: Mapping[str, Any]) -> bool:
    """The rule of an evaluation with these options. Pure."""
    return bool(options.get(OPTION))
