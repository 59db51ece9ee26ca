"""Three judges on loopback."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def three(tenant: str) -> Iterator[Any]:
    from tests.evaluations.doubt.three_judges import ThreeJudges  # noqa: PLC0415 - apps are loaded by then

    with ThreeJudges() as judges:
        yield judges


@pytest.fixture
def settings_of(tenant: str) -> Iterator[Any]:
    """Writes the tenant's settings for one test."""
    from tests.evaluations.doubt.three_judges import tenant_settings  # noqa: PLC0415 - apps are loaded by then

    yield tenant_settings(tenant)
    tenant_settings(tenant)()
