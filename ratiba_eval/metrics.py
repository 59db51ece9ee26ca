"""/metrics in Prometheus text: is work waiting, is anybody doing it, and how do the models answer.

Work is owed in rows, so its age is read from rows: the broker's queues may be empty while everything waits.
"""

import hmac
import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from apps.tenants.context import in_public
from apps.tenants.public_schema import public_schema
from apps.tenants.queries import last_ticks, tenants_behind, tenants_by_state
from ratiba_eval.queues import messages_waiting
from ratiba_eval.request_figures import request_series
from ratiba_eval.tenant_metrics import figures_of_tenants

_FORWARDED = ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "X-Real-Ip", "Via")


def answer(request: HttpRequest) -> HttpResponse:
    """The metrics, to whoever may see them: with the bearer token, or, where none is set, on this machine.

    Behind a proxy on the same machine everybody comes from loopback, so a forwarded request, and any when
    RATIBA_HTTPS says that there is a proxy, needs the token.
    """
    if not _may_see(request):
        refused = HttpResponse("metrics need a token: RATIBA_METRICS_TOKEN\n", status=401, content_type="text/plain")
        refused["WWW-Authenticate"] = "Bearer"
        return refused
    return HttpResponse(exposition(now=timezone.now()), content_type=CONTENT_TYPE_PLAIN_0_0_4)


def _may_see(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(
            given.strip().encode(), str(settings.METRICS_TOKEN).encode()
        )
    proxied = getattr(settings, "SECURE_PROXY_SSL_HEADER", None) or any(name in request.headers for name in _FORWARDED)
    try:
        return not proxied and ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:  # a Unix socket has no address
        return False


def exposition(*, now: datetime) -> bytes:
    """The whole text. Nine round trips and those of `figures_of_tenants`."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Snapshot(now))
    return bytes(generate_latest(registry))


class _Snapshot:
    """Snapshot of what the registry asks once."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def collect(self) -> Iterator[Metric]:
        with in_public():
            yield from self._platform()
        yield from self._tenants()
        yield _queues()
        yield _requests()

    def _platform(self) -> Iterator[Metric]:
        tenants = GaugeMetricFamily("ratiba_tenants", "Tenants by state.", labels=["state"])
        for state, count in tenants_by_state().items():
            tenants.add_metric([state], count)
        yield tenants
        other, newer = tenants_behind(), public_schema().newer
        yield GaugeMetricFamily(
            "ratiba_tenants_behind", "Tenants whose schema is older than this code.", 0 if newer else other
        )
        yield GaugeMetricFamily(
            "ratiba_tenants_ahead", "Tenants that a newer version has migrated.", other if newer else 0
        )
        ticks = GaugeMetricFamily(
            "ratiba_tick_last_success_timestamp_seconds", "When a tick last ended well; 0 is never.", labels=["tick"]
        )
        known = last_ticks()
        for name in settings.CELERY_BEAT_SCHEDULE:
            ticks.add_metric([name], known[name].timestamp() if name in known else 0)
        yield ticks
        intervals = GaugeMetricFamily(
            "ratiba_tick_interval_seconds", "How far apart two beginnings of a tick are.", labels=["tick"]
        )
        for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
            intervals.add_metric([name], entry["schedule"])
        yield intervals

    def _tenants(self) -> list[Metric]:
        judgements = GaugeMetricFamily("ratiba_judgements", "Judgements by state.", labels=["tenant", "state"])
        calls = GaugeMetricFamily(
            "ratiba_model_calls_last_hour", "Model calls of the last hour.", labels=["tenant", "purpose", "outcome"]
        )
        took = GaugeMetricFamily(
            "ratiba_model_call_seconds_last_hour",
            "Seconds that the model calls of the last hour took, added up.",
            labels=["tenant", "purpose", "outcome"],
        )
        cost = GaugeMetricFamily(
            "ratiba_model_call_cost_usd_last_hour",
            "Dollars that the model calls of the last hour cost, as far as their price is known.",
            labels=["tenant", "purpose", "outcome"],
        )
        backlog = GaugeMetricFamily("ratiba_callbacks_pending", "Callbacks not delivered yet.", labels=["tenant"])
        stuck = GaugeMetricFamily("ratiba_callbacks_given_up", "Callbacks that wait for a person.", labels=["tenant"])
        up = GaugeMetricFamily("ratiba_tenant_readable", "0 where a tenant's rows cannot be read.", labels=["tenant"])
        figures = list(figures_of_tenants(now=self.now))
        for slug, figure in figures:
            up.add_metric([slug], figure is not None)
            if figure is None:
                continue
            for state, count in (figure["judgements"] or {}).items():
                judgements.add_metric([slug, state], count)
            for purpose, outcome, count, seconds, dollars in figure["calls"] or ():
                calls.add_metric([slug, purpose, outcome], count)
                took.add_metric([slug, purpose, outcome], seconds)
                cost.add_metric([slug, purpose, outcome], dollars)
            for family, count in ((backlog, figure["callbacks"]), (stuck, figure["stuck"])):
                if count:
                    family.add_metric([slug], count)
        return [judgements, calls, took, cost, backlog, stuck, up, *_work(figures, self.now)]


def _work(figures: Sequence[tuple[str, Mapping[str, Any] | None]], now: datetime) -> list[Metric]:
    """Every kind of work that waits somewhere, in every tenant that can be read. A kind of which a tenant has no row
    that waits has no series there: 46 kinds of every tenant would be 92,000 series for a thousand idle ones."""
    waiting = GaugeMetricFamily(
        "ratiba_work_waiting", "Rows that a worker could work on now.", labels=["tenant", "work"]
    )
    oldest = GaugeMetricFamily(
        "ratiba_work_oldest_seconds",
        "How long the oldest row that a worker could work on has waited; no series where there is none.",
        labels=["tenant", "work"],
    )
    for slug, figure in figures:
        for work, (count, since) in (figure or {"work": {}})["work"].items():
            if not count:
                continue
            age = (now - datetime.fromisoformat(since)).total_seconds() if since else 0
            waiting.add_metric([slug, work], count)
            oldest.add_metric([slug, work], max(0.0, age))
    return [waiting, oldest]


def _requests() -> Metric:
    """Requests of this web process, counted and timed by group of routes and class of status."""
    requests = HistogramMetricFamily(
        "ratiba_http_request_seconds", "Requests answered by this process.", labels=["route", "status"]
    )
    for labels, buckets, seconds in request_series():
        requests.add_metric(list(labels), buckets, seconds)
    return requests


def _queues() -> Metric:
    """Messages waiting at the broker; no sample where it cannot be asked, which is what an alert looks for."""
    waiting = GaugeMetricFamily("ratiba_queue_messages", "Messages that wait for a worker.", labels=["queue"])
    for queue, count in messages_waiting().items():
        waiting.add_metric([queue], count)
    return waiting
