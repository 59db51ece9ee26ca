"""Points of the trend of real conversations: means of a stratified sample, or the word for why there is none."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from apps.production.sampling.domain.rates import HOURS
from apps.production.sampling.domain.states import DrawStatus
from apps.statistics.stratified import SampledStratum, stratified_mean

A_DAY_OF_POINTS_OF_SIX_HOURS = 5_000  # below so many settled a day, a point of six hours is too few: one is a day


class PointStatus(StrEnum):
    OK = "ok"
    TOO_FEW = "too_few"
    NOT_SAMPLED = "not_sampled"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnWindow:
    """One window of a rule, its population as far as the trend's filter holds it: {stratum: settled}."""

    starts: datetime
    status: str
    population: Mapping[str, int]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledScore:
    """A conversation that was drawn by chance. `score` None: `pending`, or the judge gave none."""

    window: datetime
    stratum: str
    score: float | None
    pending: bool = False
    fingerprint: str = ""
    config: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedScore:
    """A mean without the judge's own move (`shift`, in points), with its interval of 95 %."""

    score: float
    low: float
    high: float
    shift: float

    def as_json(self) -> dict[str, Any]:
        return {"score": self.score, "interval": [self.low, self.high], "shift": self.shift}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionPoint:
    """One stretch of time and one judge. `score` is None unless `status` is ok; `estimate` and `half_width` are what is
    known all the same. `note` says what is missing of it; `corrected` is there where the judge moved."""

    at: datetime
    until: datetime
    status: PointStatus
    scored: int
    population: int
    fingerprint: str = ""
    config: str = ""
    estimate: float | None = None
    variance: float | None = None
    half_width: float | None = None
    note: str = ""
    corrected: CorrectedScore | None = None

    @property
    def score(self) -> float | None:
        return self.estimate if self.status is PointStatus.OK else None

    @property
    def interval(self) -> tuple[float, float] | None:
        if self.estimate is None or self.half_width is None:
            return None
        return max(0.0, self.estimate - self.half_width), min(10.0, self.estimate + self.half_width)

    def as_json(self) -> dict[str, Any]:
        """Return the point as JSON, without an interval where it may not be shown as a mean."""
        shown = self.status is PointStatus.OK
        return {
            "at": self.at.isoformat(),
            "until": self.until.isoformat(),
            "status": self.status.value,
            "score": self.score,
            "interval": list(self.interval) if shown and self.interval else None,
            "half_width": self.half_width if shown else None,
            "scored": self.scored,
            "population": self.population,
            "fingerprint": self.fingerprint,
            "evaluator_config": self.config,
            "note": self.note,
            "name": "",
            "evaluation_id": None,
            "agent": "",
            "prompt_version": "",
            "corrected": self.corrected.as_json() if self.corrected else None,
            "triggered_by": "sampling",
            "pass_mark": None,
        }


def hours_of_a_point(windows: Sequence[DrawnWindow]) -> int:
    """Return 6 if at least 5,000 conversations settle a day, else 24."""
    days = {window.starts.date() for window in windows}
    settled = sum(sum(window.population.values()) for window in windows)
    return HOURS if days and settled / len(days) >= A_DAY_OF_POINTS_OF_SIX_HOURS else 24


def production_points(
    windows: Sequence[DrawnWindow], scores: Iterable[SampledScore], *, hours: int
) -> list[ProductionPoint]:
    """The points, oldest first: where two judges judged within one, each has its own. Pure."""
    by_window = defaultdict[datetime, list[SampledScore]](list)
    for score in scores:
        by_window[score.window].append(score)
    periods = defaultdict[datetime, list[DrawnWindow]](list)
    for window in windows:
        starts = window.starts
        periods[starts.replace(hour=starts.hour - starts.hour % hours)].append(window)
    points = list[ProductionPoint]()
    for at in sorted(periods):
        points += _points(at, at + timedelta(hours=hours), periods[at], by_window)
    return points


def _points(
    at: datetime, until: datetime, windows: Sequence[DrawnWindow], by_window: Mapping[datetime, list[SampledScore]]
) -> list[ProductionPoint]:
    left_out = [drawn_window for drawn_window in windows if drawn_window.status == DrawStatus.NOT_SAMPLED]
    drawn = [drawn_window for drawn_window in windows if drawn_window.status != DrawStatus.NOT_SAMPLED]
    population = defaultdict[str, int](int)
    for window in drawn:
        for stratum, n in window.population.items():
            population[stratum] += n
    settled = sum(sum(drawn_window.population.values()) for drawn_window in windows)
    if left_out and not drawn:
        return [
            ProductionPoint(
                at=at, until=until, status=PointStatus.NOT_SAMPLED, scored=0, population=settled, note=left_out[0].why
            )
        ]
    rows = [one for window in drawn for one in by_window.get(window.starts, ())]
    if not settled:
        return []
    note = f"{len(left_out)} of {len(windows)} windows were not sampled. {left_out[0].why}" if left_out else ""
    pending = sum(row.pending for row in rows)
    judges = list(dict.fromkeys(row.fingerprint for row in rows if row.score is not None))
    if pending or not judges:
        status = PointStatus.WAITING if pending else PointStatus.TOO_FEW
        scored = sum(row.score is not None for row in rows)
        words = f"{pending} of {len(rows)} are still to be judged." if pending else "Nothing was judged."
        return [
            ProductionPoint(
                at=at, until=until, status=status, scored=scored, population=settled, note=f"{words} {note}".strip()
            )
        ]
    return [_point(at, until, judge, rows, population, note) for judge in judges]


def _point(
    at: datetime, until: datetime, judge: str, rows: Sequence[SampledScore], population: Mapping[str, int], note: str
) -> ProductionPoint:
    own = [row for row in rows if row.fingerprint == judge and row.score is not None]
    by_stratum = defaultdict[str, list[float]](list)
    for row in own:
        by_stratum[row.stratum].append(row.score or 0.0)
    mean = stratified_mean([SampledStratum(n, by_stratum.get(stratum, ())) for stratum, n in population.items()])
    if mean is None:
        return ProductionPoint(at=at, until=until, status=PointStatus.TOO_FEW, scored=len(own), population=0, note=note)
    return ProductionPoint(
        at=at,
        until=until,
        status=PointStatus.TOO_FEW if mean.too_few else PointStatus.OK,
        scored=len(own),
        population=mean.population,
        fingerprint=judge,
        config=own[-1].config,
        estimate=mean.mean,
        variance=mean.variance,
        half_width=mean.half_width,
        note=note,
    )
