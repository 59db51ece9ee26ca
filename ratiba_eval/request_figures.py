"""Count the requests that this web process answered, and how long they took, for /metrics.

Labels are bounded: groups of routes of the URL configuration and classes of status, never a path somebody asked for: a
histogram of every method, route and status took 2.3 MB a scrape. Each process counts its own since it started, as
Prometheus wants it.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock

from django.http import HttpRequest, HttpResponse

BUCKETS_S = (0.1, 0.5, 2.5, 10.0)  # upper bounds; what takes longer is in none of them

Labels = tuple[str, str]  # group of routes, status class


@dataclass(slots=True)
class Series:
    """Requests of one set of labels; `buckets` counts those of each bucket alone, the last those beyond all."""

    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_S) + 1))


_series: dict[Labels, Series] = {}
_lock = Lock()


def note_request(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Count one answered request. A microsecond."""
    match = request.resolver_match
    labels = (route_group(match.route) if match else "none", f"{response.status_code // 100}xx")
    with _lock:
        series = _series.setdefault(labels, Series())
        series.seconds += seconds
        series.buckets[bisect_left(BUCKETS_S, seconds)] += 1


def route_group(route: str) -> str:
    """The first step of a route, behind `api/v1/` where it is the API's: `api/test-runs`, `runs`, `admin`; `home` for
    the root, and `other` for a route that begins with what was asked for."""
    in_api = route.removeprefix("api/v1/")
    step = in_api.partition("/")[0]
    if not step.replace("-", "").replace(".", "").isalnum():
        step = "other" if step else "home"
    return f"api/{step}" if in_api != route else step


def request_series() -> Iterator[tuple[Labels, list[tuple[str, float]], float]]:
    """(labels, [(upper bound, requests up to it)], seconds in all) of each set of labels seen."""
    with _lock:
        seen = [(labels, one.seconds, list(one.buckets)) for labels, one in sorted(_series.items())]
    for labels, seconds, counts in seen:
        total, buckets = 0, []
        for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), counts, strict=True):
            total += count
            buckets.append((bound, float(total)))
        yield labels, buckets, seconds
