"""Is a draft better than the live prompt? Decided here and nowhere else, from paired scores of one look at the
hold-out.

Each pair is one conversation, played by both prompts with the same scenario, persona and seed. The families of
scenarios are the clusters: what one family says twice is said once. The draft is *better* where the sign-flip test over
families refuses "no gain" at this look's level (apps.statistics.looks), so the sentence and the interval beside it are
one computation. It is *blocked* where a criterion is clearly worse, or where the mean falls further than the circuit
breaker allows; *not shown* is everything else, and an answer.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import floor, inf, isfinite
from typing import Any

from apps.core.plurals import many
from apps.improvement.domain.acceptance_pairs import PromptPair, family_means, mean, read_pairs
from apps.statistics.looks import ALPHA, clusters_needed, differing, level_of_look
from apps.statistics.paired import holm, sign_flip_loss_p
from apps.statistics.sign_flip_bounds import FlipBounds, flip_bounds

LEAST_FAMILIES = 12  # below it there is no hold-out: the percentile of few means says little (brief 003, P13)
MAX_WITHOUT_SCORE = 0.1  # of the pairs that the live prompt scored: a draft must not win by what cannot be judged
BLOCK_ESTIMATE, BLOCK_P = -0.5, 0.05  # a criterion: Holm p against 0, and the estimate, in points
_GROUP_LEVEL = 0.025
_SAME = 1e-9


class AcceptanceVerdict(StrEnum):
    BETTER = "better"
    NOT_SHOWN = "not_shown"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceReason:
    """One reason of an acceptance test. `code` is stable and part of the API; `text` is a sentence for people."""

    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupDifference:
    """The gain of a language, a persona or a criterion: draft minus live in points, a mean over its families.

    `interval` is None where its families are too few for one. `p` is the one-sided chance of a loss, Holm-adjusted over
    the criteria; None for other groups. `worse`: the whole interval lies below 0.
    """

    kind: str
    name: str
    families: int
    estimate: float
    interval: tuple[float, float] | None = None
    p: float | None = None

    @property
    def worse(self) -> bool:
        return self.interval is not None and self.interval[1] < -_SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """The decision about a draft. Scores and differences are points of the 0-10 scale.

    `interval` inverts the test at `level`, so its confidence is 1 - 2 · level; None without pairs or any difference.
    `codes` are stable names of `reasons`, in the same order. `flagged` are the personas without whom less than half of
    the gain is left. `left_out` counts pairs with a score of one side only, or of none.
    """

    verdict: AcceptanceVerdict
    sentence: str
    reasons: tuple[str, ...]
    codes: tuple[str, ...]
    estimate: float | None
    interval: tuple[float, float] | None
    level: float
    look: int
    families: int
    differing: int
    pairs: int
    left_out: int
    live_mean: float | None
    draft_mean: float | None
    against_original: float | None
    blocked_criteria: tuple[str, ...] = ()
    flagged: tuple[str, ...] = ()
    criteria: tuple[GroupDifference, ...] = ()
    groups: tuple[GroupDifference, ...] = ()


def decide(
    pairs: Iterable[Mapping[str, Any]],
    *,
    look: int = 1,
    alpha: float = ALPHA,
    block_points: float = 1.0,
    seed: int = 0,
) -> Acceptance:
    """Decide about the draft against the live prompt, on `pairs`.

    A pair is {"scenario", "persona", "language", "live", "draft", "original"?, "criteria"?: {name: [live, draft]},
    "family"?}. A family is the scenario where none is named; a score of None was not given, and its pair is left out
    and counted.
    `look` is the number of this look at the hold-out, over all drafts and for life: its level is alpha · 2^-look.
    Better: the lower bound is above 0, with `look` + 5 families that differ and 12 in all. Blocked: a criterion with a
    Holm p of at most .05 and an estimate below -0.5, or a mean more than `block_points` below the live prompt or below
    the lineage's original. `seed` decides what is drawn above 32 families. Rates and oracles: tests and
    benchmarks/acceptance_rates.py. Raises BadInput with the pointer of the pair. 0.1 s for 24 families, 3 s for 32.
    """
    read = read_pairs(pairs, look=look, alpha=alpha, block_points=block_points)
    level = level_of_look(look, alpha=alpha)
    scored = [pair for pair in read if pair.difference is not None]
    gains = family_means(scored, lambda pair: pair.difference)
    estimate = mean(gains.values())
    bounds = flip_bounds(list(gains.values()), level=level, seed=seed) if differing(list(gains.values())) else None
    original = mean(family_means(read, lambda pair: pair.against_original).values())
    criteria = _criteria(read, seed)
    blocked = tuple(criterion.name for criterion in criteria if _blocks(criterion))
    flagged = _flagged(scored, estimate)
    blocks = _why_blocked(criteria, blocked, estimate, original, block_points)
    doubts = _doubts(read, gains, look, bounds.low if bounds else -inf)
    verdict, reasons = _verdict(blocks, doubts)
    why = reasons or _why_better(estimate, bounds, flagged)
    return Acceptance(
        verdict=verdict, sentence=_sentence(verdict, estimate, bounds, len(gains), look, why),
        reasons=tuple(reason.text for reason in why), codes=tuple(reason.code for reason in why),
        estimate=estimate, interval=(bounds.low, bounds.high) if bounds else None, level=level, look=look,
        **_figures(read, scored, gains), against_original=original, blocked_criteria=blocked, flagged=flagged,
        criteria=criteria, groups=(*_groups("language", scored, seed), *_groups("persona", scored, seed)),
    )  # fmt: skip


def _figures(read: Sequence[PromptPair], scored: Sequence[PromptPair], gains: Mapping[str, float]) -> dict[str, Any]:
    """Return how many pairs were compared, and either prompt's mean."""
    return {
        "families": len(gains),
        "differing": differing(list(gains.values())),
        "pairs": len(scored),
        "left_out": len(read) - len(scored),
        "live_mean": mean(family_means(scored, lambda pair: pair.live).values()),
        "draft_mean": mean(family_means(scored, lambda pair: pair.draft).values()),
    }


def _verdict(
    blocks: Sequence[AcceptanceReason], doubts: Sequence[AcceptanceReason]
) -> tuple[AcceptanceVerdict, Sequence[AcceptanceReason]]:
    if blocks:
        return AcceptanceVerdict.BLOCKED, (*blocks, *doubts)
    return (AcceptanceVerdict.NOT_SHOWN, doubts) if doubts else (AcceptanceVerdict.BETTER, ())


def _doubts(read: Sequence[PromptPair], gains: Mapping[str, float], look: int, low: float) -> list[AcceptanceReason]:
    """Return every doubt against the word "better" for these pairs, the gravest first."""
    lost = sum(pair.live is not None and pair.draft is None for pair in read)
    of = sum(pair.live is not None for pair in read)
    doubts = []
    if len(gains) < LEAST_FAMILIES:
        doubts.append(_no_hold_out(len(gains), LEAST_FAMILIES))
    if of and lost / of > MAX_WITHOUT_SCORE:
        doubts.append(_lost_scores(lost, of))
    if gains and differing(list(gains.values())) < clusters_needed(look):
        doubts.append(_too_few_differ(differing(list(gains.values())), clusters_needed(look)))
    elif gains and low <= _SAME:
        doubts.append(_may_be_chance(low))
    return doubts


def _criteria(read: Sequence[PromptPair], seed: int) -> tuple[GroupDifference, ...]:
    """Each criterion over its families, the p of a loss adjusted for having asked about all of them."""
    names = list(dict.fromkeys(name for pair in read for name in pair.criteria))
    by_name = {name: list(family_means(read, _of_criterion(name)).values()) for name in names}
    losses = holm([sign_flip_loss_p(by_name[name], seed=seed) for name in names])
    return tuple(
        _difference("criterion", name, by_name[name], seed, p=p)
        for name, p in zip(names, losses, strict=True)
        if by_name[name]
    )


def _of_criterion(name: str) -> Any:
    return lambda pair: pair.criteria.get(name)


def _blocks(difference: GroupDifference) -> bool:
    return difference.p is not None and difference.p <= BLOCK_P and difference.estimate < BLOCK_ESTIMATE


def _groups(kind: str, scored: Sequence[PromptPair], seed: int) -> list[GroupDifference]:
    """The groups there are at least two of; one alone is the whole."""
    names = sorted({getattr(pair, kind) for pair in scored})
    if len(names) < 2:
        return []
    gains = {name: family_means([pair for pair in scored if getattr(pair, kind) == name], _gain) for name in names}
    return [_difference(kind, name, list(gains[name].values()), seed) for name in names]


def _gain(pair: PromptPair) -> float | None:
    return pair.difference


def _difference(kind: str, name: str, gains: Sequence[float], seed: int, *, p: float | None = None) -> GroupDifference:
    bounds = flip_bounds(gains, level=_GROUP_LEVEL, seed=seed) if differing(gains) >= clusters_needed(1) else None
    interval = (bounds.low, bounds.high) if bounds and bounds.low > -inf else None
    return GroupDifference(
        kind=kind, name=name, families=len(gains), estimate=mean(gains) or 0.0, interval=interval, p=p
    )


def _flagged(scored: Sequence[PromptPair], estimate: float | None) -> tuple[str, ...]:
    """The personas without whom the mean falls below half of the whole. Whether the claim is lost without one says
    little: that happens to 53 % of fair claims at 12 families and two personas (reference: stats-loop, simulated)."""
    names = sorted({pair.persona for pair in scored})
    if estimate is None or estimate <= _SAME or len(names) < 2:
        return ()
    without = {
        name: mean(family_means([pair for pair in scored if pair.persona != name], _gain).values()) for name in names
    }
    return tuple(name for name, left in without.items() if left is not None and left < estimate / 2)


def _why_blocked(
    criteria: Sequence[GroupDifference],
    blocked: Sequence[str],
    estimate: float | None,
    original: float | None,
    block_points: float,
) -> list[AcceptanceReason]:
    """Say why the draft is blocked: the circuit breaker first, then each criterion that is clearly worse."""
    reasons = []
    for against, change in (("the live prompt", estimate), ("the first prompt of this lineage", original)):
        if change is not None and change < -block_points - _SAME:
            text = (
                f"Regression detected: {_points(change)} against {against}, and more than {block_points:g} is blocked."
            )
            reasons.append(AcceptanceReason(code="regression_detected", text=text))
    reasons += [
        AcceptanceReason(
            code="criterion_worse",
            text=f"{criterion.name} is clearly worse: {_points(criterion.estimate)} "
            f"({_chance(criterion.p)}, adjusted for all criteria).",
        )
        for criterion in criteria
        if criterion.name in blocked
    ]
    return reasons


def _why_better(estimate: float | None, bounds: FlipBounds | None, flagged: Sequence[str]) -> list[AcceptanceReason]:
    """The reasons for the draft, and the groups whose conversations carry most of the gain."""
    if estimate is None or bounds is None:
        return []
    reasons = [AcceptanceReason(code="gain_shown", text=f"The gain is at least {_points(_down(bounds.low))}.")]
    return reasons + [
        AcceptanceReason(
            code="carried_by_one_persona",
            text=f"Without the persona {name} less than half of the gain is left: look at its conversations.",
        )
        for name in flagged
    ]


def _no_hold_out(families: int, least: int) -> AcceptanceReason:
    more = many(least - families, "more family is", "more families are")
    return AcceptanceReason(code="no_hold_out", text=f"Not proven: no hold-out, {more} needed ({families} of {least}).")


def _lost_scores(lost: int, of: int) -> AcceptanceReason:
    return AcceptanceReason(
        code="scores_missing",
        text=f"Cannot tell: {lost} of {many(of, 'conversation')} that the live prompt has scores for have none with "
        "the draft.",
    )


def _too_few_differ(families: int, needed: int) -> AcceptanceReason:
    if not families:
        return AcceptanceReason(code="nothing_differs", text="Nothing differs: every family has the same scores.")
    only = many(families, "family differs", "families differ")
    return AcceptanceReason(code="too_few_differ", text=f"Cannot tell: only {only}, and this look needs {needed}.")


def _may_be_chance(low: float) -> AcceptanceReason:
    held = f"it may as well be {_points(low)}" if isfinite(low) else "too few families hold it"
    return AcceptanceReason(code="may_be_chance", text=f"Not shown to be better: {held}.")


def _sentence(
    verdict: str,
    estimate: float | None,
    bounds: FlipBounds | None,
    families: int,
    look: int,
    reasons: Sequence[AcceptanceReason],
) -> str:
    """The first line of every page and export about it."""
    if estimate is None:
        return "Nothing can be said: no conversation has a score with both prompts."
    opening = {"better": "Better", "blocked": "Blocked", "not_shown": "Not shown to be better"}[verdict]
    between = ""
    if bounds is not None and isfinite(bounds.low) and isfinite(bounds.high):
        between = f", {100 * bounds.confidence:.3g} % interval {bounds.low:+.2f} to {bounds.high:+.2f}"
    why = "" if verdict == "better" else f" {reasons[0].text}" if reasons else ""
    return f"{opening}: {_points(estimate)} over {many(families, 'family', 'families')} (look {look}{between}).{why}"


def _chance(p: float | None) -> str:
    """Write a p value as `p = 0.012`, never as `p = 0.000`."""
    return f"p = {p:.3f}" if p is not None and p >= 0.001 else "p < 0.001"


def _down(change: float) -> float:
    """A bound to two digits that still holds: .025 is shown as .02."""
    return floor(change * 100 + _SAME) / 100


def _points(change: float) -> str:
    """Write a change as `+0.84 points`."""
    return f"{change:+.2f} points"
