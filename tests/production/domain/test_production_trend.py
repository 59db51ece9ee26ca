"""A point of production is a mean of what was drawn, or the word for why there is none."""

from datetime import UTC, datetime, timedelta

from apps.production.sampling.domain.production_trend import (
    DrawnWindow,
    PointStatus,
    SampledScore,
    hours_of_a_point,
    production_points,
)

DAY = datetime(2026, 11, 23, tzinfo=UTC)
SIX = timedelta(hours=6)


def window(n: int = 0, *, status: str = "drawn", why: str = "", **population: int) -> DrawnWindow:
    return DrawnWindow(starts=DAY + n * SIX, status=status, population=population or {"en": 100}, why=why)


def scores(*values: float | None, n: int = 0, stratum: str = "en", **more) -> list[SampledScore]:
    return [
        SampledScore(window=DAY + n * SIX, stratum=stratum, score=one, fingerprint=more.get("judge", "f"),
                     pending=more.get("pending", False))
        for one in values
    ]  # fmt: skip


STEADY = (7.0, 7.2, 6.8) * 14


def test_strata_are_weighted_back():
    rows = [*scores(*STEADY), *scores(*(4.0, 4.2, 3.8) * 14, stratum="sw")]
    (point,) = production_points([window(en=900, sw=100)], rows, hours=24)
    assert point.status is PointStatus.OK
    assert point.score is not None
    assert abs(point.score - 6.7) < 1e-9  # the plain mean of the sample would be 5.5


def test_below_five_thousand_a_day_a_point_is_a_day():
    assert hours_of_a_point([window(n, en=1000) for n in range(4)]) == 24
    assert hours_of_a_point([window(n, en=1300) for n in range(4)]) == 6
    windows = [window(n) for n in range(4)]
    rows = [one for n in range(4) for one in scores(*STEADY, n=n)]
    assert len(production_points(windows, rows, hours=24)) == 1
    assert len(production_points(windows, rows, hours=6)) == 4


def test_another_judge_is_another_point():
    rows = [*scores(*STEADY, judge="old"), *scores(*STEADY, judge="new")]
    points = production_points([window()], rows, hours=24)
    assert [one.fingerprint for one in points] == ["old", "new"]


def test_what_was_not_sampled_says_so_and_holds_no_mean():
    (point,) = production_points([window(status="not_sampled", why="no money")], [], hours=24)
    assert (point.status, point.score, point.note) == (PointStatus.NOT_SAMPLED, None, "no money")
    assert point.as_json()["score"] is None


def test_what_is_still_to_be_judged_is_no_mean_yet():
    rows = [*scores(*STEADY), *scores(None, pending=True)]
    (point,) = production_points([window()], rows, hours=24)
    assert (point.status, point.score) == (PointStatus.WAITING, None)
    assert point.note == "1 of 43 are still to be judged."


def test_a_window_that_was_not_sampled_is_left_out_of_its_day_and_named():
    windows = [window(), window(1, status="not_sampled", why="no money", en=5000)]
    (point,) = production_points(windows, scores(*STEADY), hours=24)
    assert (point.status, point.population) == (PointStatus.OK, 100)
    assert point.note.startswith("1 of 2 windows were not sampled.")


def test_too_few_hides_the_mean():
    (point,) = production_points([window()], scores(2.0, 9.0, 5.0), hours=24)
    assert (point.status, point.score, point.as_json()["interval"]) == (PointStatus.TOO_FEW, None, None)
    (none,) = production_points([window()], scores(None, None), hours=24)
    assert (none.status, none.scored) == (PointStatus.TOO_FEW, 0)
