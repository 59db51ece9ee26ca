"""Figures in words: how long ago, how much, how sure. Fixed decimals everywhere, so that columns align."""

from apps.core.cost_words import cost_parts as cost_parts
from apps.core.cost_words import dollars as dollars
from apps.core.plurals import many as many
from apps.core.time_words import ago as ago
from apps.core.time_words import span as span
from apps.statistics.quantiles import wilson

NOUNS = {"battle": "battle", "replay": "replay", "imported": "imported conversation"}  # of a run's conversations


def milliseconds(value: int | None) -> str:
    """A latency: `24 ms`, `3.1 s`; nothing where nothing was measured."""
    if value is None:
        return ""
    return f"{value} ms" if value < 1000 else f"{value / 1000:.1f} s"


def score_text(value: float, mark: float | None = None) -> str:
    """A score with one decimal; with two where one would lift it to a mark it missed, in words where two would.

    5.96 under a mark of 6 is `5.96`, not a failing `6.0`; 5.999 is `6.0, just below the mark`.
    """
    if just_below(value, mark):
        return f"{value:.1f}, just below the mark"
    lifted = mark is not None and value < mark <= float(f"{value:.1f}")
    return f"{value:.2f}" if lifted else f"{value:.1f}"


def just_below(value: float, mark: float | None) -> bool:
    """Tell whether a score misses the mark by less than two decimals show."""
    return mark is not None and value < mark <= float(f"{value:.2f}")


def cost_text(cost: float, *, calls: int, unpriced: int, ceiling: float | None = None) -> str:
    """Write a cost as `$4.10 of $300.00`.

    It is unknown where no call has a price, and a lower bound where some have none.
    """
    counted = f"{unpriced:,} of {calls:,} call{'' if calls == 1 else 's'}"
    have = "has" if calls == 1 else "have"
    if unpriced and not cost:
        return f"unknown: {counted} {have} no price"
    spent = dollars(cost) + (f" of {dollars(ceiling)}" if ceiling is not None else "")
    return f"at least {spent} ({counted} {have} no price)" if unpriced else spent


def plus_minus(interval: tuple[float, float] | None) -> str:
    """Half the width of an interval, `± 0.2`; empty where there is none."""
    return f"± {(interval[1] - interval[0]) / 2:.1f}" if interval else ""


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n (E. B. Wilson 1927): it stays inside 0..1 and works at both ends."""
    if n <= 0:
        return (0.0, 1.0)
    return wilson(round(share * n), n)


def forecast(spent: float, *, day: float, days: int) -> float:
    """The expected total of a month that goes on as it did so far; `day` is how many days of it have passed."""
    return spent / day * days if day > 0 else spent
