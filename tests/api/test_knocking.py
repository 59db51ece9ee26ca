"""Workers are woken soon, and not flooded."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache

from apps.api import knocking


@pytest.fixture
def knocks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Every message to the judging lanes, as the delay it was sent with."""
    sent: list[float] = []
    task = SimpleNamespace(
        delay_on_commit=lambda tenant: sent.append(0),
        apply_async_on_commit=lambda kwargs, countdown: sent.append(countdown),
    )
    monkeypatch.setattr("apps.evaluations.tasks.judge_tenant", task)
    return sent


def test_the_first_knock_goes_at_once_and_a_hundred_more_share_one(knocks: list[float], settings: Any) -> None:
    for _ in range(100):
        knocking.knock_for_judging("acme")
    assert knocks == [0] * settings.JUDGING_LANES + [1]


def test_the_next_second_knocks_again(knocks: list[float], settings: Any) -> None:
    knocking.knock_for_judging("acme")
    cache.clear()  # what a second does
    knocking.knock_for_judging("acme")
    assert knocks == [0] * settings.JUDGING_LANES * 2
