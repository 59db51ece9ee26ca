"""Needs for a person in production: complaints, and canaries that went back or may be promoted."""

from datetime import datetime

from django.urls import reverse

from apps.dashboard.domain.figures import ago, many
from apps.dashboard.home.domain.needs import Need, need
from apps.production.models import Rollout
from apps.production.overview.queries.standing import SHOWN, ProductionStanding

STEER = "production.change_rollout"


def production_needs(standing: ProductionStanding, now: datetime) -> list[Need]:
    """Canaries that went back, complaints, canaries that a person may promote. No query."""
    back = [
        need(
            "failed",
            f"The canary {row.canary.version} went back",
            _reason(row, now),
            reverse("rollout", args=[row.pk]),
            key=f"rollout {row.pk}",
            about=str(row.ended_at),
            right=STEER,
        )
        for row in standing.rolled_back[:SHOWN]
    ]
    waiting = [
        need(
            "near",
            f"The canary {row.canary.version} waits for a person: it was shown to be no worse",
            "Its time is over and nobody gets it: promote it or stop it." if now >= row.ends_at else "Promote it.",
            reverse("rollout", args=[row.pk]),
            key=f"promotable {row.pk}",
            about=str(now >= row.ends_at),
            right=STEER,
            verb="Decide",
        )
        for row in standing.promotable[:SHOWN]
    ]
    return [*back, *_complaints(standing, now), *waiting]


def _reason(row: Rollout, now: datetime) -> str:
    when = f" {ago(row.ended_at, now).capitalize()}." if row.ended_at else ""
    return f"{row.reason}{when}"


def _complaints(standing: ProductionStanding, now: datetime) -> list[Need]:
    """About the newest, so that a further one calls again."""
    n, newest = standing.complaints_lately, standing.newest_complaint
    if not n or newest is None:
        return []
    return [
        need(
            "near",
            f"{many(n, 'complaint')} since yesterday",
            f"Real customers gave a thumbs-down, the last {ago(newest, now)}.",
            f"{reverse('production')}#complaints",
            key="complaints",
            about=str(newest),
            count=n,
            right="production.change_promotion",
            verb="Read",
        )
    ]
