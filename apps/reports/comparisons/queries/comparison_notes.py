"""Notes that a reader of a comparison must know before believing the difference."""

from collections.abc import Sequence

from apps.core.plurals import many
from apps.evaluations.domain.warnings import ResultWarning, WarningCode
from apps.reports.comparisons.queries.comparison_side import Side


def comparison_notes(a: Side, b: Side, shared: Sequence[str]) -> list[ResultWarning]:
    """Return notes on a comparison; `shared` are the criteria both judge. No query."""
    left_out = [
        ResultWarning(
            code=WarningCode.FALLBACK_LEFT_OUT,
            text=f"{side.left_out} by the fallback model of {side.label} left out",
            count=side.left_out,
        )
        for side in (a, b)
        if side.left_out
    ]
    return [*_judges(a, b), *_criteria(a, b, shared), *_trials(a, b), *left_out, *_unfinished(a, b)]


def _judges(a: Side, b: Side) -> list[ResultWarning]:
    notes = []
    if set(a.fingerprints) != set(b.fingerprints):
        if a.evaluation.config_version_id == b.evaluation.config_version_id:
            text = "the judges differ (model as answered): a difference may be theirs and not the agent's"
            notes.append(ResultWarning(code=WarningCode.JUDGES_DIFFER, text=text))
        else:
            text = (
                "two evaluator configs: a higher score may be a milder judge (look at their certificates); the scores "
                "are never averaged"
            )
            notes.append(ResultWarning(code=WarningCode.EVALUATORS_DIFFER, text=text))
    if any(len(side.fingerprints) > 1 for side in (a, b)):
        text = "one side was scored by several judges (fingerprints)"
        notes.append(ResultWarning(code=WarningCode.SEVERAL_FINGERPRINTS, text=text))
    return notes


def _criteria(a: Side, b: Side, shared: Sequence[str]) -> list[ResultWarning]:
    if a.weights == b.weights:
        return []
    only = len(a.criteria) + len(b.criteria) - 2 * len(shared)
    alone = f"; {only} stand on one side only" if only else ""
    text = (
        f"{a.label} has {len(a.criteria)} criteria and {b.label} {len(b.criteria)}: overall is over the "
        f"{len(shared)} they share, with the weights of {b.label}{alone}"
    )
    return [ResultWarning(code=WarningCode.CRITERIA_DIFFER, text=text, count=len(shared))]


def _trials(a: Side, b: Side) -> list[ResultWarning]:
    """Warn that cases were played more often on one side, or were something else there. Nothing within one run."""
    both = [(one, b.scored[key]) for key, one in a.scored.items() if key in b.scored]
    notes = []
    of_a, of_b = (sum(pair[side].trials for pair in both) for side in (0, 1))
    if any(left.trials != right.trials for left, right in both):
        text = (
            f"{many(len(both), 'case')}: {many(of_a, 'conversation')} of {a.label} and {of_b} of {b.label}; "
            "each case counts once, by the mean of its trials"
        )
        notes.append(ResultWarning(code=WarningCode.TRIALS_DIFFER, text=text, count=len(both)))
    changed = sum(bool(left.played and right.played) and left.played != right.played for left, right in both)
    if changed:
        text = (
            f"{changed} of {len(both)} cases were changed between the two runs (persona, goal, opening, turns): what "
            "differs may be theirs"
        )
        notes.append(ResultWarning(code=WarningCode.CASES_CHANGED, text=text, count=changed))
    return notes


def _unfinished(a: Side, b: Side) -> list[ResultWarning]:
    labels = [side.label for side in (a, b) if side.evaluation.ended_at is None]
    if not labels:
        return []
    text = f"{' and '.join(labels)} is still being judged: this will change"
    return [ResultWarning(code=WarningCode.STILL_RUNNING, text=text, names=labels)]
