"""A place at a model that limits us is a moment, whatever its answer takes on its way to the caller."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.connectors.cool_downs import CoolDowns
from apps.connectors.rates import HORIZON_S
from apps.jobs.services.cool_downs import PlaceRequest

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "wait_s, later_s, left_s", [(0.9, 0.2, 0.7), (0.1, 0.2, 0.0), (0.0, 0.2, 0.0), (2 * HORIZON_S, 0.2, 2 * HORIZON_S)]
)
def test_what_the_answer_took_is_no_wait(wait_s: float, later_s: float, left_s: float) -> None:
    place = PlaceRequest(cool_downs=CoolDowns(), key="k", wait_s=wait_s, given_at=NOW)
    assert place.wait_from(NOW + timedelta(seconds=later_s)) == pytest.approx(left_s)


def test_without_an_answer_there_is_none() -> None:
    assert PlaceRequest(cool_downs=CoolDowns(), key="k").wait_from(NOW) is None
