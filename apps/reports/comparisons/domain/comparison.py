"""Compare two from paired scores: say which is better, for what, and how sure.

The result is a sentence a person can act on. Scores are 0-10. `a` is what there was, `b` what is tried: a difference
above 0 means that b is better. A pair is a conversation, or all trials of one case (cluster).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from apps.statistics.paired import bootstrap_intervals, by_cluster, holm, mcnemar_p, pairs_needed, sign_flip_ps

ALPHA = 0.05
WORTH = 0.5  # points: a smaller difference is not worth acting on, a conversation that moved less is the same
HALF = 0.5  # of a case's trials: from here on it passes
MIN_PAIRS = 6  # below, no pattern of signs can be rarer than 5 % both ways (2 / 2^5 = 6 %)


class ComparisonOutcome(StrEnum):
    B_BETTER = "b_better"
    A_BETTER = "a_better"
    NO_DIFFERENCE = "no_difference"
    CANNOT_TELL = "cannot_tell"


class ConversationChange(StrEnum):
    WORSE = "worse"
    BETTER = "better"
    GONE = "gone"
    NEW = "new"
    SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePair:
    """One conversation scored on both sides, or a case with the means of its `trials` on either side.

    `cluster` is the case it is a trial of (itself, when there is but one). `passing` is the share of the trials whose
    verdict is a pass, where a score alone does not say it.
    """

    cluster: Hashable
    a: float
    b: float
    trials: tuple[int, int] = (1, 1)
    passing: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to the pairs: by how much one criterion, or the whole score, differs."""

    name: str
    pairs: Sequence[ScorePair]
    pass_mark: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """b minus a over the clusters; the means are over clusters too. `chance` is the sign-flip p, `adjusted` the same
    after Holm over all criteria. `trials` are the conversations behind the pairs, (of a, of b).

    `passes` counts the clusters that pass on one side only, (a, b), and `passes_chance` is McNemar's p: those whose
    mean reaches the mark, or, where pairs know their verdicts, those of whose trials half or more pass.
    `needed` is about how many more clusters it takes to tell, where it cannot be told.
    """

    name: str
    pairs: int
    clusters: int
    trials: tuple[int, int] = (0, 0)
    mean_a: float | None = None
    mean_b: float | None = None
    mean: float | None = None
    interval: tuple[float, float] | None = None
    chance: float | None = None
    adjusted: float | None = None
    passes: tuple[int, int] | None = None
    passes_chance: float | None = None
    outcome: ComparisonOutcome = ComparisonOutcome.CANNOT_TELL
    needed: int | None = None


def differences(questions: Sequence[Question], *, seed: int) -> list[Difference]:
    """Each question on both sides, before the correction for many: criteria and the weighted score.

    With a pass mark, or with verdicts in the pairs, cases that pass on one side only are counted and tested. Eleven
    questions of 240 pairs cost some 50 ms: those of one number of cases share their draws.
    """
    sides = [
        (
            by_cluster((pair.cluster, pair.a) for pair in question.pairs),
            by_cluster((pair.cluster, pair.b) for pair in question.pairs),
        )
        for question in questions
    ]
    deltas = [[of_b[cluster] - a for cluster, a in of_a.items()] for of_a, of_b in sides]
    intervals, chances = bootstrap_intervals(deltas, seed=seed), sign_flip_ps(deltas, seed=seed)
    drawn = zip(questions, sides, deltas, intervals, chances, strict=True)
    return [_difference(one, *both, found, interval, chance) for one, both, found, interval, chance in drawn]


def _difference(
    question: Question,
    of_a: Mapping[Hashable, float],
    of_b: Mapping[Hashable, float],
    deltas: Sequence[float],
    interval: tuple[float, float] | None,
    chance: float | None,
) -> Difference:
    pairs = question.pairs
    if not pairs:
        return Difference(name=question.name, pairs=0, clusters=0)
    more = pairs_needed(deltas, effect=_least_effect(interval))
    only = _passing_on_one_side(question, of_a, of_b)
    return Difference(
        name=question.name,
        pairs=len(pairs),
        clusters=len(deltas),
        trials=(sum(pair.trials[0] for pair in pairs), sum(pair.trials[1] for pair in pairs)),
        mean_a=sum(of_a.values()) / len(deltas),
        mean_b=sum(of_b.values()) / len(deltas),
        mean=sum(deltas) / len(deltas),
        interval=interval,
        chance=chance,
        adjusted=chance,
        passes=only,
        passes_chance=mcnemar_p(*only) if only else None,
        needed=None if more is None else max(MIN_PAIRS, more) - len(deltas),
    )


def _passing_on_one_side(
    question: Question, of_a: Mapping[Hashable, float], of_b: Mapping[Hashable, float]
) -> tuple[int, int] | None:
    """Count the cases that pass on one side only: by the verdicts where pairs know them, else by the mark."""
    mark = question.pass_mark
    verdicts = [(pair.cluster, pair.passing[0], pair.passing[1]) for pair in question.pairs]
    known = [(cluster, a, b) for cluster, a, b in verdicts if a is not None and b is not None]
    if known:
        mark = HALF
        of_a = by_cluster((cluster, a) for cluster, a, _ in known)
        of_b = by_cluster((cluster, b) for cluster, _, b in known)
    if mark is None:
        return None
    only_a = sum(a >= mark > of_b[cluster] for cluster, a in of_a.items())
    return only_a, sum(of_b[cluster] >= mark > a for cluster, a in of_a.items())


def _least_effect(interval: tuple[float, float] | None) -> float:
    """The difference that more cases are asked for: the smallest that the interval leaves, and none below WORTH. A fall
    of four points takes fewer cases to be sure of than one of half a point."""
    low, high = interval or (0.0, 0.0)
    return max(WORTH, low, -high)


def with_outcomes(differences: Sequence[Difference]) -> list[Difference]:
    """Return the differences with Holm's correction over all of them and their outcome.

    Better or worse: the adjusted chance is at most 5 % and the interval leaves 0 out. No difference: the interval lies
    within half a point on either side. Everything else cannot be told, and `needed` says about how many more it takes.
    """
    adjusted = holm([difference.chance for difference in differences])
    return [_with_outcome(replace(difference, adjusted=p)) for difference, p in zip(differences, adjusted, strict=True)]


def _with_outcome(difference: Difference) -> Difference:
    outcome = _outcome(difference)
    if outcome is not ComparisonOutcome.CANNOT_TELL:
        return replace(difference, outcome=outcome, needed=None)
    # enough pairs by the spread alone, and still undecided: the difference is near the line; half as many again
    needed = (
        difference.needed
        if difference.needed is None or difference.needed > 0
        else max(MIN_PAIRS, difference.clusters // 2)
    )
    return replace(difference, outcome=outcome, needed=needed)


def _outcome(difference: Difference) -> ComparisonOutcome:
    if (
        difference.interval is None
        or difference.mean is None
        or difference.adjusted is None
        or difference.clusters < MIN_PAIRS
    ):
        return ComparisonOutcome.CANNOT_TELL
    low, high = difference.interval
    if difference.adjusted <= ALPHA and (low > 0 or high < 0):
        return ComparisonOutcome.B_BETTER if difference.mean > 0 else ComparisonOutcome.A_BETTER
    if low >= -WORTH and high <= WORTH:
        return ComparisonOutcome.NO_DIFFERENCE
    return ComparisonOutcome.CANNOT_TELL


def changes(a: Mapping[str, float | None], b: Mapping[str, float | None]) -> dict[str, ConversationChange]:
    """The change of every conversation, by its name: changed ones first (worse, better, gone, new), then the same.

    A conversation without a score on one side is gone or new there; one without any is left out.
    """
    by_conversation: dict[str, ConversationChange] = {}
    for name in {**a, **b}:
        before, after = a.get(name), b.get(name)
        if before is None and after is None:
            continue
        if before is None:
            by_conversation[name] = ConversationChange.NEW
        elif after is None:
            by_conversation[name] = ConversationChange.GONE
        elif abs(after - before) < WORTH:
            by_conversation[name] = ConversationChange.SAME
        else:
            by_conversation[name] = ConversationChange.BETTER if after > before else ConversationChange.WORSE
    order = list(ConversationChange)
    moved = {name: abs((a.get(name) or 0) - (b.get(name) or 0)) for name in by_conversation}
    return dict(sorted(by_conversation.items(), key=lambda item: (order.index(item[1]), -moved[item[0]], item[0])))


NOTHING_OF_AGENT = "nothing about the agent was compared"


def judging_sentence(overall: Difference, *, a: str = "A", b: str = "B") -> str:
    """The answer where both sides judged the same conversations: how strict two judges are, and nothing of the agent.

    "@3 judges 0.9 [0.7, 1.1] stricter than @2 on the same conversations; nothing about the agent was compared."
    """
    if overall.pairs == 0:
        return f"{a} and {b} scored none of the same conversations; {NOTHING_OF_AGENT}."
    if overall.outcome in (ComparisonOutcome.B_BETTER, ComparisonOutcome.A_BETTER):
        how = "milder" if overall.outcome is ComparisonOutcome.B_BETTER else "stricter"
        found = f"{b} judges {_amount(overall)} {how} than {a} on the same conversations"
    elif overall.outcome is ComparisonOutcome.NO_DIFFERENCE:
        found = f"{b} judges as strictly as {a} on the same conversations"
    else:
        found = f"Not enough data to tell how strictly {b} judges beside {a} on the same conversations"
        found += _more([overall])
    return f"{found}; {NOTHING_OF_AGENT}."


def decision_sentence(
    overall: Difference, criteria: Sequence[Difference], *, worse: int, a: str = "A", b: str = "B"
) -> str:
    """The answer in a sentence: who is better at what and by how much, what cannot be told, what got worse.

    "B is better by 0.4 [0.1, 0.7] on discovery; no difference shown elsewhere; 3 conversations got worse."
    It is told of `b`, which was asked about: a loss is a loss. A criterion that is the whole of the score is said once.
    """
    if overall.pairs == 0:
        return (
            f"{a} and {b} have nothing in common that was scored on both sides: no scenario with its persona, no "
            "golden session, no conversation of one name."
        )
    parts = [*_moves(b, ComparisonOutcome.A_BETTER, criteria), *_moves(b, ComparisonOutcome.B_BETTER, criteria)]
    alone = len(criteria) == 1 and criteria[0].outcome is overall.outcome and _amount(criteria[0]) == _amount(overall)
    if overall.outcome in (ComparisonOutcome.B_BETTER, ComparisonOutcome.A_BETTER) and not alone:
        parts.insert(0, f"{b} is {_how(overall.outcome)} by {_amount(overall)} overall")
    settled = [
        difference for difference in (overall, *criteria) if difference.outcome is ComparisonOutcome.NO_DIFFERENCE
    ]
    open_ones = [
        difference for difference in (overall, *criteria) if difference.outcome is ComparisonOutcome.CANNOT_TELL
    ]
    elsewhere, nothing = (" elsewhere", "no difference") if parts else ("", "No difference")
    if open_ones and not settled:
        parts.append(f"{'not' if parts else 'Not'} enough data{elsewhere}{_more(open_ones)}")
    elif settled and not open_ones:
        parts.append(f"{nothing} shown{elsewhere}")
    elif settled:
        names = _listed([one.name for one in open_ones])
        parts.append(f"{nothing} shown{elsewhere}, not enough data on {names}{_more(open_ones)}")
    if worse:
        parts.append(f"{worse} conversation{'s' if worse != 1 else ''} got worse")
    return "; ".join(parts) + "."


def _moves(who: str, outcome: ComparisonOutcome, criteria: Sequence[Difference]) -> list[str]:
    moved = sorted(
        (criterion for criterion in criteria if criterion.outcome is outcome),
        key=lambda criterion: -abs(criterion.mean or 0),
    )
    if not moved:
        return []
    return [
        f"{who} is {_how(outcome)} by " + ", ".join(f"{_amount(criterion)} on {criterion.name}" for criterion in moved)
    ]


def _how(outcome: ComparisonOutcome) -> str:
    return "better" if outcome is ComparisonOutcome.B_BETTER else "worse"


def _amount(difference: Difference) -> str:
    low, high = difference.interval or (0.0, 0.0)
    if (difference.mean or 0) < 0:
        low, high = -high, -low
    return f"{abs(difference.mean or 0):.1f} [{low:.1f}, {high:.1f}]"


def _more(open_ones: Sequence[Difference]) -> str:
    known = [difference.needed for difference in open_ones if difference.needed is not None]
    return f", about {max(known)} more cases" if known else ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
