"""Scores that the judge gave for the baseline and gives no more: an agent must not pass by avoiding them."""

from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import GateReasonCode
from apps.gates.domain.measurability import MIN_SHARED, GateReason
from apps.gates.domain.metric_titles import criterion_title
from apps.gates.domain.side import GateSide, GateTrial, JudgedAs
from apps.statistics.decision import Decision

LEAST_CASES = 5  # cases of the baseline with a score: below, one conversation that went otherwise is half of them
SHOWN = 5  # names in a sentence
MIN_OF_A_CRITERION = 0.5  # criteria have occasions that come and go with the conversation


def unscored_cases(candidate: GateSide, baseline: GateSide) -> list[GateReason]:
    """Refuse to compare scores where too many cases have a score on the baseline's side alone. Pure."""
    before, after = _scored(baseline, candidate, "")
    if len(after) >= MIN_SHARED * len(before):
        return []
    sentence = (
        f"{len(before) - len(after)} of {len(before)} cases have no score any more, because the judge found nothing to "
        "score in them: they cannot be compared."
    )
    return [GateReason(code=GateReasonCode.CASES_UNSCORED, sentence=sentence)]


def unscored_criteria(candidate: GateSide, baseline: GateSide) -> list[GateReason]:
    """Doubts: criteria that the baseline was scored on, and the candidate in less than half of these cases. Pure."""
    names = sorted({name for trial in baseline.counted for name in trial.criteria})
    reasons = []
    for name in names:
        before, after = _scored(baseline, candidate, name)
        if len(before) >= LEAST_CASES and len(after) < MIN_OF_A_CRITERION * len(before):
            sentence = (
                f"{criterion_title(name, candidate.titles)} is scored in {len(after)} of the {len(before)} cases in "
                "which the baseline had it: a loss on it is neither shown nor excluded."
            )
            reasons.append(GateReason(code=GateReasonCode.GROUP_LOSS_POSSIBLE, sentence=sentence))
    return reasons


def cases_left_out(candidate: GateSide, baseline: GateSide | None) -> list[GateReason]:
    """Report cases of the baseline that were played and are in no comparison. The report never decides. Pure."""
    if baseline is None:
        return []
    here = candidate.by_case()
    played = {trial.digest: trial for trial in candidate.trials}
    measured = {digest for digest, trials in baseline.by_case().items() if any(map(_says_something, trials))}
    gone = [
        one
        for digest, one in played.items()
        if digest in measured and not any(map(_says_something, here.get(digest, ())))
    ]
    if not gone:
        return []
    names = listed((f"{one.case} ({_why_left_out(one)})" for one in gone), SHOWN)
    many = f"{len(gone)} case{'' if len(gone) == 1 else 's'}"
    sentence = f"{many} that the baseline was measured in could not be compared: {names}."
    return [GateReason(code=GateReasonCode.CASES_LEFT_OUT, sentence=sentence)]


def _says_something(trial: GateTrial) -> bool:
    sound = any(check.outcome in (Decision.PASS, Decision.FAIL) for check in trial.checks.values())
    return trial.counts and (trial.agent_failed or trial.score is not None or trial.passed is not None or sound)


def _why_left_out(trial: GateTrial) -> str:
    if not trial.counts:
        return trial.blame
    return {JudgedAs.SCORED: "nothing to score", JudgedAs.NOT_JUDGED: "not judged"}.get(trial.judged, "judge error")


def _scored(baseline: GateSide, candidate: GateSide, criterion: str) -> tuple[set[str], set[str]]:
    """Cases of both sides that have this score ("" the whole) for the baseline; those of them that have it still. What
    the judge did not answer is counted elsewhere."""

    def has(trial: GateTrial) -> bool:
        return criterion in trial.criteria if criterion else trial.score is not None

    theirs, ours = baseline.by_case(), candidate.by_case()
    answered = {digest for digest, trials in ours.items() if any(one.judged is JudgedAs.SCORED for one in trials)}
    before = {digest for digest, trials in theirs.items() if digest in answered and any(map(has, trials))}
    return before, {digest for digest in before if any(map(has, ours[digest]))}
