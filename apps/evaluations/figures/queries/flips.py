"""Compare all gradings of one conversation by the same judge."""

from collections.abc import Mapping
from typing import Any

from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.domain.uncertainty import Flips, flips
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import Judgement


def flips_of(judgement: Judgement) -> Flips | None:
    """Count how this conversation came out in all gradings by the same judge; None if there is only one.

    Cached answers are no gradings, nor are judgements of another setup (other models in force, other rules). Two
    queries for the gradings, three for each of their evaluations.
    """
    same = list(
        Judgement.objects.filter(
            conversation_id=judgement.conversation_id,
            status=JudgementStatus.SCORED,
            fingerprint=judgement.fingerprint,
            from_cache=False,
        )
        .exclude(fingerprint="")
        .select_related("evaluation")
        .prefetch_related("scores")
        .defer("raw_reply")
    )
    own = _setup(judgement.evaluation.snapshot)
    same = [one for one in same if _setup(one.evaluation.snapshot) == own]
    if len(same) < 2:
        return None
    decisions, blame = [], judgement.conversation.blame
    for one in same:
        uncertainty = uncertainties_of(one.evaluation).of_judgement(list(one.scores.all()), blame=blame)
        if uncertainty is not None:
            decisions.append(uncertainty.decision)
    return flips(decisions)


def _setup(snapshot: Mapping[str, Any]) -> tuple[Any, Any]:
    """The setup that gives the scores: the judge with its panel, and the parameters. A cross-check touches no score."""
    roles = {role: model for role, model in snapshot["llm_config"].items() if role in ("judge", "panel")}
    return roles, snapshot["parameters"]
