"""Ending a trial of the selection before all is played, where the draft will not win. Nobody wins early."""

from collections.abc import Sequence
from datetime import datetime

from apps.core.events import EventType, log_event
from apps.evaluations.domain.states import EVALUATION_TERMINAL, JudgementStatus
from apps.evaluations.judging.services.completion import cancel_evaluation, cancel_run_and_judging
from apps.evaluations.models import Judgement
from apps.improvement.domain.acceptance_pairs import family_means, read_pairs
from apps.improvement.drafts.domain.futility import is_futile
from apps.improvement.drafts.domain.trial_states import SideName
from apps.improvement.drafts.models import Trial, TrialSide
from apps.improvement.drafts.queries.trial_pairs import trial_pairs
from apps.improvement.holdout.domain.parts import Part
from apps.runs.domain.states import RUN_TERMINAL


def stop_if_futile(row: Trial, sides: Sequence[TrialSide], now: datetime) -> bool:
    """Stop a trial where a win has become improbable (domain.futility); return whether it stopped.
    Stops the draft's side alone where other drafts share the live side. In the caller's transaction, which holds the
    row's lock. Four queries, some ten where it stops.

    Families are the clusters: one counts as compared when all its conversations have both scores.
    """
    if row.part == Part.HOLD_OUT:
        return False
    scored = Judgement.objects.filter(
        evaluation__trial_sides__trial=row.pk, evaluation__trial_sides__side=SideName.DRAFT
    )
    row.interim_scored = scored.filter(status=JudgementStatus.SCORED).count()
    Trial.objects.filter(pk=row.pk).update(interim_scored=row.interim_scored)
    pairs = read_pairs(trial_pairs(row.pk), look=1, alpha=0.05, block_points=row.block_points)
    families = {pair.family for pair in pairs}
    unfinished = {pair.family for pair in pairs if pair.difference is None}
    whole = [pair for pair in pairs if pair.family not in unfinished]
    gains = list(family_means(whole, lambda one: one.difference).values())
    if not is_futile(gains, families=len(families)):
        return False
    for side in sides:
        if row.budget_name and side.side != SideName.DRAFT:
            continue  # the next draft of the round is compared with it too
        if side.test_run.status not in RUN_TERMINAL:
            cancel_run_and_judging(run_id=side.test_run.pk, now=now)
        elif side.evaluation.status not in EVALUATION_TERMINAL:
            cancel_evaluation(evaluation_id=side.evaluation.pk, now=now)
    log_event(EventType.TRIAL_STOPPED_EARLY, trial=str(row.pk), families=len(gains), of=len(families))
    return True
