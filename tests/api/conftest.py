"""Two stocked tenants and a door to each. Everything is rolled back."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from tests.api.door import Door, stock


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Throttles and knocks count in it."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def acme(db: None) -> Door:
    door = Door("acme")
    door.bearer, door.secret = stock("acme")
    return door


@pytest.fixture
def beta(db: None) -> Door:
    door = Door("beta")
    door.bearer, door.secret = stock("beta")
    return door
