"""What a canary's figures are called, said and stored as: at every limit, and in every sentence a person reads."""

from datetime import UTC, datetime, timedelta
from math import exp, inf, log

import pytest

from apps.production.rollouts.domain.rules import (
    CALLED_AT,
    LEAST,
    RULES,
    GuardedMetric,
    MetricReading,
    MetricVerdict,
    harm_in_words,
    loss_sentence,
    promotion_refusals,
    read_metric,
    thin,
    worse,
)
from apps.statistics.sequential import ArmCell, half_width

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
DAY = timedelta(hours=24)
SPREAD = [6.0, 7.0, 8.0, 9.0] * 10


def arms(stable: list[float], canary: list[float]) -> list[tuple[ArmCell, ArmCell]]:
    return [(ArmCell.of(stable), ArmCell.of(canary))]


def reading(
    metric: GuardedMetric = GuardedMetric.SCORE,
    verdict: MetricVerdict = MetricVerdict.WITHIN,
    harm: tuple[float, float, float] | None = (0.0, -0.1, 0.1),
    **more: float,
) -> MetricReading:
    known = {} if harm is None else dict(zip(("harm", "low", "high"), harm, strict=True))
    return MetricReading(metric=metric, verdict=verdict, stable_n=40, canary_n=40, **known, **more)  # type: ignore[arg-type]


# --- When something is called worse, and when it is none -------------------------------------------------------------
def test_limits_are_those_that_were_fixed_in_advance() -> None:
    limits = {one.value: (rule.tau, rule.margin, rule.step, rule.most) for one, rule in RULES.items()}
    assert limits == {
        "score": (0.5, 0.5, 1, 10),
        "thumbs_down": (0.05, 0.03, 0, 1),
        "transfer": (0.05, 0.03, 0, 1),
        "cost": (0.1, pytest.approx(log(1.2)), pytest.approx(log(1.01)), inf),
        "latency": (0.1, pytest.approx(log(1.2)), pytest.approx(log(1.01)), inf),
    }
    assert (CALLED_AT, LEAST) == (100, 30)


def test_a_score_of_both_arms_is_read_with_its_bounds() -> None:
    lower = [one - 0.25 for one in SPREAD]
    found = read_metric(GuardedMetric.SCORE, arms(SPREAD, lower))
    squares = sum((one - 7.5) ** 2 for one in SPREAD)
    width = half_width(2 * squares / 78 * (1 / 40 + 1 / 40), 0.5, 0.1)
    assert (found.stable, found.canary, found.harm) == (7.5, 7.25, 0.25)
    assert found.low == pytest.approx(0.25 - width)
    assert found.high == pytest.approx(0.25 + width)
    assert (found.stable_n, found.canary_n, found.callers, found.left_out) == (40, 40, 1, 0)


def test_a_loss_below_the_margin_with_its_bounds_is_none_and_one_that_may_reach_it_is_not_told() -> None:
    high = read_metric(GuardedMetric.SCORE, arms(SPREAD, SPREAD)).high
    assert high is not None
    at = {
        margin: read_metric(GuardedMetric.SCORE, arms(SPREAD, SPREAD), margin=margin).verdict
        for margin in (high, high * 1.001)
    }
    assert list(at.values()) == [MetricVerdict.NOT_TOLD, MetricVerdict.WITHIN]


@pytest.mark.parametrize("stable, canary", [(29, 60), (60, 29)])
def test_below_thirty_of_an_arm_nothing_is_compared(stable: int, canary: int) -> None:
    found = read_metric(GuardedMetric.SCORE, arms(SPREAD[:1] * stable, SPREAD[:1] * canary))
    assert (found.verdict, found.harm) == (MetricVerdict.NO_DATA, None)
    one_more = read_metric(GuardedMetric.SCORE, arms(SPREAD[:1] * (stable + 1), SPREAD[:1] * (canary + 1)))
    assert one_more.harm == 0


def test_callers_of_one_arm_alone_are_counted_and_left_out() -> None:
    lone = [(ArmCell.of([8.0] * 5), ArmCell()), (ArmCell(), ArmCell.of([8.0])), (ArmCell(), ArmCell())]
    found = read_metric(GuardedMetric.SCORE, lone)
    assert (found.left_out, found.callers, found.stable_n, found.canary_n) == (2, 0, 5, 1)


def test_costs_are_compared_as_ratios_and_shown_as_dollars() -> None:
    found = read_metric(GuardedMetric.COST, arms([log(0.02)] * 40, [log(0.04)] * 40))
    assert found.stable == pytest.approx(0.02)
    assert found.canary == pytest.approx(0.04)
    assert found.harm == pytest.approx(log(2))
    assert found.verdict is MetricVerdict.WORSE


def test_losses_are_told_from_what_nobody_knows() -> None:
    every = [reading(verdict=verdict) for verdict in MetricVerdict]
    assert [one.verdict for one in worse(every)] == [MetricVerdict.WORSE]
    assert [one.verdict for one in thin(every)] == [MetricVerdict.NOT_TOLD, MetricVerdict.NO_DATA]


# --- When a person may promote it ------------------------------------------------------------------------------------
def refusals(*readings: MetricReading, after: timedelta = DAY) -> list[tuple[str, str]]:
    found = promotion_refusals(readings, started_at=NOW - after, now=NOW, margin=0.5)
    return [(one.code, one.sentence) for one in found]


@pytest.mark.parametrize(
    "after, more",
    [
        (DAY, ""),
        (timedelta(hours=23, minutes=59), "1 hour"),
        (timedelta(hours=20), "4 hours"),
        (timedelta(), "24 hours"),
    ],
)
def test_a_promotion_waits_for_a_whole_day(after: timedelta, more: str) -> None:
    wanted = [("too_early", f"A day is needed: {more} more.")] if more else []
    assert refusals(reading(), after=after) == wanted


def test_each_metric_that_is_worse_stands_against_a_promotion() -> None:
    lost = [reading(metric, MetricVerdict.WORSE) for metric in (GuardedMetric.COST, GuardedMetric.TRANSFER)]
    assert refusals(*lost, reading()) == [
        ("worse", "Cost a conversation is worse."), ("worse", "Handed to a person is worse.")
    ]  # fmt: skip


def test_only_the_score_must_be_shown_and_how_much_lower_it_may_be_is_said() -> None:
    unknown = [reading(one, MetricVerdict.NOT_TOLD) for one in GuardedMetric if one is not GuardedMetric.SCORE]
    assert refusals(*unknown, reading()) == []
    told = "It is not shown yet that the score is at most 0.5 lower: it may be {} lower."
    assert refusals(*unknown, reading(verdict=MetricVerdict.NOT_TOLD, harm=(0.2, -0.3, 0.72))) == [
        ("not_shown", told.format("0.72"))
    ]
    above = reading(verdict=MetricVerdict.NOT_TOLD, harm=(-0.2, -0.4, -0.1))
    assert refusals(above) == [("not_shown", told.format("0.00"))]


def test_the_number_of_conversations_that_show_a_callers_spread_is_said() -> None:
    few = MetricReading(metric=GuardedMetric.SCORE, verdict=MetricVerdict.NO_DATA, stable_n=35, canary_n=36, callers=34)
    assert refusals(few)[0][1] == (
        "Too few are judged of each caller: 36 of the canary and 35 of stable are of 34 callers, and 98 together are "
        "needed to know how much the scores of a caller vary."
    )


# --- In words, and as it is stored -----------------------------------------------------------------------------------
WORDS = [
    (GuardedMetric.SCORE, (0.94, 0.5, 1.3), "it scores 0.9 lower [0.5, 1.3] than stable"),
    (GuardedMetric.SCORE, (0.0, -0.2, 0.4), "it scores 0.0 lower [-0.2, 0.4] than stable"),
    (GuardedMetric.SCORE, (-0.5, -1.3, 0.2), "it scores 0.5 higher [-0.2, 1.3] than stable"),
    (GuardedMetric.THUMBS_DOWN, (0.05, 0.01, 0.1), "it gets more thumbs down than stable: +5.0 points [+1.0, +10.0]"),
    (
        GuardedMetric.TRANSFER, (0.123, -0.02, 0.25),
        "it is handed to a person more often than stable: +12.3 points [-2.0, +25.0]",
    ),
    (GuardedMetric.COST, (log(2), log(1.5), log(3)), "it costs more than stable: +100 % [+50, +200]"),
    (GuardedMetric.LATENCY, (log(1.25), log(0.9), log(1.6)), "it answers more slowly than stable: +25 % [-10, +60]"),
]  # fmt: skip


@pytest.mark.parametrize("metric, harm, sentence", WORDS)
def test_why_it_was_rolled_back_is_said(metric: GuardedMetric, harm: tuple[float, float, float], sentence: str) -> None:
    assert loss_sentence(reading(metric, MetricVerdict.WORSE, harm)) == sentence


@pytest.mark.parametrize("missing", ["harm", "low", "high"])
def test_without_a_difference_or_a_bound_too_little_is_known(missing: str) -> None:
    known = {"harm": 0.1, "low": 0.0, "high": 0.2, missing: None}
    bare = MetricReading(metric=GuardedMetric.SCORE, verdict=MetricVerdict.NO_DATA, stable_n=1, canary_n=1, **known)  # type: ignore[arg-type]
    assert harm_in_words(bare) == "too little is known"


def test_a_look_is_stored_with_all_that_was_read() -> None:
    harm = log(1.5)
    kept = reading(
        GuardedMetric.COST,
        MetricVerdict.WORSE,
        (harm, 0.1, 0.9),
        stable=0.02,
        canary=0.03,
        evidence=exp(99),
        callers=7,
        left_out=2,
    ).document()
    assert (kept.metric, kept.title, kept.verdict, kept.logs) == ("cost", "Cost a conversation", "worse", True)
    assert (kept.stable_n, kept.canary_n, kept.callers, kept.left_out) == (40, 40, 7, 2)
    assert (kept.stable, kept.canary, kept.harm, kept.low, kept.high) == (0.02, 0.03, harm, 0.1, 0.9)
    assert (kept.evidence, kept.called_at) == (1e12, 100)
    assert reading(evidence=3.5).document().evidence == 3.5
    assert reading().document().evidence is None
