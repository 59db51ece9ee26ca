"""The rules of a reflective search: which families it plays, how much, and how a trial's scores are read. Pure.

A score is the draft's points minus the live prompt's, both played anew; the live prompt's own score is therefore 0. A
family that nobody could score is NaN: every comparison with it is false, so it is never taken for 0, which is the score
of an unscored trial.
"""

import math
import random
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

MAX_PLAYS = 60  # of one family by one candidate, those that the live prompt's known figures answer among them
MINIBATCH = 3  # train families a draft is first looked at with (gepa's default)
MAX_SELECTION = 18  # families that choose: one draft that helps still leaves plays for another
UNSCORED = math.nan


def chosen_families(selection: Sequence[str], *, seed: int) -> list[str]:
    """The families that choose among the drafts: all, or so many drawn by the seed."""
    if len(selection) <= MAX_SELECTION:
        return sorted(selection)
    return sorted(random.Random(seed).sample(sorted(selection), MAX_SELECTION))


def spends_too_much(plays: int, *, minibatch: int, selection: int) -> bool:
    """Tell whether a round more could pass MAX_PLAYS: the parent and the draft on a minibatch, the draft on the
    selection."""
    return plays + 2 * minibatch + selection > MAX_PLAYS


def scores_by_family(pairs: Sequence[Mapping[str, Any]], families: Sequence[str]) -> list[float]:
    """Mean difference of each family over its pairs that both prompts have a score in; NaN where there is none."""
    scores: dict[str, list[float]] = {}
    for pair in pairs:
        if pair["live"] is not None and pair["draft"] is not None:
            scores.setdefault(str(pair["family"]), []).append(float(pair["draft"]) - float(pair["live"]))
    return [fmean(scores[name]) if name in scores else UNSCORED for name in families]


def mean_or_none(scores: Sequence[float]) -> float | None:
    """Return the mean of the scores, for people and JSON; None where one of them is missing."""
    mean = fmean(scores) if scores else UNSCORED
    return None if math.isnan(mean) else round(mean, 9)
