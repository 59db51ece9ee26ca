"""The weekly promotion is due on Mondays at six, where the tenant is."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfoNotFoundError

import pytest

from apps.production.promotion.domain.week import next_round


@pytest.mark.parametrize(
    "now, zone, due",
    [
        ("2026-11-24T04:00", "Africa/Nairobi", "2026-11-30T03:00"),
        ("2026-11-30T02:59", "Africa/Nairobi", "2026-11-30T03:00"),
        ("2026-11-30T03:00", "Africa/Nairobi", "2026-12-07T03:00"),
        ("2026-11-29T22:00", "Africa/Nairobi", "2026-11-30T03:00"),  # Monday there, Sunday in UTC
        ("2026-03-28T12:00", "Europe/Rome", "2026-03-30T04:00"),  # the clocks went forward the day before
        ("2026-11-24T04:00", "Pacific/Kiritimati", "2026-11-29T16:00"),
    ],
)
def test_the_next_monday_at_six_of_the_tenants_zone(now: str, zone: str, due: str):
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert next_round(at, zone=zone) == datetime.fromisoformat(due).replace(tzinfo=UTC)


def test_a_word_that_is_no_zone_is_refused():
    with pytest.raises(ZoneInfoNotFoundError):
        next_round(datetime(2026, 11, 24, tzinfo=UTC), zone="Nairobi/Kenya")
