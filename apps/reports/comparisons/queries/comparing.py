"""Two evaluations side by side: two evaluators on one run, or two runs under one evaluator (or both different).

Pairs are made by conversation within one run; across runs by case (a scenario with its persona, a golden session, an
imported conversation's name), whatever the number of its trials on either side: their mean counts. Trials of one case
are one cluster.
"""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from apps.catalog.configs.queries.criterion_titles import Titles, criterion_titles
from apps.core.errors import BadInput
from apps.evaluations.domain.warnings import ResultWarning
from apps.evaluations.figures.queries.results import find_evaluation
from apps.evaluations.models import CriterionScore, Evaluation
from apps.reports.comparisons.domain.comparison import (
    ConversationChange,
    Difference,
    Question,
    ScorePair,
    changes,
    decision_sentence,
    differences,
    judging_sentence,
    with_outcomes,
)
from apps.reports.comparisons.queries.comparison_notes import comparison_notes
from apps.reports.comparisons.queries.comparison_side import CaseScore, Side, read_side, repeatability
from apps.statistics.paired import bootstrap_interval

AnyId = uuid.UUID | str
OVERALL = "overall"
SEED = 20_261_121  # any number: the same rows give the same intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The change of one conversation, or of one case with so many `trials` on either side (its mean). `criterion` moved
    most, and `reason` is what the judge of that side said."""

    name: str
    change: ConversationChange
    a: float | None
    b: float | None
    conversation_a: uuid.UUID | None
    conversation_b: uuid.UUID | None
    criterion: str = ""
    reason: str = ""
    trials: tuple[int, int] = (1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """Consistency of two judges: the deviation of a conversation's score over repeated judgings.

    It is in points, over the conversations that both sides judged more than once with one fingerprint. `interval` is of
    b minus a.
    """

    conversations: int
    a: float
    b: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The whole answer. `differences` are b minus a, the largest first; `notes` are what a reader must know first.
    `same_conversations`: both sides judged one run, so that a difference is the judges' and never the agent's."""

    a: Side
    b: Side
    same_conversations: bool
    sentence: str
    notes: Sequence[ResultWarning]
    overall: Difference
    differences: Sequence[Difference]
    counts: Mapping[ConversationChange, int]
    moved: Sequence[Moved]
    consistency: Consistency | None


def compare(
    a: AnyId, b: AnyId, *, limit: int = 50, only: ConversationChange | None = None, titles: Titles | None = None
) -> Comparison:
    """Compare two evaluations; `moved` has the first `limit` conversations, changed ones first, or only one kind.

    What a fallback model judged is left out on either side unless that version lets it into the mean. Costs at most
    ten queries whatever the size; resampling 2 x 240 conversations some 50 ms. Raises NotFound; BadInput where both
    are the same.
    """
    first, second = (find_evaluation(one, related=("run",)) for one in (a, b))
    if first.id == second.id:
        raise BadInput("An evaluation cannot be compared with itself: choose another for B.", pointer="/b")
    one_run = first.run_id == second.run_id
    labels = side_labels(first, second)
    left = read_side(first, label=labels[0], by_conversation=one_run)
    right = read_side(second, label=labels[1], by_conversation=one_run)
    shared = [name for name in left.criteria if name in right.criteria]
    # Two evaluators that weigh differently are compared over what both judge, with the weights of b.
    weights = None if left.weights == right.weights else {name: right.weights[name] for name in shared}
    scores_a, scores_b = left.totals(weights), right.totals(weights)
    # The only criterion is the overall score: one question, not two to correct for.
    alone = len(shared) == 1
    asked = [_overall(left, right, scores_a, scores_b)] + [_criterion(one, left, right) for one in shared if not alone]
    overall, *criteria = with_outcomes(differences(asked, seed=SEED))
    criteria = [replace(overall, name=shared[0])] if alone else criteria
    kinds = changes(scores_a, scores_b)
    counts = Counter(kinds.values())
    shown = [name for name, kind in kinds.items() if only in (None, kind)][:limit]
    return Comparison(
        a=left,
        b=right,
        same_conversations=one_run,
        sentence=_sentence(overall, titled(criteria, titles), counts, labels, one_run=one_run),
        notes=comparison_notes(left, right, shared),
        overall=overall,
        differences=sorted(criteria, key=lambda one: (one.mean is None, -(one.mean or 0))),
        counts={kind: counts[kind] for kind in ConversationChange},
        moved=_moved(shown, kinds, left, right, scores_a, scores_b),
        consistency=_consistency(left, right) if one_run else None,
    )


def titled(criteria: Sequence[Difference], titles: Titles | None) -> list[Difference]:
    """Return the criteria with people's names for them, in English where no titles are given (one query)."""
    known = criterion_titles() if titles is None else titles
    return [replace(criterion, name=known.get(criterion.name, criterion.name)) for criterion in criteria]


def _sentence(
    overall: Difference,
    criteria: Sequence[Difference],
    counts: Mapping[ConversationChange, int],
    labels: tuple[str, str],
    *,
    one_run: bool,
) -> str:
    a, b = labels
    if one_run:
        return judging_sentence(overall, a=a, b=b)
    return decision_sentence(overall, criteria, worse=counts[ConversationChange.WORSE], a=a, b=b)


def side_labels(a: Evaluation, b: Evaluation) -> tuple[str, str]:
    """Return the names that tell the two sides apart.

    They are the evaluators, else the tested subject (label, prompt or agent), else the names of their runs, else A and
    B.
    """
    if a.config_ref != b.config_ref:
        return a.config_ref, b.config_ref
    tested = [[str(row.subject.get(field) or "") for row in (a, b)] for field in ("label", "prompt_version", "agent")]
    for left, right in [*tested, [a.run.name, b.run.name]]:
        if left != right and left and right:
            return left, right
    return "A", "B"


def _criterion(name: str, a: Side, b: Side) -> Question:
    pairs = [
        _pair(one, b.scored[key], one.criteria[name], b.scored[key].criteria[name])
        for key, one in a.scored.items()
        if key in b.scored and name in one.criteria and name in b.scored[key].criteria
    ]
    return Question(name=name, pairs=pairs, pass_mark=b.marks.get(name))


def _pair(left: CaseScore, right: CaseScore, a: float, b: float) -> ScorePair:
    return ScorePair(cluster=left.cluster, a=a, b=b, trials=(left.trials, right.trials))


def _overall(a: Side, b: Side, scores_a: Mapping[str, float | None], scores_b: Mapping[str, float | None]) -> Question:
    pairs = [
        replace(
            _pair(a.scored[key], b.scored[key], score, other), passing=(a.scored[key].passing, b.scored[key].passing)
        )
        for key, score in scores_a.items()
        if score is not None and (other := scores_b.get(key)) is not None
    ]
    return Question(name=OVERALL, pairs=pairs)


def _moved(
    keys: Sequence[str],
    kinds: Mapping[str, ConversationChange],
    a: Side,
    b: Side,
    scores_a: Mapping[str, float | None],
    scores_b: Mapping[str, float | None],
) -> list[Moved]:
    """The shown ones, each with the criterion that moved most and what the judge said about it. One query."""
    tops = {key: _top(key, kinds[key], a, b) for key in keys}
    judgements = [judgement for judgement, _ in tops.values() if judgement]
    reasons = {
        (judgement, criterion): reason
        for judgement, criterion, reason in CriterionScore.objects.filter(judgement_id__in=judgements).values_list(
            "judgement_id", "criterion", "reason"
        )
    }
    moved = []
    for key in keys:
        left, right = a.scored.get(key), b.scored.get(key)
        judgement, criterion = tops[key]
        either = right or left
        moved.append(
            Moved(
                name=either.name if either else key,
                change=kinds[key],
                a=scores_a.get(key),
                b=scores_b.get(key),
                conversation_a=left.conversation if left else None,
                conversation_b=right.conversation if right else None,
                criterion=criterion,
                reason=reasons.get((judgement, criterion), "") if judgement else "",
                trials=(left.trials if left else 0, right.trials if right else 0),
            )
        )
    return moved


def _top(key: str, kind: ConversationChange, a: Side, b: Side) -> tuple[uuid.UUID | None, str]:
    """The judgement of b and its criterion that moved most in the direction of the change."""
    left, right = a.scored.get(key), b.scored.get(key)
    if left is None or right is None or kind is ConversationChange.SAME:
        return None, ""
    sign = 1 if kind is ConversationChange.BETTER else -1
    moved = {
        name: sign * (score - left.criteria[name]) for name, score in right.criteria.items() if name in left.criteria
    }
    return (right.judgement, max(moved, key=lambda name: moved[name])) if moved else (None, "")


def _consistency(a: Side, b: Side) -> Consistency | None:
    """Measure both judges' consistency; None unless both judged some conversation more than once. Two queries."""
    left, right = repeatability(a), repeatability(b)
    shared = sorted(set(left) & set(right))
    if not shared:
        return None
    n = len(shared)
    return Consistency(
        conversations=n,
        a=sum(left[key] for key in shared) / n,
        b=sum(right[key] for key in shared) / n,
        interval=bootstrap_interval([right[key] - left[key] for key in shared], seed=SEED),
    )
